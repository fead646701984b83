#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "archdsl/check/rules.h"

namespace accord {

namespace {

bool has_mnemonic(const Isa& isa, const auto& condition) {
  return std::any_of(isa.mnemonics.begin(), isa.mnemonics.end(), condition);
}

/// A unit, and the route or capability of it, or the meaning.
using Start = std::pair<int, int>;

/// What the mnemonics start: `index` gives a mnemonic's second part, or -1 where it is of another sort.
std::set<Start> starts_of(const Isa& isa, const auto& index) {
  std::set<Start> starts;
  for (const Mnemonic& mnemonic : isa.mnemonics) {
    const int of = index(mnemonic);
    if (of < 0) continue;
    starts.emplace(mnemonic.unit, of);
    for (const int unit : mnemonic.units) starts.emplace(unit, of);
  }
  return starts;
}

}  // namespace

void check_opcodes(Elaboration& elaboration) {
  std::map<std::uint64_t, std::size_t> first;
  const auto& mnemonics = elaboration.architecture.isa.mnemonics;
  for (std::size_t i = 0; i < mnemonics.size(); ++i) {
    const auto [known, fresh] = first.emplace(mnemonics[i].opcode, i);
    if (fresh) continue;
    Reporter& reporter = elaboration.scope.reporter();
    reporter
        .report("duplicate-opcode", elaboration.mnemonic_places[i],
                fmt::format("`{}` and `{}` share the opcode {}", mnemonics[known->second].name, mnemonics[i].name,
                            mnemonics[i].opcode))
        .notes.push_back(reporter.note(elaboration.mnemonic_places[known->second], "the other"));
  }
}

void check_coverage(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  const auto warn = [&](const Place& place, const std::string& what) {
    elaboration.scope.reporter().report("missing-mnemonic", place, fmt::format("no mnemonic starts {}", what));
  };
  const auto routes = starts_of(architecture.isa, [](const Mnemonic& m) { return m.route; });
  const auto capabilities = starts_of(architecture.isa, [](const Mnemonic& m) { return m.capability; });
  for (int u = 0; u < static_cast<int>(architecture.units.size()); ++u) {
    const Unit& unit = architecture.units[static_cast<std::size_t>(u)];
    const UnitSource& source = elaboration.units[static_cast<std::size_t>(u)];
    for (std::size_t r = 0; r < unit.routes.size(); ++r) {
      if (!routes.contains({u, static_cast<int>(r)}))
        warn(source.route_places[r], fmt::format("the route {}.{}", unit.name, source.route_names[r]));
    }
    for (std::size_t c = 0; c < unit.capabilities.size(); ++c) {
      if (capabilities.contains({u, static_cast<int>(c)})) continue;
      warn(source.capability_places[c], fmt::format("the capability {}.{}", unit.name, unit.capabilities[c].name));
    }
  }
}

void check_fence(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  if (architecture.sync.kind == Sync::Kind::in_order) return;
  if (has_mnemonic(architecture.isa, [](const Mnemonic& m) { return m.meaning == Meaning::fence; })) return;
  elaboration.scope.reporter().report("missing-fence", elaboration.isa_place,
                                      "no mnemonic means `fence`: nothing waits until every unit is idle",
                                      "add `fence: {means: fence, opcode: N}`");
}

void check_semaphores(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  if (architecture.sync.kind != Sync::Kind::semaphores) return;
  const auto orders = starts_of(architecture.isa, [](const Mnemonic& m) { return static_cast<int>(m.meaning); });
  for (int u = 0; u < static_cast<int>(architecture.units.size()); ++u) {
    for (const Meaning meaning : {Meaning::wait, Meaning::signal}) {
      if (orders.contains({u, static_cast<int>(meaning)})) continue;
      const std::string& name = architecture.units[static_cast<std::size_t>(u)].name;
      const std::string_view word = meaning == Meaning::wait ? "wait" : "signal";
      elaboration.scope.reporter().report(
          "missing-sync", elaboration.units[static_cast<std::size_t>(u)].place,
          fmt::format("sync is semaphores, but no mnemonic lets `{}` {}", name, word),
          fmt::format("add `{}_{}: {{means: {{{}: {}}}, opcode: N, fields: {{semaphore: 8}}}}`", word, name, word,
                      name));
    }
  }
}

void check_loops(Elaboration& elaboration) {
  const Architecture& architecture = elaboration.architecture;
  if (architecture.controller.loop_depth > 0) return;
  for (std::size_t i = 0; i < architecture.isa.mnemonics.size(); ++i) {
    if (architecture.isa.mnemonics[i].meaning != Meaning::loop) continue;
    elaboration.scope.reporter().report("loop-depth", elaboration.mnemonic_places[i],
                                        fmt::format("`{}` loops, but the controller `{}` nests no loops",
                                                    architecture.isa.mnemonics[i].name, architecture.controller.name),
                                        "give the controller a `loop_depth`");
  }
}

}  // namespace accord
