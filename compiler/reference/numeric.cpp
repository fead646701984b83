// Operators of the numeric form (docs/operators.md, form 3).
#include <algorithm>
#include <cmath>
#include <vector>

#include "archdsl/source/error.h"
#include "archdsl/tensor/kernel.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/network/parallel.h"
#include "compiler/reference/broadcast.h"
#include "compiler/reference/elements.h"
#include "compiler/reference/requantisation.h"

namespace accord::reference {
namespace {

/// The index space seen as [outer, channels, inner], channels along one axis.
struct Channels {
  std::int64_t outer = 1, channels = 1, inner = 1;
};

Channels split_at(const Operator& op, const Shape& shape, bool per_channel) {
  Channels split;
  if (!per_channel) return {1, 1, element_count(shape)};
  const std::size_t axis = normalise_axis(attribute(op, "axis", std::int64_t{1}), shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    (d < axis ? split.outer : d == axis ? split.channels : split.inner) *= shape[d];
  }
  return split;
}

void check_parameter(const TensorView& parameter, std::int64_t channels) {
  const std::int64_t count = element_count(parameter.shape);
  if (count != 1 && count != channels) {
    throw Error("a parameter has " + std::to_string(count) + " elements for " + std::to_string(channels) + " channels");
  }
}

/// y = start + acc(x) * m, m 1, one, or one per channel.
template <typename T>
void multiply_add(const OperatorCall& call, const TensorView& x, std::vector<T> y, const TensorView* m) {
  const bool per_channel = m && element_count(m->shape) > 1;
  const Channels split = split_at(call.op, x.shape, per_channel);
  if (m) check_parameter(*m, split.channels);
  const std::vector<T> factors = m ? load_as<T>(*m) : std::vector<T>{T{1}};
  parallel_ranges(
      call.threads, split.outer * split.channels * split.inner, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        std::vector<T> values(static_cast<std::size_t>(end - begin));
        load_range(x, begin, end - begin, values.data());
        for (std::int64_t i = begin; i < end; ++i) {
          const T factor = factors[per_channel ? static_cast<std::size_t>(i / split.inner % split.channels) : 0];
          y[static_cast<std::size_t>(i)] += values[static_cast<std::size_t>(i - begin)] * factor;
        }
      });
  store_all(call.outputs[0], y);
}

template <typename T>
void scale(const OperatorCall& call) {
  const auto count = count_of(call.inputs[0].shape);
  std::vector<T> start(count);
  if (call.has_input(2)) {
    const Channels split = split_at(call.op, call.inputs[0].shape, true);
    check_parameter(call.inputs[2], split.channels);
    const std::vector<T> bias = load_as<T>(call.inputs[2]);
    for (std::size_t i = 0; i < count; ++i) {
      start[i] = bias[i / static_cast<std::size_t>(split.inner) % static_cast<std::size_t>(split.channels)];
    }
  }
  multiply_add<T>(call, call.inputs[0], std::move(start), &call.inputs[1]);
}

template <typename T>
void accumulate(const OperatorCall& call) {
  if (call.inputs[0].shape != call.inputs[1].shape) throw Error("shapes differ");
  multiply_add<T>(call, call.inputs[1], load_as<T>(call.inputs[0]), call.has_input(2) ? &call.inputs[2] : nullptr);
}

/// Binds the operands of a requantise program by name; parameters are `parameter_index` elements into their tensors.
std::vector<StridedOperand> bind_operands(const TensorProgram& program, const OperatorCall& call,
                                          const RequantiseForm& form, std::int64_t first, std::int64_t channel,
                                          const std::vector<std::vector<std::int64_t>>& steps) {
  std::vector<StridedOperand> bound;
  for (std::size_t i = 0; i < program.operands.size(); ++i) {
    const std::string& operand = program.operands[i].name;
    const std::int64_t size = bytes(program.operands[i].type);
    if (operand == "y") {
      bound.push_back({call.outputs[0].data.data() + first * size, steps[i]});
      continue;
    }
    const auto parameter =
        static_cast<std::size_t>(std::ranges::find(form.parameters, operand) - form.parameters.begin());
    const TensorView& from = call.inputs[operand == "x" ? 0 : parameter + 1];
    const std::int64_t at = operand == "x" ? first : element_count(from.shape) > 1 ? channel : 0;
    bound.push_back({const_cast<std::byte*>(from.data) + at * size, steps[i]});  // kernels write their target only
  }
  return bound;
}

/// Byte step of the one iterator of a requantise program, per operand.
std::vector<std::vector<std::int64_t>> operand_steps(const TensorProgram& program, const OperatorCall& call,
                                                     const RequantiseForm& form) {
  std::vector<std::vector<std::int64_t>> steps;
  for (const Operand& operand : program.operands) {
    const auto parameter = std::ranges::find(form.parameters, operand.name);
    const bool one_value =
        parameter != form.parameters.end() &&
        element_count(call.inputs[static_cast<std::size_t>(parameter - form.parameters.begin()) + 1].shape) == 1;
    steps.push_back({operand.rank == 0 || one_value ? 0 : bytes(operand.type)});
  }
  return steps;
}

/// Runs the covenant's expression row by row: along the inner indices of one channel, or along the channels where they
/// are innermost.
void requantize(const OperatorCall& call) {
  const RequantiseForm form = requantise_form(call.op, call.inputs, call.outputs[0].type);
  const bool per_channel = std::any_of(call.inputs.begin() + 1, call.inputs.end(),
                                       [](const TensorView& parameter) { return element_count(parameter.shape) > 1; });
  const Channels split = split_at(call.op, call.inputs[0].shape, per_channel);
  for (std::size_t i = 1; i < call.inputs.size(); ++i) check_parameter(call.inputs[i], split.channels);
  const bool along_channels = per_channel && split.inner == 1;
  const TensorProgram program = requantise_program(form, along_channels);
  const auto steps = operand_steps(program, call, form);
  const Kernel kernel(program, 0);
  const std::int64_t row = along_channels ? split.channels : split.inner;
  const std::int64_t rows = split.outer * split.channels * split.inner / std::max<std::int64_t>(row, 1);
  const std::int64_t piece = rows > 1 ? row : std::max<std::int64_t>(1, std::min<std::int64_t>(row, 1 << 15));
  const std::int64_t pieces = row ? ceil_div(row, piece) : 0;
  parallel_ranges(call.threads, rows * pieces, std::max<std::int64_t>(1, (1 << 13) / std::max<std::int64_t>(piece, 1)),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t part = begin; part < end; ++part) {
                      const std::int64_t r = part / pieces, at = part % pieces * piece;
                      const std::int64_t extent = std::min(piece, row - at);
                      const auto operands = bind_operands(program, call, form, r * row + at,
                                                          along_channels ? at : r % split.channels, steps);
                      kernel.run({&extent, 1}, operands);
                    }
                  });
}

void quantize(const OperatorCall& call) {
  const auto scale = static_cast<float>(attribute(call.op, "scale", 1.0));
  const auto zero = static_cast<float>(attribute(call.op, "zero", std::int64_t{0}));
  parallel_ranges(call.threads, element_count(call.inputs[0].shape), 1 << 16,
                  [&](std::int64_t begin, std::int64_t end) {
                    std::vector<float> values(static_cast<std::size_t>(end - begin));
                    load_range(call.inputs[0], begin, end - begin, values.data());
                    for (float& value : values) value = std::nearbyint(value / scale) + zero;
                    store_range<float>(call.outputs[0], begin, values);
                  });
}

void dequantize(const OperatorCall& call) {
  const auto scale = static_cast<float>(attribute(call.op, "scale", 1.0));
  const auto zero = static_cast<float>(attribute(call.op, "zero", std::int64_t{0}));
  auto values = load_as<float>(call.inputs[0]);
  for (float& value : values) value = (value - zero) * scale;
  store_all(call.outputs[0], values);
}

}  // namespace

void add_numeric(OperatorTable& table) {
  table["Scale"] = [](const OperatorCall& call) {
    with_sum_type(call.outputs[0].type, [&](auto zero) { scale<decltype(zero)>(call); });
  };
  table["Accumulate"] = [](const OperatorCall& call) {
    with_sum_type(call.outputs[0].type, [&](auto zero) { accumulate<decltype(zero)>(call); });
  };
  table["Requantize"] = requantize;
  table["Quantize"] = quantize;
  table["Dequantize"] = dequantize;
}

}  // namespace accord::reference
