#include "compiler/fusion/slice.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "archdsl/tensor/parse.h"

using namespace accord;

namespace {

/// y[p] += x[stride * p + dilation * r - pad], `rows` of x.
Work window(std::int64_t rows, std::int64_t outputs, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
            std::int64_t pad) {
  Work work;
  work.program.iterators = {{"p", outputs}, {"r", kernel}};
  work.program.operands = {{"y", ElementType::i32, 1}, {"x", ElementType::i32, 1}};
  Statement statement;
  statement.target = {0, {{{{0, 1}}, 0}}};
  statement.reduction = Reduction::add;
  statement.accesses = {{1, {{{{0, stride}, {1, dilation}}, -pad}}}};
  auto value = std::make_shared<Expr>();
  value->op = ExprOp::access;
  value->access = 0;
  statement.value = value;
  work.program.statements = {statement};
  work.operands = {{1, {outputs}, 0, false}, {0, {rows}, 0, false}};
  return work;
}

}  // namespace

TEST_CASE("rows that a strip reads are those that its points touch") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const std::int64_t stride = draw(1, 3), dilation = draw(1, 2), kernel = draw(1, 5);
    const std::int64_t pad = draw(0, dilation * (kernel - 1)), rows = draw(dilation * (kernel - 1) + 1, 30);
    const std::int64_t outputs = (rows + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
    const Work work = window(rows, outputs, kernel, stride, dilation, pad);
    REQUIRE(result_iterator(work, 0) == 0);
    const std::int64_t first = draw(0, outputs - 1);
    const Positions strip{first, draw(first + 1, outputs)};
    std::int64_t low = rows, high = -1;
    for (std::int64_t p = strip.first; p < strip.last; ++p) {
      for (std::int64_t r = 0; r < kernel; ++r) {
        const std::int64_t row = stride * p + dilation * r - pad;
        if (row < 0 || row >= rows) continue;
        low = std::min(low, row);
        high = std::max(high, row);
      }
    }
    const Positions read = positions_read(work, 0, 0, 0, strip);
    if (high < 0) {
      CHECK(read.size() <= 0);
    } else {
      CHECK(read.first <= low);
      CHECK(read.last >= high + 1);
      CHECK(read.size() - (high + 1 - low) < 2 * std::max(stride, dilation));  // holes between taps, at both ends
    }
  }
}

TEST_CASE("a slice counts from the beginning of its stretches") {
  const Work work = window(20, 10, 3, 2, 1, 1);
  const Positions rows{3, 7};
  const Positions read = positions_read(work, 0, 0, 0, rows);
  CHECK(read == Positions{5, 14});
  const Work slice = slice_of(work, 0, rows, {{0, {7, 0, read.first, {read.size()}, 0}}});
  CHECK(slice.program.iterators[0].extent == 4);
  const Access& access = slice.program.statements[0].accesses[0];
  CHECK(slice.operands[1].tensor == 7);
  CHECK(slice.operands[1].shape == Shape{9});
  CHECK(access.indices[0].offset == -1 + 2 * 3 - 5);
  CHECK(slice.program.statements[0].target.indices[0].offset == 3);
}

TEST_CASE("an iterator of one turn occurs in no access of its slice") {
  const Work slice = slice_of(window(20, 10, 3, 2, 1, 1), 0, {4, 5}, {});
  CHECK(slice.program.statements[0].target.indices[0].terms.empty());
  CHECK(slice.program.statements[0].target.indices[0].offset == 4);
  CHECK(slice.program.statements[0].accesses[0].indices[0] == AffineIndex{{{1, 1}}, 7});
}
