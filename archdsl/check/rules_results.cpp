#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "archdsl/check/rules.h"

namespace accord {

namespace {

/// An index position with a wired step that one dim alone counts.
struct Wired {
  std::int64_t step = 0;
  std::int64_t extent = 1;
};

std::optional<Wired> wired(const Capability& capability, const CapabilityOperand& operand, const Access& access,
                           std::size_t position) {
  const auto& terms = access.indices[position].terms;
  const Step& step = operand.steps[position];
  if (step.kind != Step::Kind::fixed || terms.size() != 1) return std::nullopt;
  const auto& [dim, coefficient] = terms.front();
  return Wired{std::abs(step.bytes * coefficient), capability.dims[static_cast<std::size_t>(dim)].maximum};
}

/// Whether elements of the operand that differ in one or two of these indices lie in the same bytes.
bool overlap(const Capability& capability, const CapabilityOperand& operand, const Access& access,
             std::int64_t element) {
  std::vector<Wired> positions;
  for (std::size_t p = 0; p < std::min(access.indices.size(), operand.steps.size()); ++p) {
    if (const auto found = wired(capability, operand, access, p); found && found->extent > 1)
      positions.push_back(*found);
  }
  std::ranges::sort(positions, {}, &Wired::step);
  for (std::size_t p = 0; p < positions.size(); ++p) {
    if (positions[p].step < element) return true;
    for (std::size_t q = p + 1; q < positions.size(); ++q) {
      const std::int64_t steps = positions[q].step / positions[p].step;
      if (positions[q].step % positions[p].step == 0 && steps < positions[p].extent) return true;
    }
  }
  return false;
}

}  // namespace

void check_results(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    for (std::size_t c = 0; c < unit.capabilities.size(); ++c) {
      const Capability& capability = unit.capabilities[c];
      const Access& target = capability.program.statements.back().target;
      const auto& named = capability.program.operands[static_cast<std::size_t>(target.operand)];
      const CapabilityOperand& operand = capability.operands[static_cast<std::size_t>(target.operand)];
      const std::int64_t element = bytes(named.type);
      if (operand.memory < 0 || !overlap(capability, operand, target, element)) continue;
      elaboration.scope.reporter().report(
          "overlapping-results", elaboration.units[u].capability_places[c],
          fmt::format("elements of `{}` that `{}.{}` writes lie in the same bytes", named.name, unit.name,
                      capability.name),
          fmt::format("an element of {} takes {} B, and a row the step of its elements times their number",
                      name(named.type), element));
    }
  }
}

}  // namespace accord
