#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontends/onnx_file.h"
#include "compiler/frontends/onnx_types.h"
#include "compiler/network/network.h"

namespace accord {

struct ResultType {
  ElementType type = ElementType::fp32;
  Shape shape;
};

/// One ONNX node while it is brought to form 1: a rule reads inputs and attributes, rewrites attributes, drops the
/// inputs that became attributes and gives the type of each result.
struct OnnxNode {
  const OnnxFile* file = nullptr;
  const onnx::NodeProto* proto = nullptr;
  const OnnxTypes* types = nullptr;
  Operator op;                        ///< attributes; `inputs` parallel to `inputs` below
  std::vector<const Tensor*> inputs;  ///< null where absent
  std::size_t output_count = 0;       ///< up to the last named one
  std::vector<ResultType> results;
  std::optional<Shape> computed_in;  ///< the operator works on its input (and gives its result) in this shape

  int opset() const { return file->opset; }
  bool has_input(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  const Tensor& input(std::size_t i) const;  ///< Error if absent
  const Shape& shape(std::size_t i) const { return input(i).shape; }
  bool has(const std::string& key) const { return op.attributes.contains(key); }

  /// Values of a constant input; Error if it depends on the model's inputs.
  std::vector<std::int64_t> constant_integers(std::size_t i) const;
  std::vector<double> constant_numbers(std::size_t i) const;
  std::optional<std::vector<std::int64_t>> integers_from(std::size_t input, const std::string& key) const;

  void keep_inputs(std::size_t count);
  void result(ElementType type, Shape shape);
  void same_as(std::size_t i) { result(input(i).type, input(i).shape); }

  template <typename T>
  T get(const std::string& key, T otherwise) const {
    return attribute(op, key, otherwise);
  }
  std::int64_t get_int(const std::string& key, std::int64_t otherwise) const { return attribute(op, key, otherwise); }
};

struct OnnxRule {
  std::size_t min_inputs = 1;
  std::size_t max_inputs = 1;
  void (*infer)(OnnxNode&) = nullptr;
};
using OnnxRules = std::map<std::string, OnnxRule, std::less<>>;

/// The operators that import knows, by ONNX name.
const OnnxRules& onnx_rules();

void add_window_rules(OnnxRules& rules);  // convolutions and pools
void add_elementwise_rules(OnnxRules& rules);
void add_layout_rules(OnnxRules& rules);  // Reshape, Concat, Slice and other movement of data
void add_resize_rules(OnnxRules& rules);
void add_contraction_rules(OnnxRules& rules);  // Gemm, MatMul, recurrent cells
void add_attention_rules(OnnxRules& rules);
void add_reduction_rules(OnnxRules& rules);
void add_selection_rules(OnnxRules& rules);  // operators that take or put elements where indices say
void add_quantised_rules(OnnxRules& rules);

/// Axis in 0..rank-1 (or ..rank with `past_end`) from a possibly negative one.
std::int64_t normalise_axis(std::int64_t axis, std::size_t rank, bool past_end = false);
std::vector<std::int64_t> normalise_axes(std::vector<std::int64_t> axes, std::size_t rank);

/// Throws Error where input 1, indices that are constant, names none of `extent` elements.
void expect_within(const OnnxNode& node, std::int64_t extent);

/// ONNX (numpy) broadcasting.
Shape broadcast(const Shape& a, const Shape& b);

/// Shape of ONNX MatMul (numpy rules); throws Error where the operands do not fit.
Shape matmul_shape(Shape a, Shape b);

std::string to_string(const Shape& shape);

}  // namespace accord
