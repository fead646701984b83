// Is a compiled program that something changed told from the right one?
#include <doctest/doctest.h>

#include <map>

#include "tests/environment.h"
#include "tests/mutation/subjects.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t network_seed = 5;

/// ACCORD_MUTANTS asks for more; `accord_mutants` (bench/) runs many, each in a process of its own.
int mutants_of_each() { return static_cast<int>(asked("ACCORD_MUTANTS", 40)); }

/// Of the n-th machine's mutants.
std::uint64_t first_seed_of(std::size_t n) { return 100'000 * n + first_seed(); }

struct Tally {
  int all = 0;
  int reported = 0;
};

/// On the n-th machine, with every third network, from the n-th on.
std::map<Mutation, Tally> judge_some(const std::string& machine, std::size_t n) {
  std::map<Mutation, Tally> tallies;
  const std::vector<Subject> subjects = subjects_of(machine, network_seed, n, 3);
  REQUIRE(!subjects.empty());
  std::vector<Mutator> mutators;
  for (const Subject& subject : subjects) mutators.emplace_back(subject.architecture, subject.program);
  for (int i = 0; i < mutants_of_each(); ++i) {
    const std::uint64_t seed = first_seed_of(n) + static_cast<std::uint64_t>(i);
    CAPTURE(seed);
    Draw draw(seed);
    const auto s = static_cast<std::size_t>(draw.from(0, static_cast<std::int64_t>(subjects.size()) - 1));
    const Mutant mutant = mutators[s].draw_any(draw);
    const Verdict verdict = judge(subjects[s], mutant.program);
    CHECK_MESSAGE(!verdict.defect(), machine, ", ", subjects[s].network, ", ", name(mutant.mutation), ": ", mutant.what,
                  "; ", verdict.detail);
    Tally& tally = tallies[mutant.mutation];
    ++tally.all;
    if (verdict.outcome != "right" && verdict.outcome != "rounded") ++tally.reported;
  }
  return tallies;
}

}  // namespace

TEST_CASE("is a changed program right, or is something reported") {
  std::map<Mutation, Tally> tallies;
  std::size_t n = 0;
  for (const std::string& machine : mutation_machines()) {
    for (const auto& [mutation, tally] : judge_some(machine, n++)) {
      tallies[mutation].all += tally.all;
      tallies[mutation].reported += tally.reported;
    }
  }
  for (const Mutation mutation : all_mutations()) {
    CHECK_MESSAGE(tallies[mutation].all > 0, name(mutation));
    CHECK_MESSAGE(tallies[mutation].reported > 0, name(mutation));
  }
}
