#include "tests/mutation/judge.h"

#include <algorithm>

#include "archdsl/source/error.h"
#include "cli/verifier.h"
#include "simulator/simulate.h"
#include "tests/mutation/order.h"

namespace accord::test {

namespace {

constexpr std::int64_t times_longer = 10, and_cycles = 20'000;

SimulateResult run(const Subject& subject, const Program& program, std::int64_t most_cycles, Values& delivered) {
  SimulateOptions options;
  options.most_cycles = most_cycles;
  options.on_layer = [&](int, const Values& outputs) {
    for (const auto& [name, value] : outputs) delivered[name] = value;
  };
  SimulateResult result = simulate(subject.architecture, program, subject.inputs, options);
  for (const auto& [name, value] : result.outputs) delivered[name] = value;
  return result;
}

Verdict compare(const Subject& subject, const Values& delivered) {
  Verdict verdict{"right", ""};
  for (const auto& [name, value] : subject.delivered) {
    const auto found = delivered.find(name);
    if (found == delivered.end()) return {"mismatch", name + " is never delivered"};
    const TensorVerdict tensor = compare_tensors(found->second, value, default_tolerance(value.type));
    if (!tensor.ok()) return {"mismatch", name + ": " + describe(tensor)};
    if (found->second.data != value.data) verdict = {"rounded", name};
  }
  return verdict;
}

}  // namespace

void run_original(Subject& subject, const Values& expected) {
  const SimulateResult result = run(subject, subject.program, SimulateOptions{}.most_cycles, subject.delivered);
  subject.cycles = result.total_cycles;
  const std::string who = subject.network + " on " + subject.machine;
  for (const Hazard& hazard : result.hazards) throw Error(who + ": " + hazard.kind + ": " + hazard.message);
  if (const auto pair = unordered_pair(subject.architecture, subject.program)) throw Error(who + ": " + *pair);
  for (const auto& [name, value] : expected) {
    const TensorVerdict verdict = compare_tensors(subject.delivered.at(name), value, default_tolerance(value.type));
    if (!verdict.ok()) throw Error(who + ": " + name + ": " + describe(verdict));
  }
}

Verdict judge(const Subject& subject, const Program& mutant) {
  Values delivered;
  SimulateResult result;
  try {
    result = run(subject, mutant, times_longer * subject.cycles + and_cycles, delivered);
  } catch (const Error& error) {
    return {"rejected", error.what()};
  }
  if (!result.hazards.empty()) {
    const bool only_races = std::ranges::all_of(result.hazards, [](const Hazard& h) { return h.kind == "race"; });
    const bool unfounded = only_races && !unordered_pair(subject.architecture, mutant);
    return {unfounded ? "false_race" : result.hazards.front().kind, result.hazards.front().message};
  }
  if (!result.broken_invariants.empty()) return {"invariant", result.broken_invariants.front()};
  Verdict verdict = compare(subject, delivered);
  if (verdict.outcome == "mismatch") return verdict;
  if (const auto pair = unordered_pair(subject.architecture, mutant)) return {"silent", *pair};
  return verdict;
}

}  // namespace accord::test
