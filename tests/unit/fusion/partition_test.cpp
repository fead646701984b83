#include "compiler/fusion/partition.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace accord;

namespace {

constexpr std::int64_t rows = 16, columns = 32;

/// y[p,c] = x[p,c]
Work copy_of(TensorId x, TensorId y) {
  Work work;
  work.program.iterators = {{"p", rows}, {"c", columns}};
  work.program.operands = {{"y", ElementType::i8, 2}, {"x", ElementType::i8, 2}};
  const std::vector<AffineIndex> here = {{{{0, 1}}, 0}, {{{1, 1}}, 0}};
  Statement statement;
  statement.target = {0, here};
  statement.accesses = {{1, here}};
  auto value = std::make_shared<Expr>();
  value->op = ExprOp::access;
  value->access = 0;
  statement.value = value;
  work.program.statements = {statement};
  work.operands = {{y, {rows, columns}, 0, false}, {x, {rows, columns}, 0, false}};
  return work;
}

/// Four layers, each of which copies what the one before made, on a machine whose one memory holds all of it.
struct FourCopies {
  FourCopies() {
    architecture.memories.resize(1);
    architecture.memories[0].capacity = 1 << 20;
    for (TensorId t = 0; t <= 4; ++t) {
      network.tensors.emplace_back();
      network.tensors.back().shape = {rows, columns};
      network.tensors.back().type = ElementType::i8;
      if (t > 0) works.push_back(copy_of(t - 1, t));
    }
    homes = initial_homes(network);
    problem.keepers.assign(5, {0, 1});
    for (int l = 0; l < 4; ++l) {
      LayerFacts facts;
      facts.work = &works[l];
      facts.assignments = &assignments;
      facts.result = l + 1;
      facts.last_reader = l + 1;
      facts.alone_cycles = facts.cycles = facts.inner_cycles = 1000;
      facts.traffic.tensors = {{l, 512}, {l + 1, 512}};
      facts.alone_bytes = facts.traffic.total();
      problem.layers.push_back(facts);
    }
  }

  Architecture architecture;
  Network network;
  Homes homes;
  std::vector<Work> works;
  std::vector<Mapping> assignments = std::vector<Mapping>(1);
  FusionProblem problem{architecture, network, homes, {}, {}};
};

bool keeps_between(const std::vector<Chain>& chains, int producer, int reader) {
  return std::ranges::any_of(chains, [&](const Chain& c) { return c.first <= producer && reader <= c.last; });
}

}  // namespace

TEST_CASE("is what a layer cannot do refused for all chains that ask it") {
  const FourCopies copies;
  Partitioner partitioner(copies.problem);
  const auto promised = partitioner.chains();
  REQUIRE(promised.size() == 1);
  CHECK(promised.front().first == 0);
  CHECK(promised.front().last == 3);

  partitioner.learn(promised.front(), 2, std::numeric_limits<double>::infinity(), 1);
  const auto left = partitioner.chains();
  CHECK(!left.empty());
  for (const Chain& chain : left) CHECK(!(chain.first <= 1 && chain.last >= 3));
}

TEST_CASE("does a layer that takes longer with its result on chip begin no chain") {
  const FourCopies copies;
  Partitioner partitioner(copies.problem);
  const auto promised = partitioner.chains();
  REQUIRE(promised.size() == 1);

  partitioner.learn(promised.front(), 0, 30000, 0.5);  // half of its rows
  const auto left = partitioner.chains();
  CHECK(!keeps_between(left, 0, 1));
  CHECK(keeps_between(left, 1, 3));
}

TEST_CASE("does what a few strips take say nothing of fewer") {
  const FourCopies copies;
  Partitioner partitioner(copies.problem);
  const double promised = partitioner.saving(partitioner.chains().front());
  Chain strips = partitioner.chains().front();
  strips.asked = 4;
  CHECK(partitioner.saving(strips) == doctest::Approx(promised));
  strips.ranges.resize(4, strips.ranges.front());
  partitioner.learn(strips, 1, 2000, 1);
  CHECK(partitioner.saving(strips) < promised);
  CHECK(partitioner.saving(partitioner.chains().front()) == doctest::Approx(promised));
}
