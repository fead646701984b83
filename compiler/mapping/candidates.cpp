#include "compiler/mapping/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace accord {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

/// Index positions of the capability's operand in which the dim occurs.
const Access* pattern_access(const Capability& capability, int operand) {
  const Statement& pattern = capability.program.statements.back();
  if (pattern.target.operand == operand) return &pattern.target;
  for (const auto& access : pattern.accesses) {
    if (access.operand == operand) return &access;
  }
  return nullptr;
}

/// Iterators that may count dim `d`: they occur in exactly those operands in which the dim does.
/// A constant may be repeated along a dim that its access knows nothing of.
bool may_count(const Work& work, const Capability& capability, const Match& match, int d, int iterator) {
  for (std::size_t o = 0; o < match.operands.size(); ++o) {
    if (capability.operands[o].memory < 0 || match.operands[o].kind != OperandMatch::Kind::access) continue;
    const Access* pattern = pattern_access(capability, static_cast<int>(o));
    if (pattern == nullptr) return false;
    const bool there = depends(*pattern, d);
    const bool here = depends(match.operands[o].access, iterator);
    if (there != here && !(there && work.operands[match.operands[o].access.operand].constant)) return false;
  }
  return true;
}

/// Statements of the work in roles: an optional start, the main one, element-wise ones after it.
struct Roles {
  int start = -1;
  int main = 0;
  std::vector<int> after;
};

std::optional<double> constant_value(const Expr& expr) {
  if (expr.op == ExprOp::constant) return expr.value;
  if (expr.op == ExprOp::cast) return constant_value(*expr.args[0]);
  if (expr.op == ExprOp::neg) {
    if (const auto value = constant_value(*expr.args[0])) return -*value;
  }
  return std::nullopt;
}

std::optional<Roles> roles_of(const Work& work) {
  const auto& statements = work.program.statements;
  Roles roles;
  if (statements.size() > 1 && statements[0].reduction == Reduction::assign &&
      statements[0].target == statements[1].target && statements[1].reduction != Reduction::assign) {
    const Expr& value = *statements[0].value;
    if (!constant_value(value) && value.op != ExprOp::access) return std::nullopt;
    roles.start = 0;
    roles.main = 1;
  }
  for (int i = roles.main + 1; i < static_cast<int>(statements.size()); ++i) roles.after.push_back(i);
  return roles;
}

/// Orders a chain from the greatest to the least step in the layer's activations, so that fused iterators follow
/// memory.
void order_chain(const Work& work, const Homes& homes, const Match& match, std::vector<int>& chain) {
  auto key = [&](int iterator) {
    std::int64_t step = 0;
    for (const auto& operand : match.operands) {
      if (operand.kind != OperandMatch::Kind::access) continue;
      const TensorId tensor = work.operands[operand.access.operand].tensor;
      for (std::size_t m = 0; m < operand.access.indices.size(); ++m) {
        for (const auto& [it, coefficient] : operand.access.indices[m].terms) {
          const std::int64_t stride = tensor == no_tensor ? 1 : homes[tensor].strides[m];
          if (it == iterator) step = std::max(step, coefficient * stride);
        }
      }
      if (step > 0) break;
    }
    return step;
  };
  std::stable_sort(chain.begin(), chain.end(), [&](int a, int b) { return key(a) > key(b); });
}

class Enumerator {
 public:
  Enumerator(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
             std::vector<std::string>& reasons)
      : machine_(machine), network_(network), work_(work), homes_(homes), reasons_(reasons) {}

  std::vector<Mapping> run();

 private:
  void visit_main(const Match& match);
  void assign(const Match& match, std::size_t iterator, std::vector<std::vector<int>>& chains);
  void complete(const Match& match, std::vector<std::vector<int>> chains);
  bool add_after(Mapping& mapping, int statement);
  bool keeps_layout(const Mapping& mapping, const StatementPlan& plan) const;
  bool add_uses(Mapping& mapping);
  bool add_use(Mapping& mapping, int step, int operand);
  void repeat_along_dims(const StatementPlan& plan, int operand, Access& access) const;
  bool add_start(Mapping& mapping);
  bool route_use(Use& use);
  int accumulator_depth(int memory) const;
  std::vector<std::vector<int>> follow(const Mapping& mapping, const Match& match) const;
  bool pad_extents(Mapping& mapping) const;
  void reason(const std::string& text) { seen_.insert(text); }
  const Statement& statement(int index) const { return work_.program.statements[index]; }

  const Machine& machine_;
  const Network& network_;
  const Work& work_;
  const Homes& homes_;
  std::vector<std::string>& reasons_;
  Roles roles_;
  std::set<std::string> seen_;
  std::vector<Mapping> found_;
};

/// Chains of an element-wise step: its dims count what the accumulator's layout counts for the main step's dims.
std::vector<std::vector<int>> Enumerator::follow(const Mapping& mapping, const Match& match) const {
  const Capability& capability = machine_.capability(match);
  const StatementPlan& main = mapping.steps[0];
  const Capability& main_capability = machine_.capability(main.match);
  std::vector<std::vector<int>> chains(capability.dims.size());
  std::vector<bool> taken(main.chains.size(), false);
  auto accepts = [&](std::size_t d, const std::vector<int>& chain) {
    return !chain.empty() && std::all_of(chain.begin(), chain.end(), [&](int it) {
      return may_count(work_, capability, match, static_cast<int>(d), it);
    });
  };
  const Access* target = pattern_access(main_capability, main_capability.program.statements.back().target.operand);
  for (std::size_t position = target->indices.size(); position-- > 0;) {
    for (const auto& term : target->indices[position].terms) {
      const auto& chain = main.chains[term.first];
      for (std::size_t d = capability.dims.size(); d-- > 0;) {
        if (chains[d].empty() && !taken[term.first] && accepts(d, chain)) {
          chains[d] = chain;
          taken[term.first] = true;
        }
      }
    }
  }
  // Output iterators that the main step loops over may still fill a dim that is left.
  for (std::size_t d = 0; d < capability.dims.size(); ++d) {
    if (!chains[d].empty()) continue;
    for (std::size_t it = 0; it < work_.program.iterators.size(); ++it) {
      const std::vector<int> chain = {static_cast<int>(it)};
      const bool used = std::any_of(main.chains.begin(), main.chains.end(), [&](const auto& c) {
        return std::find(c.begin(), c.end(), static_cast<int>(it)) != c.end();
      });
      const bool used_here = std::any_of(chains.begin(), chains.end(), [&](const auto& c) {
        return std::find(c.begin(), c.end(), static_cast<int>(it)) != c.end();
      });
      if (!used && !used_here && work_.program.iterators[it].extent > 1 &&
          depends(statement(roles_.main).target, static_cast<int>(it)) && accepts(d, chain)) {
        chains[d] = chain;
      }
    }
  }
  return chains;
}

/// How far from off-chip memory the accumulator lies.
int Enumerator::accumulator_depth(int memory) const {
  const auto& memories = machine_.architecture.memories;
  std::size_t depth = SIZE_MAX;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (!memories[m].off_chip) continue;
    for (const auto& path :
         {machine_.graph.path(static_cast<int>(m), memory), machine_.graph.path(memory, static_cast<int>(m))}) {
      if (!path.empty()) depth = std::min(depth, path.size());
    }
  }
  return depth == SIZE_MAX ? 1 : static_cast<int>(depth);
}

/// The shortest way between off-chip memory and the capability's memory, in the data's direction.
bool Enumerator::route_use(Use& use) {
  const auto& memories = machine_.architecture.memories;
  if (memories[use.memory].off_chip) {
    use.home = use.memory;
    return true;
  }
  if (use.role == UseRole::accumulator) return true;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (!memories[m].off_chip) continue;
    const int home = static_cast<int>(m);
    const bool output = use.role == UseRole::output;
    const auto path = output ? machine_.graph.path(use.memory, home) : machine_.graph.path(home, use.memory);
    const bool driven = std::all_of(path.begin(), path.end(), [&](const Hop& hop) {
      return machine_.limits.route(hop.unit, hop.route) != nullptr;
    });
    if (path.empty() || !driven) continue;
    use.home = home;
    use.hops = path;
    use.depth = static_cast<int>(path.size());
    return true;
  }
  reason(fmt::format("no way between off-chip memory and {}", memories[use.memory].name));
  return false;
}

/// Indices beyond the constant's own make its tile repeat along the dims that the capability steps it through.
void Enumerator::repeat_along_dims(const StatementPlan& plan, int operand, Access& access) const {
  const Access* pattern = pattern_access(machine_.capability(plan.match), operand);
  for (std::size_t d = 0; d < plan.chains.size(); ++d) {
    if (!depends(*pattern, static_cast<int>(d))) continue;
    for (const int it : plan.chains[d]) {
      if (!depends(access, it)) access.indices.push_back({{{it, 1}}, 0});
    }
  }
}

bool Enumerator::add_use(Mapping& mapping, int step, int operand) {
  const StatementPlan& plan = mapping.steps[step];
  const Capability& capability = machine_.capability(plan.match);
  const OperandMatch& match = plan.match.operands[operand];
  Use use;
  use.step = step;
  use.operand = operand;
  use.type = capability.program.operands[operand].type;
  use.memory = capability.operands[operand].memory;
  if (match.kind == OperandMatch::Kind::constant) {
    use.filled = true;
    use.fill = match.constant;
    use.role = UseRole::input;
  } else {
    use.access = match.access;
    if (work_.operands[match.access.operand].constant) repeat_along_dims(plan, operand, use.access);
    const Statement& main = statement(roles_.main);
    const Statement& last = work_.program.statements.back();
    const bool is_accumulator = match.access.operand == main.target.operand && !roles_.after.empty() &&
                                last.target.operand != main.target.operand;
    const bool is_target = pattern_access(capability, operand) == &capability.program.statements.back().target;
    use.role = is_accumulator ? UseRole::accumulator : is_target ? UseRole::output : UseRole::input;
    if (!is_target && !is_accumulator && match.access.operand == main.target.operand) use.role = UseRole::accumulator;
  }
  if (use.role == UseRole::accumulator) {
    const bool off_chip = machine_.architecture.memories[use.memory].off_chip;
    if (off_chip || (!mapping.uses.empty() && std::any_of(mapping.uses.begin(), mapping.uses.end(), [&](const Use& u) {
          return u.role == UseRole::accumulator && u.memory != use.memory;
        }))) {
      reason("the statements' capabilities keep the intermediate result in different memories");
      return false;
    }
    use.depth = accumulator_depth(use.memory);
  } else if (!route_use(use)) {
    return false;
  }
  mapping.uses.push_back(std::move(use));
  return true;
}

/// Initial values: a constant along the accumulator's lanes.
bool Enumerator::add_start(Mapping& mapping) {
  if (roles_.start < 0 || mapping.steps[0].match.initialises) return true;
  const Statement& start = statement(roles_.start);
  const StatementPlan& main = mapping.steps[0];
  const Capability& capability = machine_.capability(main.match);
  Use use;
  use.role = UseRole::start;
  use.step = 0;
  use.operand = capability.program.statements.back().target.operand;
  use.type = capability.program.operands[use.operand].type;
  use.memory = capability.operands[use.operand].memory;
  if (const auto value = constant_value(*start.value)) {
    use.filled = true;
    use.fill = *value;
    const Access* target = pattern_access(capability, use.operand);
    for (const auto& index : target->indices) {
      for (const auto& term : index.terms) {
        const auto& step = capability.operands[use.operand].steps[&index - target->indices.data()];
        if (step.kind != Step::Kind::fixed || step.bytes >= machine_.architecture.memories[use.memory].word) continue;
        for (const int it : main.chains[term.first]) use.access.indices.push_back({{{it, 1}}, 0});
      }
    }
  } else {
    use.access = start.accesses.at(0);
    const TensorId tensor = work_.operands[use.access.operand].tensor;
    if (tensor == no_tensor || !network_.tensors[tensor].is_constant()) {
      reason("initial values are not constant");
      return false;
    }
  }
  if (machine_.architecture.memories[use.memory].off_chip) {
    reason(fmt::format("{} accumulates in off-chip memory, which holds no initial values", capability.name));
    return false;
  }
  if (!route_use(use)) return false;
  mapping.uses.push_back(std::move(use));
  return true;
}

bool Enumerator::add_uses(Mapping& mapping) {
  for (std::size_t s = 0; s < mapping.steps.size(); ++s) {
    const Capability& capability = machine_.capability(mapping.steps[s].match);
    for (std::size_t o = 0; o < capability.operands.size(); ++o) {
      if (capability.operands[o].memory < 0) continue;
      if (!add_use(mapping, static_cast<int>(s), static_cast<int>(o))) return false;
    }
  }
  return add_start(mapping);
}

/// Where the step's capability is wired to the accumulator, it must step as the main one's wires laid it out.
bool Enumerator::keeps_layout(const Mapping& mapping, const StatementPlan& plan) const {
  const StatementPlan& main = mapping.steps[0];
  const Capability& main_capability = machine_.capability(main.match);
  const int target = main_capability.program.statements.back().target.operand;
  const Access& laid = *pattern_access(main_capability, target);
  auto laid_with = [&](const std::vector<int>& chain, std::int64_t bytes) {
    for (std::size_t p = 0; p < laid.indices.size(); ++p) {
      for (const auto& [dim, coefficient] : laid.indices[p].terms) {
        const Step& step = main_capability.operands[target].steps[p];
        const bool wired = step.kind == Step::Kind::fixed;
        if (main.chains[dim] == chain && wired && step.bytes * coefficient == bytes) return true;
      }
    }
    return false;
  };
  const Capability& capability = machine_.capability(plan.match);
  for (std::size_t o = 0; o < capability.operands.size(); ++o) {
    const OperandMatch& match = plan.match.operands[o];
    const bool accumulator = capability.operands[o].memory >= 0 && match.kind == OperandMatch::Kind::access &&
                             match.access.operand == statement(roles_.main).target.operand;
    if (!accumulator) continue;
    const Access& pattern = *pattern_access(capability, static_cast<int>(o));
    for (std::size_t p = 0; p < pattern.indices.size(); ++p) {
      const Step& step = capability.operands[o].steps[p];
      if (step.kind == Step::Kind::free) continue;
      for (const auto& [dim, coefficient] : pattern.indices[p].terms) {
        if (!plan.chains[dim].empty() && !laid_with(plan.chains[dim], step.bytes * coefficient)) return false;
      }
    }
  }
  return true;
}

/// An element-wise statement after the main one: the quickest capability whose dims follow the accumulator.
bool Enumerator::add_after(Mapping& mapping, int index) {
  std::vector<Rejection> rejections;
  const auto matches = match_statement(machine_.architecture, work_, index, &rejections);
  std::vector<std::int64_t> extent;
  for (const auto& it : work_.program.iterators) extent.push_back(it.extent);
  std::optional<StatementPlan> best;
  std::int64_t least = INT64_MAX;
  for (const auto& match : matches) {
    if (match.initialises || machine_.limits.run(match.unit, match.capability) == nullptr) continue;
    StatementPlan plan{index, match, follow(mapping, match)};
    const std::int64_t cycles = step_bound(machine_, plan, extent);
    if (cycles >= least || !keeps_layout(mapping, plan)) continue;
    least = cycles;
    best = std::move(plan);
  }
  if (best) {
    mapping.steps.push_back(std::move(*best));
    return true;
  }
  std::string why;
  for (const auto& r : rejections) why += fmt::format("{}{} {}", why.empty() ? "" : "; ", r.capability, r.reason);
  reason(
      fmt::format("no capability does \"{}\" ({})", work_.program.operands[statement(index).target.operand].name, why));
  return false;
}

bool Enumerator::pad_extents(Mapping& mapping) const {
  mapping.extent.clear();
  for (const auto& it : work_.program.iterators) mapping.extent.push_back(it.extent);
  for (const auto& step : mapping.steps) {
    const Capability& capability = machine_.capability(step.match);
    for (std::size_t d = 0; d < step.chains.size(); ++d) {
      const CapabilityDim& dim = capability.dims[d];
      const std::int64_t unit = std::max(dim.multiple, dim.minimum);
      if (unit == 1) continue;
      if (step.chains[d].empty()) return false;
      std::int64_t& inner = mapping.extent[step.chains[d].back()];
      inner = round_up(inner, unit);
    }
  }
  return true;
}

void Enumerator::complete(const Match& match, std::vector<std::vector<int>> chains) {
  for (auto& chain : chains) order_chain(work_, homes_, match, chain);
  Mapping mapping;
  mapping.steps.push_back({roles_.main, match, std::move(chains)});
  mapping.reduces_at_once = match.initialises;
  for (const int index : roles_.after) {
    if (!add_after(mapping, index)) return;
  }
  if (!pad_extents(mapping) || !add_uses(mapping)) return;
  for (const auto& use : mapping.uses) mapping.levels = std::max(mapping.levels, use.depth);
  bool windows = false;
  for (auto& use : mapping.uses) {
    use.windowed = use.role == UseRole::input && !use.filled &&
                   std::any_of(use.access.indices.begin(), use.access.indices.end(),
                               [](const AffineIndex& index) { return index.terms.size() > 1; });
    windows = windows || use.windowed;
  }
  found_.push_back(mapping);
  if (!windows) return;
  for (auto& use : mapping.uses) use.windowed = false;
  found_.push_back(std::move(mapping));
}

/// Gives each iterator in turn to every dim that may count it, or to none.
void Enumerator::assign(const Match& match, std::size_t iterator, std::vector<std::vector<int>>& chains) {
  if (found_.size() > 4096) return;
  if (iterator == work_.program.iterators.size()) {
    complete(match, chains);
    return;
  }
  const int it = static_cast<int>(iterator);
  const Statement& main = statement(roles_.main);
  const auto occurring = iterators_of(main);
  const bool occurs = std::find(occurring.begin(), occurring.end(), it) != occurring.end();
  if (occurs && work_.program.iterators[iterator].extent > 1) {
    const Capability& capability = machine_.capability(match);
    for (std::size_t d = 0; d < chains.size(); ++d) {
      if (!may_count(work_, capability, match, static_cast<int>(d), it)) continue;
      chains[d].push_back(it);
      assign(match, iterator + 1, chains);
      chains[d].pop_back();
    }
  }
  assign(match, iterator + 1, chains);
}

/// A capability that initialises must see the whole reduction in one instruction, and set what the work starts with.
bool start_agrees(const Work& work, const Roles& roles, const Match& match) {
  if (!match.initialises) return true;
  if (roles.start < 0) return false;
  const auto value = constant_value(*work.program.statements[roles.start].value);
  const ElementType type = work.program.operands[work.program.statements[roles.start].target.operand].type;
  return value && std::max(*value, lowest(type)) == std::max(match.initial, lowest(type));
}

void Enumerator::visit_main(const Match& match) {
  const Capability& capability = machine_.capability(match);
  const std::string label = machine_.architecture.units[match.unit].name + "." + capability.name;
  if (machine_.limits.run(match.unit, match.capability) == nullptr) {
    reason(label + " has no instruction");
    return;
  }
  if (!start_agrees(work_, roles_, match)) {
    reason(label + " sets its target to another value");
    return;
  }
  std::vector<std::vector<int>> chains(capability.dims.size());
  assign(match, 0, chains);
}

std::vector<Mapping> Enumerator::run() {
  const auto roles = roles_of(work_);
  if (!roles) {
    reasons_.push_back("is a sequence of statements that no unit keeps on chip");
    return {};
  }
  roles_ = *roles;
  std::vector<Rejection> rejections;
  const auto matches = match_statement(machine_.architecture, work_, roles_.main, &rejections);
  for (const auto& match : matches) visit_main(match);
  if (matches.empty()) {
    for (const auto& r : rejections) reason(r.capability + " " + r.reason);
  }
  reasons_.assign(seen_.begin(), seen_.end());
  std::stable_sort(found_.begin(), found_.end(), [&](const Mapping& a, const Mapping& b) {
    return compute_bound(machine_, a) < compute_bound(machine_, b);
  });
  return std::move(found_);
}

}  // namespace

namespace {

/// Least cycles of a dim's chunks over `extent`: whole chunks and what remains.
std::int64_t chunk_cycles(const Capability& capability, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> values = sizes;
  for (const auto& operand : capability.operands) {
    if (operand.held) values.push_back(0);
  }
  return std::max<std::int64_t>(capability.interval.evaluate(values), 1);
}

/// Cycles that the off-chip bytes of a mover's operands need beside its instructions.
std::int64_t moved_cycles(const Machine& machine, const Mapping& mapping) {
  const StatementPlan& main = mapping.steps[0];
  const Unit& unit = machine.architecture.units[main.match.unit];
  if (unit.kind != UnitKind::mover || unit.routes.empty() || unit.routes[0].link < 0) return 0;
  std::int64_t most = 0;
  for (const auto& use : mapping.uses) {
    if (use.step != 0 || use.depth != 0) continue;
    std::int64_t points = bytes(use.type);
    for (std::size_t it = 0; it < mapping.extent.size(); ++it) {
      if (depends(use.access, static_cast<int>(it))) points *= mapping.extent[it];
    }
    most = std::max(most, points / machine.architecture.links[unit.routes[0].link].width);
  }
  return most;
}

}  // namespace

std::int64_t step_bound(const Machine& machine, const StatementPlan& main, const std::vector<std::int64_t>& extents) {
  const Capability& capability = machine.capability(main.match);
  const RunLimits& limits = *machine.limits.run(main.match.unit, main.match.capability);
  const std::size_t dims = main.chains.size();
  std::vector<std::int64_t> extent(dims, 1);
  std::int64_t looped = 1;
  for (std::size_t it = 0; it < extents.size(); ++it) {
    const auto& operands = main.match.operands;
    const bool occurs = std::any_of(operands.begin(), operands.end(), [&](const OperandMatch& operand) {
      return operand.kind == OperandMatch::Kind::access && depends(operand.access, static_cast<int>(it));
    });
    if (occurs) looped *= extents[it];
  }
  for (std::size_t d = 0; d < dims; ++d) {
    for (const int it : main.chains[d]) extent[d] *= extents[it];
    looped /= extent[d];
  }
  std::int64_t total = 0;
  std::vector<std::int64_t> sizes(dims);
  for (std::size_t c = 0; c < std::size_t{1} << dims; ++c) {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < dims && count > 0; ++d) {
      const std::int64_t maximum = std::max<std::int64_t>(limits.dims[d].maximum, 1);
      const bool rest = (c >> d & 1) != 0;
      sizes[d] = rest ? extent[d] % maximum : maximum;
      count *= rest ? (sizes[d] > 0 ? 1 : 0) : extent[d] / maximum;
    }
    if (count > 0) total += count * chunk_cycles(capability, sizes);
  }
  return total * looped;
}

std::int64_t compute_bound(const Machine& machine, const Mapping& mapping) {
  return std::max(step_bound(machine, mapping.steps[0], mapping.extent), moved_cycles(machine, mapping));
}

std::vector<Mapping> candidates(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
                                std::vector<std::string>& reasons) {
  return Enumerator(machine, network, work, homes, reasons).run();
}

}  // namespace accord
