#include "compiler/mapping/transfer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "compiler/mapping/timing.h"
#include "tests/draw.h"
#include "tests/shipped.h"

using namespace accord;

namespace {

constexpr unsigned transfer_seed = 4711;

using test::Draw;
using Pairs = std::map<std::int64_t, std::int64_t>;  // target byte -> source byte

template <typename T>
void shuffle(std::vector<T>& list, Draw& draw) {
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[static_cast<std::size_t>(draw.from(0, static_cast<std::int64_t>(i) - 1))]);
  }
}

/// Strides that visit `dims` in a random order without overlap, now and then with gaps.
std::vector<std::int64_t> strides(Draw& draw, std::int64_t run, const std::vector<CopyDim>& dims) {
  std::vector<std::size_t> order(dims.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (draw.once_in(2)) shuffle(order, draw);
  std::vector<std::int64_t> result(dims.size());
  std::int64_t step = run;
  for (const std::size_t d : order) {
    if (draw.once_in(3)) step += draw.from(0, 9);
    result[d] = step;
    step *= dims[d].extent;
  }
  return result;
}

Copy draw_copy(Draw& draw) {
  Copy copy;
  copy.run = draw.from(1, 24);
  for (auto n = draw.from(0, 4); n > 0; --n) copy.dims.push_back({draw.from(1, 7), 0, 0});
  const auto source = strides(draw, copy.run, copy.dims);
  const auto target = strides(draw, copy.run, copy.dims);
  for (std::size_t d = 0; d < copy.dims.size(); ++d) {
    copy.dims[d].source = draw.once_in(6) ? 0 : draw.once_in(8) ? draw.from(1, 5) : source[d];
    copy.dims[d].target = target[d];
  }
  return copy;
}

/// Wired steps are often those of the copy, so that they are used.
Step draw_step(Draw& draw, const Copy& copy, std::int64_t CopyDim::*side) {
  if (draw.once_in(2)) return {};
  if (copy.dims.empty() || draw.once_in(3)) return {Step::Kind::fixed, draw.from(1, 32)};
  const auto& dim = copy.dims[static_cast<std::size_t>(draw.from(0, static_cast<std::int64_t>(copy.dims.size()) - 1))];
  return {Step::Kind::fixed, dim.*side};
}

RouteLimits draw_limits(Draw& draw, const Copy& copy) {
  RouteLimits limits;
  limits.walk.push_back({draw.from(1, 16), {}, {}});
  for (auto n = draw.from(0, 3); n > 0; --n) {
    limits.walk.push_back(
        {draw.from(1, 6), draw_step(draw, copy, &CopyDim::source), draw_step(draw, copy, &CopyDim::target)});
  }
  return limits;
}

Pairs plain_copy(const Copy& copy) {
  Pairs pairs;
  std::vector<std::int64_t> at(copy.dims.size(), 0);
  bool once = true;
  for (;;) {
    std::int64_t source = 0, target = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      source += at[d] * copy.dims[d].source;
      target += at[d] * copy.dims[d].target;
    }
    for (std::int64_t b = 0; b < copy.run; ++b) once = pairs.emplace(target + b, source + b).second && once;
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == copy.dims[d].extent) at[d++] = 0;
    if (d == at.size()) break;
  }
  REQUIRE(once);
  return pairs;
}

/// What the pieces move; no target byte twice.
Pairs moved(const std::vector<TransferPiece>& pieces) {
  Pairs pairs;
  bool once = true;
  for (const auto& piece : pieces) {
    for_each_run(piece, [&](std::int64_t source, std::int64_t target, std::int64_t bytes) {
      for (std::int64_t b = 0; b < bytes; ++b) once = pairs.emplace(target + b, source + b).second && once;
    });
  }
  REQUIRE(once);
  return pairs;
}

/// Stretches of so many source bytes at most that lie together in walk order, by looking at every byte.
std::int64_t requests(const TransferPiece& piece, std::int64_t most) {
  std::int64_t count = 0, expected = -1, left = 0;
  for_each_run(piece, [&](std::int64_t source, std::int64_t, std::int64_t bytes) {
    for (std::int64_t b = 0; b < bytes; ++b) {
      if (source + b != expected || left == 0) {
        ++count;
        left = most;
      }
      expected = source + b + 1;
      --left;
    }
  });
  return count;
}

bool obeys(const Step& step, std::int64_t bytes) { return step.kind == Step::Kind::free || step.bytes == bytes; }

void check_limits(const RouteLimits& limits, const TransferPlan& plan) {
  std::int64_t bytes = 0;
  for (const auto& piece : plan.pieces) {
    REQUIRE(piece.extent.size() == limits.walk.size());
    std::int64_t size = 1;
    for (std::size_t d = 0; d < limits.walk.size(); ++d) {
      CHECK(piece.extent[d] >= 1);
      CHECK(piece.extent[d] <= limits.walk[d].max);
      size *= piece.extent[d];
      if (d == 0 || piece.extent[d] == 1) continue;
      CHECK(obeys(limits.walk[d].source, piece.source_stride[d]));
      CHECK(obeys(limits.walk[d].target, piece.target_stride[d]));
    }
    CHECK(piece.bytes == size);
    CHECK(piece.source_bytes <= size);
    CHECK(piece.contiguous <= size);
    bytes += size;
  }
  CHECK(plan.bytes == bytes);
}

}  // namespace

TEST_CASE("do the pieces of a copy move each byte to where the plain loops do, within the walk's limits") {
  for (unsigned i = 0; i < 3000; ++i) {
    Draw draw(transfer_seed + i);
    CAPTURE(transfer_seed + i);
    const Copy copy = draw_copy(draw);
    const RouteLimits limits = draw_limits(draw, copy);
    const TransferPlan plan = plan_copy(limits, copy);
    REQUIRE(moved(plan.pieces) == plain_copy(copy));
    check_limits(limits, plan);
  }
}

TEST_CASE("is a copy that the walk can do in one go one instruction") {
  RouteLimits limits;
  limits.walk = {{16, {}, {}}, {8, {}, {}}, {8, {}, {}}};
  const Copy copy{16, {{8, 100, 16}, {5, 1000, 128}}};
  CHECK(plan_copy(limits, copy).pieces.size() == 1);
  const Copy swapped{16, {{5, 1000, 128}, {8, 100, 16}}};
  CHECK(plan_copy(limits, swapped).pieces.size() == 1);
}

TEST_CASE("do more transfers replace fewer where requests are whole only with them") {
  // Four rows of 55 positions of 16 channels, in blocks of 8 on chip: with positions and rows walked, two transfers ask
  // for 8 bytes each time; with channels and positions, four ask for runs of 880.
  RouteLimits limits;
  limits.walk = {{8, {}, {}}, {255, {}, {}}, {255, {}, {}}};
  const Copy copy{8, {{2, 8, 1760}, {55, 16, 8}, {4, 912, 440}}};
  CHECK(plan_copy(limits, copy).pieces.size() == 4);
  limits.pace.request = 8;  // never more than a row at once: nothing to gain
  CHECK(plan_copy(limits, copy).pieces.size() == 2);
  limits.pace.request = 64;
  limits.pace.word = 8;
  limits.pace.per_word = 1;  // 110 rows each take a word's cycle on chip, however they are asked for
  CHECK(plan_copy(limits, copy).pieces.size() == 2);
}

TEST_CASE("is a source step of 0 read once") {
  RouteLimits limits;
  limits.walk = {{16, {}, {}}, {8, {}, {}}};
  const auto plan = plan_copy(limits, {16, {{8, 0, 16}}});
  CHECK(plan.bytes == 128);
  CHECK(plan.source_bytes == 16);
}

TEST_CASE("do the parts of a transfer move its bytes and read none anew") {
  int cut_ones = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    Draw draw(transfer_seed + i);
    CAPTURE(transfer_seed + i);
    const Copy copy = draw_copy(draw);
    const RouteLimits limits = draw_limits(draw, copy);
    const std::int64_t most = draw.from(1, 64), count = draw.from(1, 8);
    for (const auto& piece : plan_copy(limits, copy).pieces) {
      const auto parts = cut(piece, limits, true, count, most);
      REQUIRE(moved(parts) == moved({piece}));
      CHECK(static_cast<std::int64_t>(parts.size()) <= count);
      cut_ones += parts.size() > 1 ? 1 : 0;
      std::int64_t bytes = 0, source_bytes = 0;
      for (const auto& part : parts) {
        bytes += part.bytes;
        source_bytes += part.source_bytes;
        CHECK(part.contiguous <= piece.contiguous);
      }
      CHECK(bytes == piece.bytes);
      CHECK(source_bytes == piece.source_bytes);
    }
  }
  CHECK(cut_ones > 100);
}

TEST_CASE("is a tile whose channels lie apart on chip cut between positions, where memory has them one after another") {
  RouteLimits limits;
  limits.walk = {{64, {}, {}}, {16, {}, {}}, {1024, {}, {}}};
  const auto plan = plan_copy(limits, {64, {{4, 64, 196 * 64}, {196, 256, 64}}});
  REQUIRE(plan.pieces.size() == 1);
  const TransferPiece& tile = plan.pieces[0];
  const auto parts = cut(tile, limits, true, 8, 640);
  CHECK(parts.size() == 8);
  std::int64_t made = 0;
  for (const auto& part : parts) made += requests(part, 640);
  CHECK(16 * made <= 17 * requests(tile, 640));
  CHECK(cut(tile, limits, true, 8, 196 * 256).size() == 1);
}

TEST_CASE("is what lies one after another cut where requests end, though a last part is short") {
  RouteLimits limits;
  limits.walk = {{128, {}, {}}, {1024, {}, {}}};
  const auto plan = plan_copy(limits, {128, {{128, 128, 256}}});
  REQUIRE(plan.pieces.size() == 1);
  const auto parts = cut(plan.pieces[0], limits, true, 8, 640);  // 26 requests; parts of 19 rows take four each, the last three
  CHECK(parts.size() == 7);
  std::int64_t made = 0;
  for (const auto& part : parts) made += requests(part, 640);
  CHECK(made == 27);
  CHECK(requests(plan.pieces[0], 640) == 26);
}

TEST_CASE("does a packed image fill its target once and read its source without gaps") {
  for (unsigned i = 0; i < 2000; ++i) {
    Draw draw(transfer_seed + i);
    CAPTURE(transfer_seed + i);
    const std::int64_t bytes = draw.from(1, 700);
    Copy steps{1, {{2, draw.from(1, 4) * 16, draw.from(1, 4) * 16}, {2, draw.from(1, 16), draw.from(1, 16)}}};
    const RouteLimits limits = draw_limits(draw, steps);
    const TransferPlan plan = plan_packed(limits, bytes);
    const Pairs pairs = moved(plan.pieces);
    REQUIRE(static_cast<std::int64_t>(pairs.size()) == bytes);
    CHECK(pairs.begin()->first == 0);
    CHECK(pairs.rbegin()->first == bytes - 1);
    check_limits(limits, plan);
    std::int64_t next = 0;
    for (const auto& piece : plan.pieces) {
      for_each_run(piece, [&](std::int64_t source, std::int64_t, std::int64_t run) {
        REQUIRE(source == next);
        next += run;
      });
    }
  }
}

TEST_CASE("does each run that is longer than a request take one more for what is left of it") {
  const Architecture architecture = shipped("gemmini16");
  const auto unit = std::ranges::find(architecture.units, "load", &Unit::name);
  REQUIRE(unit != architecture.units.end());
  const Hop hop{static_cast<int>(unit - architecture.units.begin()), 0};
  const std::int64_t rows = 6;
  for (const auto& [run, requests] : std::map<std::int64_t, std::int64_t>{
           {unit->request - 1, 1}, {unit->request, 1}, {unit->request + 1, 2}, {2 * unit->request + 1, 3}}) {
    CAPTURE(run);
    TransferPiece piece;
    piece.extent = {run, rows, 1};
    piece.source_stride = piece.target_stride = {0, 2 * run, 0};
    piece.bytes = piece.source_bytes = run * rows;
    piece.contiguous = run;
    CHECK(transfer_timing(architecture, hop, piece).requests.count == static_cast<double>(requests * rows));
  }
}
