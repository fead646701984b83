// Do rows that no table has run on the benches' machines, and do they take what the closed forms say that the RTL's
// rows have shown? Sources: docs/rtl.md (Gemmini's phases), NVDLA's sequencer (nvdla/hw, NV_NVDLA_CSC_sg.v).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "archdsl/tensor/rounding.h"
#include "cli/validation/benches.h"
#include "cli/validation/run_benches.h"
#include "tests/draw.h"
#include "tests/environment.h"
#include "tests/scratch.h"

using namespace accord;
using namespace accord::test;

namespace {

/// What the named bench's machine takes for each of the rows, figure by figure.
std::vector<std::vector<double>> figures_of(const std::string& name, const std::string& columns,
                                            const std::vector<std::string>& rows) {
  const Scratch file("rows.csv");
  std::ofstream stream(file.path);
  stream << columns << "\n";
  for (const std::string& row : rows) stream << row << "\n";
  stream.close();
  const CsvTable table(file.path);
  const auto bench = std::ranges::find(benches(), name, &Bench::name);
  std::vector<RunJob> jobs;
  for (const CsvRow& row : table.rows())
    jobs.push_back({validation_folder() / bench->machine, bench->run(row), row.where(), {}});
  std::vector<std::vector<double>> figures;
  for (const RunOutcome& outcome : run_jobs(jobs, 2)) {
    CAPTURE(rows[figures.size()]);
    CHECK_MESSAGE(outcome.ending == Ending::compared, outcome.reason);
    figures.push_back(outcome.values);
  }
  return figures;
}

void check_close(double ours, double expected, double percent) {
  CAPTURE(ours);
  CAPTURE(expected);
  CHECK(std::abs(ours / expected - 1) <= percent / 100);
}

/// A product of Gemmini's bench, in blocks of 16, and its memory.
struct GemminiRow {
  std::int64_t i, k, j, latency, interval;

  std::string text() const {
    return fmt::format("fenced,{},{},{},{},{},1,1,1,1,1", 16 * i, 16 * k, 16 * j, latency, interval);
  }
};

/// Cycles of loads of so many rows of blocks: reads of a row of up to four blocks, 16 in flight, each for its place's
/// latency + 7 cycles; beats in order, one per interval.
double load_cycles(const GemminiRow& row, std::int64_t rows, std::int64_t columns) {
  std::vector<std::int64_t> done;
  std::int64_t next = 0, last = -1 << 20;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; c += 4) {
      const std::int64_t beats = std::min<std::int64_t>(4, columns - c);
      for (int read = 0; read < 16; ++read) {
        const std::int64_t issue = done.size() < 16 ? next : std::max(next, done[done.size() - 16]);
        next = issue + 1;
        last = std::max(issue + row.latency + 6, last + row.interval) + (beats - 1) * row.interval;
        done.push_back(last + 1);
      }
    }
  }
  return static_cast<double>(14 + last + 1);
}

/// A layer of NVDLA's bench: positions of 1x1 kernels.
struct NvdlaRow {
  std::int64_t m, c, k, latency;

  std::string text() const { return fmt::format("gemm,{0},1,{1},{2},1,1,1,0,{0},1,{3},1,4,1", m, c, k, latency); }
};

/// From one stripe's last channels to another's: 15 cycles to the first sum, an element a cycle and one more per
/// position, 26 until a position's place is known to be free again, of which there are 16. `begin`: of the first.
double nvdla_cycles(const NvdlaRow& row, double begin) {
  const auto blocks = static_cast<double>(ceil_div(row.c, 8));
  std::vector<double> left;  // when each position has been delivered
  double time = begin, out = 0;
  for (std::int64_t k = 0; k < row.k; k += 8) {
    const auto elements = static_cast<double>(std::min<std::int64_t>(8, row.k - k));
    for (std::int64_t rest = row.m, s = 0; rest > 0; rest -= s) {
      s = rest >= 32 ? 16 : rest > 16 ? 8 : rest;
      const double block = std::max(static_cast<double>(s), 8.0);
      double last = time + block * (blocks - 1);
      const std::int64_t needed = std::ssize(left) + s - 16;
      if (needed > 0) last = std::max(last, left[static_cast<std::size_t>(needed - 1)] + 26);
      const double first = std::max(last + 15, out + 1);
      for (std::int64_t p = 1; p <= s; ++p) left.push_back(first + static_cast<double>(p) * (elements + 1) - 3);
      out = first + static_cast<double>(s) * (elements + 1) - 2;
      time = last + block;
    }
  }
  return out + 22 + 4;
}

}  // namespace

TEST_CASE("do Gemmini's phases take their closed forms at any size, latency and interval of beats") {
  Draw draw(first_seed());
  std::vector<GemminiRow> rows = {{16, 40, 1, 32, 1}, {1, 300, 1, 100, 1}};  // more than half the scratchpad; long rows
  std::vector<std::string> texts = {rows[0].text(), rows[1].text()};
  while (rows.size() < 42) {
    const GemminiRow row{draw.from(1, 9), draw.from(1, 9), draw.from(1, 7), draw.from(1, 300), draw.from(1, 5)};
    if (row.i * row.j > 64) continue;
    rows.push_back(row);
    texts.push_back(row.text());
  }
  CAPTURE(first_seed());
  const auto figures = figures_of(
      "gemmini_fenced", "mode,M,K,N,mem_lat,mem_rint,cyc_mvinB,cyc_mvinA,cyc_compute,cyc_mvout,cyc_total", texts);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto& [i, k, j, latency, interval] = rows[r];
    CAPTURE(texts[r]);
    check_close(figures[r][0], load_cycles(rows[r], k, j), 5);
    check_close(figures[r][1], load_cycles(rows[r], i, k), 5);
    check_close(figures[r][2], static_cast<double>(16 * i * k * j + 63), 3);
    check_close(figures[r][3], static_cast<double>(58 + 25 * (i * j - 1)), 5);
  }
}

TEST_CASE("does no fence of Gemmini's bench wait for the command port") {
  const std::string columns = "mode,M,K,N,mem_lat,cmd_interval,cycles";
  std::vector<std::string> rows;
  for (const int interval : {1, 16, 32, 100, 128}) rows.push_back(fmt::format("unfenced,16,16,16,32,{},1", interval));
  const auto figures = figures_of("gemmini_unfenced", columns, rows);
  CHECK(figures[1] == figures[0]);
  CHECK(figures[2] == figures[0]);
  CHECK(figures[4][0] - figures[3][0] == 4 * 28);  // five commands, the last of which ends the run
}

TEST_CASE("do NVDLA's stripes take their closed form at any number of positions") {
  Draw draw(first_seed());
  std::vector<NvdlaRow> rows;
  std::vector<std::string> texts;
  for (int r = 0; r < 40; ++r) {
    // Enough channels that weights come before they are waited for.
    rows.push_back({draw.from(8, 100), 8 * draw.from(1, 8), 8 * draw.from(1, 8), draw.from(0, 200)});
    texts.push_back(rows.back().text());
  }
  CAPTURE(first_seed());
  const auto figures =
      figures_of("nvdla_rtl", "kind,W,H,C,K,S,R,stride,pad,OW,OH,mem_lat,mem_rint,wlat,done_sdp_cycles", texts);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    CAPTURE(texts[r]);
    // All data and the first kernels' weights, whose requests alternate, then 46 to the buffer and 8 into the cells.
    const auto data = static_cast<double>(rows[r].m * ceil_div(rows[r].c, 8));
    const auto weights = static_cast<double>(ceil_div(rows[r].c * rows[r].k, 128) * 16);
    const double loaded = 38 + data + std::min(data, std::max(weights - 4, 0.0)) +
                          static_cast<double>(std::max<std::int64_t>(rows[r].latency, 1));
    check_close(figures[r][0], nvdla_cycles(rows[r], loaded + 54), 4);
  }
}

TEST_CASE("do DNNWeaver's layers run with any stride, kernel and array") {
  const std::string columns = "array,H,IC,OC,K,OH,ddr_read_latency,rtl_cycles,tiling";
  Draw draw(first_seed());
  std::vector<std::string> rows;
  std::vector<std::int64_t> least, most;
  for (int r = 0; r < 40; ++r) {
    const std::int64_t array = draw.from(4, 40), stride = draw.from(1, 3), kernel = draw.from(1, 7);
    const std::int64_t out = draw.from(1, 6), outer = draw.from(1, 3), in = draw.from(1, 2), latency = draw.from(0, 60);
    const std::int64_t size = (outer * out - 1) * stride + kernel, wide = (out - 1) * stride + kernel;
    rows.push_back(
        fmt::format("{0},{1},{2},{0},{3},{4},{5},1,"
                    "OC/oc:1x1;OW/ow:{6}x{7};IC/ic:1x{8};B/b:1x1;OH/oh:{6}x{7};KH/kh:1x{3};KW/kw:1x{3}",
                    array, size, in * array, kernel, outer * out, latency, outer, out, in));
    // A tile's steps, of which the innermost loop takes 3 more each time at most; its beats of 32 bytes on each port;
    // and its outputs' way through the post-processor.
    const std::int64_t steps = out * out * kernel * kernel * in, words = out * out;
    const std::int64_t bytes = array * (2 * in * (wide * wide + kernel * kernel * array) + 8 * words + 4);
    const std::int64_t alone = 4 * steps + bytes / 32 + 4 * (latency + 50) + words * (array + 6) + 50;
    least.push_back(outer * outer * steps);
    most.push_back(outer * outer * alone);
  }
  CAPTURE(first_seed());
  const auto figures = figures_of("dnnweaver_rtl", columns, rows);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    CAPTURE(rows[r]);
    CHECK(figures[r][0] >= static_cast<double>(least[r]));
    CHECK(figures[r][0] <= static_cast<double>(most[r]));  // all one after another
  }
}
