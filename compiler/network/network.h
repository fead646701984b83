#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "archdsl/tensor/element_type.h"
#include "archdsl/tensor/value.h"
#include "compiler/network/constant_data.h"

namespace accord {

using TensorId = int;
inline constexpr TensorId no_tensor = -1;  ///< an absent optional input

/// Product of the dimensions (1 for rank 0). Shapes of a network never overflow: frontends limit them.
std::int64_t element_count(const Shape& shape);
inline std::size_t count_of(const Shape& shape) { return static_cast<std::size_t>(element_count(shape)); }

/// Elements of the largest tensor that a network may have.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 30;

/// real = scale * (stored - zero). One scale, or one per index of `axis`; a zero point where there is one scale.
struct Quantisation {
  std::vector<float> scale;
  int axis = -1;
  int zero = 0;            ///< of a signed type
  std::int64_t reach = 0;  ///< the greatest |stored - zero| of an activation's type in the model; 0: of signed bytes
};

constexpr std::int64_t signed_byte_reach = 128;

/// The zero point of a type that holds as much below it as above: what a model's is less than the signed type's.
inline double middle_of(ElementType type) { return lowest(type) == 0 ? (highest(type) + 1) / 2 : 0; }

/// Whether integers of the one stand for the same numbers as those of the other.
inline bool same_integers(const Quantisation& a, const Quantisation& b) {
  return a.scale == b.scale && a.zero == b.zero;
}

/// A value of the network: logical shape in the model's own index order (NCHW for images), dense row-major data for
/// constants. How it lies in a machine's memory is the compiler's business, not the network's.
struct Tensor {
  std::string name;
  ElementType type = ElementType::fp32;
  Shape shape;
  ConstantData data;  ///< set for constants
  std::optional<Quantisation> quantisation;
  bool is_constant() const { return data != nullptr; }
};

using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;

/// Whether the tensor's integers are not those of another one whose numbers it has: they were rounded in between.
inline bool has_own_integers(const Tensor& tensor, const Tensor& other) {
  if (!tensor.quantisation) return false;
  return !other.quantisation || !same_integers(*other.quantisation, *tensor.quantisation);
}

struct Operator {
  std::string name;  ///< unique
  std::string type;  ///< see docs/operators.md
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::map<std::string, Attribute> attributes;
  std::string in_float{};  ///< why a quantised network computes it in fp32; empty: it does not
};

/// Names in use, looked up when one is chosen.
class TensorNames {
 public:
  /// `name`, or with a suffix if it is empty or belongs to one of the tensors.
  std::string choose(const std::vector<Tensor>& tensors, const std::string& name);

 private:
  std::unordered_set<std::string> taken_;
  std::size_t known_ = 0;  ///< of the first tensors the names are in `taken_`
};

/// A DNN: operators in topological order over tensors. Value semantics; constants are shared.
struct Network {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;
  std::vector<TensorId> inputs;  ///< without constants
  std::vector<TensorId> outputs;
  std::vector<std::string> warnings;  ///< what a frontend had to assume (dynamic sizes, seeded weights), for the user

  /// Appends a tensor. A name that is empty or taken gets a suffix, so that names stay unique.
  TensorId add(Tensor tensor);

  TensorNames names{};  ///< reset it where tensors are removed

  const Tensor& tensor(TensorId id) const { return tensors[static_cast<std::size_t>(id)]; }
  Tensor& tensor(TensorId id) { return tensors[static_cast<std::size_t>(id)]; }
};

/// Attribute access with the operator's default. Throws Error if the attribute has another type.
std::int64_t attribute(const Operator& op, const std::string& key, std::int64_t otherwise);
double attribute(const Operator& op, const std::string& key, double otherwise);
std::string attribute(const Operator& op, const std::string& key, const std::string& otherwise);
std::vector<std::int64_t> attribute(const Operator& op, const std::string& key,
                                    const std::vector<std::int64_t>& otherwise);
std::vector<double> attribute(const Operator& op, const std::string& key, const std::vector<double>& otherwise);

/// Of a Clip that stands for a pair of a model's quantisers, or does what one would, too.
inline constexpr const char* rounds_attribute = "rounds";

/// Whether the operator is such a Clip: in float, too, its result is rounded to the model's integers.
bool rounds_to_integers(const Network& network, const Operator& op);

/// Typed view of constant data; asserts that type and size fit.
template <typename T>
const T* constant_data(const Tensor& tensor) {
  assert(tensor.data && static_cast<int>(sizeof(T)) == bytes(tensor.type));
  assert(tensor.data->size() == static_cast<std::size_t>(element_count(tensor.shape)) * sizeof(T));
  return reinterpret_cast<const T*>(tensor.data->data());
}

/// Constants from values in C++; asserts that the count fits the shape.
Tensor make_constant(std::string name, Shape shape, const std::vector<float>& values);
Tensor make_constant(std::string name, Shape shape, const std::vector<std::int64_t>& values);
Tensor make_constant(std::string name, Shape shape, const std::vector<std::int32_t>& values);
Tensor make_constant(std::string name, Shape shape, const std::vector<std::int8_t>& values);

}  // namespace accord
