// Do the parts of a divided sum, added, give what the sum gives, and which sums can be divided?
#include "compiler/mapping/divided_sum.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <random>

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/interpret.h"
#include "archdsl/tensor/parse.h"
#include "compiler/mapping/beyond.h"
#include "tests/draw.h"

using namespace accord;

namespace {

/// Convolutions over rows, with what follows them.
struct SumSizes {
  std::int64_t filters, channels, rows, taps, stride;
};

using Shapes = std::map<std::string, Shape>;

Work work_of(const std::vector<std::string>& statements, const std::map<std::string, ElementType>& types,
             const std::vector<std::pair<std::string, std::int64_t>>& extents, const Shapes& shapes) {
  StatementContext context{types, {}, {}};
  for (const auto& [name, extent] : extents) context.iterator_order.push_back(name);
  const auto parsed = parse_statements(statements, context);
  REQUIRE(std::holds_alternative<TensorProgram>(parsed));
  Work work;
  work.program = std::get<TensorProgram>(parsed);
  for (std::size_t i = 0; i < extents.size(); ++i) work.program.iterators[i].extent = extents[i].second;
  for (const auto& operand : work.program.operands) {
    work.operands.push_back({no_tensor, shapes.at(operand.name), 0, operand.name == "w"});
  }
  work.operator_of.assign(statements.size(), 0);
  work.operators = {0};
  return work;
}

Work convolution(const SumSizes& z, ElementType data, ElementType sum) {
  const std::string to(name(sum));
  return work_of(
      {"y[k, p] = bias[k]", fmt::format("y[k, p] += {0}(x[c, p*{1} + r - 1]) * {0}(w[k, c, r])", to, z.stride),
       fmt::format("z[k, p] = {}(clamp(y[k, p], -100, 100))", name(data))},
      {{"x", data}, {"w", data}, {"y", sum}, {"bias", sum}, {"z", data}},
      {{"k", z.filters}, {"p", z.rows}, {"c", z.channels}, {"r", z.taps}},
      {{"x", {z.channels, (z.rows - 1) * z.stride + z.taps - 2}},
       {"w", {z.filters, z.channels, z.taps}},
       {"bias", {z.filters}},
       {"y", {z.filters, z.rows}},
       {"z", {z.filters, z.rows}}});
}

/// Small whole numbers, which floats add in any order.
DenseTensor seeded(ElementType type, const Shape& shape, std::uint64_t seed) {
  DenseTensor tensor{type, shape, {}, 0};
  std::mt19937_64 engine(seed);
  tensor.data.resize(static_cast<std::size_t>(element_count(shape) * bytes(type)));
  for (std::size_t at = 0; at < tensor.data.size(); at += static_cast<std::size_t>(bytes(type))) {
    store_element(tensor.data.data() + at, type, static_cast<double>(engine() % 15) - 7);
  }
  return tensor;
}

/// The last statement's result; operands of equal names hold equal values, but for those that are given.
DenseTensor result_of(const Work& work, const std::map<int, DenseTensor>& given) {
  std::vector<DenseTensor> operands;
  for (std::size_t o = 0; o < work.operands.size(); ++o) {
    const auto known = given.find(static_cast<int>(o));
    const Operand& operand = work.program.operands[o];
    const std::uint64_t seed = std::hash<std::string>()(operand.name);
    operands.push_back(known != given.end() ? known->second : seeded(operand.type, work.operands[o].shape, seed));
  }
  interpret(work.program, operands);
  return operands[static_cast<std::size_t>(work.program.statements.back().target.operand)];
}

std::vector<std::byte> by_parts(const DividedSum& divided) {
  const DenseTensor sums = result_of(divided.partial, {});
  CHECK(sums.shape == divided.sums.shape);
  CHECK(divided.partial.program.statements.back().target.operand == divided.written);
  return result_of(divided.adding, {{divided.read, sums}}).data;
}

}  // namespace

TEST_CASE("do the parts' sums, added, give the whole sum") {
  test::Draw draw(5);
  int divided = 0, beyond = 0;
  for (int i = 0; i < 60; ++i) {
    const SumSizes sizes = {draw.from(1, 4), draw.from(1, 12), draw.from(1, 4), draw.from(2, 6), draw.from(1, 3)};
    const bool integers = i % 2 == 0;
    const Work work = convolution(sizes, integers ? ElementType::i8 : ElementType::bf16,
                                  integers ? ElementType::i32 : ElementType::fp32);
    const auto expected = result_of(work, {}).data;
    for (const int it : summed_iterators(work, 1)) {
      const Iterator& along = work.program.iterators[static_cast<std::size_t>(it)];
      for (std::int64_t parts = 2; parts <= along.extent; ++parts) {
        if (along.extent % parts != 0 && !adds_nothing_beyond(work, 1, it)) continue;
        CAPTURE(along.name);
        CAPTURE(parts);
        CHECK(by_parts(divide_sum(work, 1, it, parts)) == expected);
        ++divided;
        beyond += along.extent % parts == 0 ? 0 : 1;
      }
    }
  }
  CHECK(divided > 100);
  CHECK(beyond > 100);
}

TEST_CASE("which sums can be divided") {
  const Work work = convolution({2, 3, 2, 5, 1}, ElementType::i8, ElementType::i32);
  CHECK(summed_iterators(work, 0).empty());  // sets
  CHECK(summed_iterators(work, 2).empty());
  const auto found = summed_iterators(work, 1);
  REQUIRE(found.size() == 2);
  CHECK(work.program.iterators[static_cast<std::size_t>(found[0])].name == "r");  // the longest first
  CHECK(work.program.iterators[static_cast<std::size_t>(found[1])].name == "c");

  const Work greatest = work_of({"y[k] max= x[k, c]"}, {{"x", ElementType::i8}, {"y", ElementType::i8}},
                                {{"k", 2}, {"c", 3}}, {{"x", {2, 3}}, {"y", {2}}});
  CHECK(summed_iterators(greatest, 0).empty());

  const Work two = work_of({"e[k, c] = x[k, c] + 1", "y[k] += e[k, c]"},
                           {{"x", ElementType::i8}, {"e", ElementType::i8}, {"y", ElementType::i8}},
                           {{"k", 2}, {"c", 3}}, {{"x", {2, 3}}, {"e", {2, 3}}, {"y", {2}}});
  CHECK(summed_iterators(two, 1).empty());  // of what another statement makes
}

TEST_CASE("does a part that is longer than what is left add nothing") {
  const SumSizes sizes = {2, 3, 4, 5, 1};
  const Work integers = convolution(sizes, ElementType::i8, ElementType::i32);
  const Work floats = convolution(sizes, ElementType::bf16, ElementType::fp32);
  const auto both = summed_iterators(integers, 1);  // r, c
  CHECK(adds_nothing_beyond(integers, 1, both[0]));
  CHECK(adds_nothing_beyond(integers, 1, both[1]));
  CHECK_FALSE(adds_nothing_beyond(floats, 1, both[0]));  // the window's next rows, which may be infinite, times 0
  CHECK(adds_nothing_beyond(floats, 1, both[1]));
  const Work pool = work_of({"y[c] += x[c + r]"}, {{"x", ElementType::i8}, {"y", ElementType::i8}},
                            {{"c", 3}, {"r", 3}}, {{"x", {9}}, {"y", {3}}});
  CHECK_FALSE(adds_nothing_beyond(pool, 0, 1));  // it is data
}

TEST_CASE("by which positions of an operand do parts differ") {
  const Work work = convolution({2, 4, 2, 3, 1}, ElementType::i8, ElementType::i32);
  for (const int it : summed_iterators(work, 1)) {
    const auto cut = cut_of(work, 1, it);
    REQUIRE(cut);
    const bool taps = work.program.iterators[static_cast<std::size_t>(it)].name == "r";
    CHECK(work.program.operands[static_cast<std::size_t>(cut->operand)].name == (taps ? "w" : "x"));
    CHECK(cut->index == (taps ? 2 : 0));
    CHECK(cut->begin == 0);
  }
  const Work pool = work_of({"y[c] += x[c + r]"}, {{"x", ElementType::i8}, {"y", ElementType::i8}},
                            {{"c", 3}, {"r", 3}}, {{"x", {5}}, {"y", {3}}});
  CHECK_FALSE(cut_of(pool, 0, 1));  // windows overlap
}

TEST_CASE("does neither piece keep what the other needs") {
  const Work work = convolution({2, 4, 2, 3, 1}, ElementType::i8, ElementType::i32);
  const DividedSum divided = divide_sum(work, 1, summed_iterators(work, 1)[0], 2);
  CHECK(divided.partial.operands.size() == 3);  // x, w and the sums
  CHECK(divided.adding.operands.size() == 4);   // bias, y, z and the sums
  CHECK(divided.sums.type == ElementType::i32);
  CHECK(divided.sums.shape == Shape{2, 2, 2});
  CHECK(divided.partial.program.statements.size() == 2);
  CHECK(divided.adding.program.statements.size() == 3);
}
