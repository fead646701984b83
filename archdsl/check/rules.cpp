#include "archdsl/check/rules.h"

#include <fmt/format.h>

#include <array>

namespace accord {

namespace {

/// A rule runs where every section that it reads is free of mistakes.
struct Rule {
  std::string_view code;
  bool components;
  bool isa;
  bool sync;
  void (*check)(Elaboration&);
};

constexpr std::array rules = {
    Rule{"bad-capacity", true, false, false, check_capacities},
    Rule{"no-off-chip", true, false, false, check_off_chip},
    Rule{"not-fed", true, false, false, check_feeds},
    Rule{"unreachable", true, false, false, check_reach},
    Rule{"bad-timing", true, false, false, check_timing},
    Rule{"overlapping-results", true, false, false, check_results},
    Rule{"other-accumulator", true, false, false, check_accumulator},
    Rule{"unused-component", true, false, false, check_unused},
    Rule{"unused-component", true, false, false, check_templates_used},
    Rule{"uneven-width", true, false, false, check_widths},
    Rule{"no-way", true, false, false, check_links},
    Rule{"rounded-clock", true, false, false, check_clocks},
    Rule{"unused-arbitration", true, false, true, check_arbitration},
    Rule{"few-semaphores", true, false, true, check_semaphore_count},
    Rule{"duplicate-opcode", false, false, false, check_opcodes},
    Rule{"missing-mnemonic", true, true, false, check_coverage},
    Rule{"missing-fence", false, true, true, check_fence},
    Rule{"missing-sync", true, true, true, check_semaphores},
    Rule{"loop-depth", true, true, false, check_loops},
    Rule{"useless-binding", true, true, false, check_bindings},
};

/// Last, and only where nothing is wrong: what stopped early may have left a param unused.
void check_params(Scope& scope) {
  if (scope.reporter().errors() > 0) return;
  for (const Param* const param : scope.unused_params()) {
    scope.reporter().report("unused-param", param->place, fmt::format("nothing uses the param `{}`", param->name));
  }
}

}  // namespace

void check_rules(Elaboration& elaboration) {
  for (const Rule& rule : rules) {
    const bool sound = (elaboration.components_sound || !rule.components) && (elaboration.isa_sound || !rule.isa) &&
                       (elaboration.sync_sound || !rule.sync);
    if (sound) rule.check(elaboration);
  }
  check_params(elaboration.scope);
}

}  // namespace accord
