#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "compiler/codelets/expand.h"

namespace accord {
namespace {

/// How an operator begins, combines and ends.
struct Form {
  const char* start;
  const char* combine;
  bool mean;
};

const std::map<std::string, Form>& forms() {
  static const std::map<std::string, Form> table = {
      {"ReduceMean", {"0", "+=", true}},
      {"ReduceSum", {"0", "+=", false}},
      {"ReduceMax", {"-inf", "max=", false}},
      {"ReduceMin", {"inf", "min=", false}},
  };
  return table;
}

std::vector<bool> reduced_axes(const Operator& op, std::size_t rank) {
  std::vector<std::int64_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  auto axes = attribute(op, "axes", all);
  if (axes.empty()) axes = all;
  std::vector<bool> reduced(rank, false);
  for (const auto axis : axes)
    reduced.at(static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis)) = true;
  return reduced;
}

}  // namespace

Generated reduction_statements(const Network& network, const Operator& op) {
  Generated generated;
  const auto form = forms().find(op.type);
  if (form == forms().end()) return generated;
  const Shape& shape = network.tensors[op.inputs[0]].shape;
  const auto reduced = reduced_axes(op, shape.size());
  const bool keep = attribute(op, "keepdims", std::int64_t{1}) != 0;
  std::vector<std::string> source, target;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    source.push_back(fmt::format("d{}", i));
    generated.iterators.push_back({source.back(), shape[i]});
    if (!reduced[i]) {
      target.push_back(source.back());
    } else {
      count *= shape[i];
      if (keep) target.push_back("0");
    }
  }
  auto access = [](const std::string& operand, const std::vector<std::string>& index) {
    return index.empty() ? operand : fmt::format("{}[{}]", operand, fmt::join(index, ", "));
  };
  generated.tensors = {{"x", op.inputs[0]}, {"y", op.outputs[0]}};
  generated.temporaries = {"total"};
  const std::string total = access("total", target);
  generated.statements = {
      fmt::format("{} = {}", total, form->second.start),
      fmt::format("{} {} fp32({})", total, form->second.combine, access("x", source)),
      fmt::format("{} = {}{}", access("y", target), total, form->second.mean ? fmt::format(" / {}", count) : ""),
  };
  return generated;
}

}  // namespace accord
