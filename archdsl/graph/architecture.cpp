#include "archdsl/graph/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace accord {

namespace {

void append_free_strides(const std::string& side, const std::vector<WalkDim>& walk, Step WalkDim::*step,
                         std::vector<std::string>& names) {
  for (std::size_t d = 1; d < walk.size(); ++d) {
    if ((walk[d].*step).kind == Step::Kind::free) names.push_back(fmt::format("{}.stride{}", side, d));
  }
}

}  // namespace

std::int64_t Period::cycles(std::int64_t own) const {
  if (numerator == denominator) return own;
  __extension__ using Wide = __int128;
  const Wide exact = (static_cast<Wide>(own) * numerator + denominator - 1) / denominator;
  return exact > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(exact);
}

Numerics::Role Numerics::Parameter::role() const {
  const auto named = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (is_float(type)) return named("scale") ? Role::scale : Role::unknown;
  return named("mult") ? Role::mult : named("shift") ? Role::shift : Role::unknown;
}

std::vector<std::string> transfer_arguments(const Route& route) {
  std::vector<std::string> names = {"src.base", "dst.base"};
  for (std::size_t d = 0; d < route.walk.size(); ++d) names.push_back(fmt::format("n{}", d));
  append_free_strides("src", route.walk, &WalkDim::source, names);
  append_free_strides("dst", route.walk, &WalkDim::target, names);
  for (std::size_t d = 0; route.pad && d < route.walk.size(); ++d) {
    names.push_back(fmt::format("lo{}", d));
    names.push_back(fmt::format("hi{}", d));
  }
  if (route.gather) names.insert(names.end(), {"index.base", "rows"});
  return names;
}

std::vector<std::string> run_arguments(const Capability& capability) {
  std::vector<std::string> names;
  for (const CapabilityDim& dim : capability.dims) names.push_back(dim.name);
  const auto& operands = capability.operands;
  const auto name = [&](std::size_t i) -> const std::string& { return capability.program.operands[i].name; };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].memory >= 0) names.push_back(name(i) + ".base");
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t p = 0; p < operands[i].steps.size(); ++p) {
      if (operands[i].steps[p].kind == Step::Kind::free) names.push_back(fmt::format("{}.stride{}", name(i), p));
    }
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].held) names.push_back(name(i) + ".load");
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].memory < 0) names.push_back(name(i));
  }
  return names;
}

bool holds_operands(const Unit& unit) {
  return std::ranges::any_of(unit.capabilities, [](const Capability& capability) {
    return std::ranges::any_of(capability.operands, &CapabilityOperand::held);
  });
}

}  // namespace accord
