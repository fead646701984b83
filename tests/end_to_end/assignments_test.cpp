// Does the enumeration find every legal assignment of iterators to dims?
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "compiler/mapping/agreement.h"
#include "compiler/mapping/candidates.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_statements.h"

using namespace accord;
using namespace accord::test;

namespace {

using Chains = std::vector<std::vector<int>>;

Chains sorted(Chains chains) {
  for (auto& chain : chains) std::sort(chain.begin(), chain.end());
  return chains;
}

/// A dim that moves an operand along which the work's does not: the element would have to lie on chip several times.
/// Only constants are written so.
bool needs_copies(const Work& work, const Capability& capability, const Match& match, const Chains& chains) {
  for (std::size_t o = 0; o < match.operands.size(); ++o) {
    if (match.operands[o].kind != OperandMatch::Kind::access) continue;
    if (work.operands[match.operands[o].access.operand].constant) continue;
    for (std::size_t d = 0; d < chains.size(); ++d) {
      if (!depends(access_of(capability, static_cast<int>(o)), static_cast<int>(d))) continue;
      for (const int it : chains[d]) {
        if (!depends(match.operands[o].access, it)) return true;
      }
    }
  }
  return false;
}

/// Whether one instruction counts all that the statement reduces over.
bool reduces_in_one(const Work& work, const Capability& capability, const Chains& chains, int statement) {
  const Statement& reduced = work.program.statements[statement];
  std::set<int> left;
  for (const int it : iterators_of(reduced)) {
    if (work.program.iterators[it].extent > 1 && !depends(reduced.target, it)) left.insert(it);
  }
  for (std::size_t d = 0; d < chains.size(); ++d) {
    std::int64_t count = 1;
    for (const int it : chains[d]) count *= left.erase(it) > 0 ? work.program.iterators[it].extent : 1;
    if (count > capability.dims[d].maximum) return false;
  }
  return left.empty();
}

/// Every function from the statement's iterators to dims or none, kept where the access functions agree point by point.
std::set<Chains> by_force(const Work& work, const Capability& capability, const Match& match, int statement) {
  std::vector<int> iterators;
  std::vector<std::int64_t> extent;
  for (const auto& it : work.program.iterators) extent.push_back(it.extent);
  for (const int it : iterators_of(work.program.statements[statement])) {
    if (extent[it] > 1) iterators.push_back(it);
  }
  const std::size_t choices = capability.dims.size() + 1;
  std::set<Chains> legal;
  std::vector<std::size_t> choice(iterators.size(), 0);
  for (;;) {
    Chains chains(capability.dims.size());
    for (std::size_t i = 0; i < iterators.size(); ++i) {
      if (choice[i] > 0) chains[choice[i] - 1].push_back(iterators[i]);
    }
    const bool agrees = disagreement(work, capability, match, chains, extent).empty();
    const bool whole = !match.initialises || reduces_in_one(work, capability, chains, statement);
    if (agrees && whole && !needs_copies(work, capability, match, chains)) legal.insert(chains);
    std::size_t i = 0;
    while (i < choice.size() && ++choice[i] == choices) choice[i++] = 0;
    if (i == choice.size()) return legal;
  }
}

}  // namespace

TEST_CASE("does the enumeration find every assignment whose access functions agree, and no other") {
  std::size_t compared = 0, assignments = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const auto loaded = load_text(random_tensor_machine(seed));
    REQUIRE(loaded.architecture);
    const Machine machine(*loaded.architecture);
    const RandomWork random = random_tensor_work(seed, seed);
    const auto& statements = random.work.program.statements;
    const int main = statements.size() > 1 ? 1 : 0;
    const auto matches = match_statement(*loaded.architecture, random.work, main);
    REQUIRE(!matches.empty());
    const Capability& capability = machine.capability(matches[0]);
    bool any_extent = statements.size() < 3;  // what follows, and multiples, refuse further assignments
    for (const auto& dim : capability.dims) any_extent = any_extent && dim.multiple == 1 && dim.minimum == 1;
    if (!any_extent) continue;
    CAPTURE(seed);
    CAPTURE(random.what);
    std::vector<std::string> reasons;
    std::map<int, std::set<Chains>> found;  // by the way in which the capability matches
    for (const auto& mapping :
         candidates(machine, random.network, random.work, initial_homes(random.network), reasons)) {
      if (mapping.form == nullptr) found[main_way(mapping)].insert(sorted(mapping.steps[0].chains));
    }
    for (const Match& match : matches) {
      CAPTURE(match.way);
      CHECK(found[match.way] == by_force(random.work, capability, match, main));
      assignments += found[match.way].size();
    }
    ++compared;
  }
  MESSAGE(compared, " works, ", assignments, " assignments");
  CHECK(compared > 50);
  CHECK(assignments > 5 * compared);
}
