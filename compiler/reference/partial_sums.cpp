// What an operator sums by parts (docs/operators.md): only the compiler makes such.
#include <algorithm>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/reference/operator_table.h"

namespace accord::reference {
namespace {

/// The input, 0 but where its index lies in [begin, end).
std::vector<std::byte> only(const TensorView& input, std::size_t index, std::int64_t begin, std::int64_t end) {
  std::size_t inner = static_cast<std::size_t>(bytes(input.type));
  for (std::size_t d = index + 1; d < input.shape.size(); ++d) inner *= static_cast<std::size_t>(input.shape[d]);
  const std::int64_t extent = input.shape.at(index);
  std::vector<std::byte> kept(count_of(input.shape) * static_cast<std::size_t>(bytes(input.type)));
  for (std::size_t row = 0; row * inner < kept.size(); ++row) {
    const std::int64_t at = static_cast<std::int64_t>(row) % extent;
    if (at >= begin && at < end) std::copy_n(input.data + row * inner, inner, kept.data() + row * inner);
  }
  return kept;
}

/// Each part is the whole operator's result where all but the part's steps are 0.
void partial_sums(const OperatorCall& call) {
  Operator whole = call.op;
  whole.type = attribute(call.op, "sum_of", std::string());
  const auto function = operator_table().find(whole.type);
  if (function == operator_table().end()) throw Error("the reference has no operator " + whole.type);
  const auto input = static_cast<std::size_t>(attribute(call.op, "sum_input", std::int64_t{0}));
  const auto index = static_cast<std::size_t>(attribute(call.op, "sum_index", std::int64_t{0}));
  const std::int64_t steps = attribute(call.op, "sum_steps", std::int64_t{1});
  std::int64_t begin = attribute(call.op, "sum_begin", std::int64_t{0});
  Value& sums = call.outputs[0];
  const Shape shape(sums.shape.begin() + 1, sums.shape.end());
  const std::size_t size = count_of(shape) * static_cast<std::size_t>(bytes(sums.type));
  for (std::int64_t part = 0; part < sums.shape[0]; ++part, begin += steps) {
    const auto kept = only(call.inputs[input], index, begin, begin + steps);
    auto inputs = call.inputs;
    inputs[input].data = kept.data();
    std::vector<Value> outputs = {{sums.type, shape, std::vector<std::byte>(size)}};
    function->second(OperatorCall{whole, inputs, outputs, call.threads});
    std::ranges::copy(outputs[0].data, sums.data.begin() + part * static_cast<std::ptrdiff_t>(size));
  }
}

}  // namespace

void add_partial_sums(OperatorTable& table) { table["PartialSums"] = partial_sums; }

}  // namespace accord::reference
