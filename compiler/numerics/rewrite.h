#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/network/network.h"

namespace accord::numerics {

/// Builds the numeric network beside the canonical one and remembers, for each of its tensors, the tensor that stands
/// for it in the storage type and in fp32.
class Rewrite {
 public:
  explicit Rewrite(const Network& from);

  const Network& from() const { return from_; }
  Network take() { return std::move(to_); }
  void warn(std::string what) { to_.warnings.push_back(std::move(what)); }

  TensorId add_tensor(std::string name, ElementType type, Shape shape, std::optional<Quantisation> quantisation = {});
  TensorId add_constant(Tensor tensor) { return to_.add(std::move(tensor)); }
  Operator& add_operator(std::string type, std::string name, std::vector<TensorId> inputs,
                         std::vector<TensorId> outputs, std::map<std::string, Attribute> attributes = {});

  const Tensor& tensor(TensorId id) const { return to_.tensor(id); }

  /// Whether the canonical tensor keeps its name in fp32: it is an input or output of the network.
  bool keeps_name_in_fp32(TensorId id) const;

  /// Name of the storage-type tensor for a canonical one.
  std::string stored_name(TensorId id) const;

  TensorId stored(TensorId id) const { return stored_[static_cast<std::size_t>(id)]; }
  TensorId real(TensorId id) const { return real_[static_cast<std::size_t>(id)]; }
  void set_stored(TensorId id, TensorId to) { stored_[static_cast<std::size_t>(id)] = to; }
  void set_real(TensorId id, TensorId to) { real_[static_cast<std::size_t>(id)] = to; }

  void set_outputs(std::vector<TensorId> outputs) { to_.outputs = std::move(outputs); }

 private:
  const Network& from_;
  Network to_;
  std::vector<TensorId> stored_, real_;
};

/// A constant of `type` from numbers that it holds exactly or to which they are rounded.
Tensor typed_constant(std::string name, ElementType type, Shape shape, const std::vector<double>& values);
Tensor typed_constant(std::string name, ElementType type, Shape shape, std::span<const float> values);

}  // namespace accord::numerics
