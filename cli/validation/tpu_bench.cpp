// TPU v1's counters on networks of products alone: tiles of weights come from DDR, shift in, and serve the rows of a
// batch.
#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/validation/assembly_text.h"
#include "cli/validation/benches.h"

namespace accord {

namespace {

constexpr std::int64_t tiles = 512;  // enough for the first one's load not to matter
constexpr std::int64_t tile = 65536;

class TpuWriter : AssemblyText {
 public:
  static std::string write(std::int64_t rows, std::int64_t row_cycles) {
    TpuWriter text;
    text.add(".image dram 0 zeros {0}\n.image buffer 0 zeros 64\n.image accumulators 0 zeros 64\n", tile);
    text.add(".layer {{\"name\": \"tiles\"}}\n.at 0 \"\"\n");
    for (std::int64_t n = 0; n < tiles; ++n) {
      text.add("  read_weights dst={0}, n={1}\n  shift src={0}, dst={2}, n={1}\n  rows w={2}, r={3}, h={4}\n",
               n % 4 * tile, tile, n % 2 * tile, rows, row_cycles);
    }
    text.add("  fence\n");
    return text.take();
  }
};

/// The published percentages of those cycles in which the matrix unit has tiles to work on; what remains is the host's
/// and other units'.
struct Shares {
  double active, stall, shift;

  explicit Shares(const CsvRow& row)
      : active(row.real("array_active")), stall(row.real("weight_stall")), shift(row.real("weight_shift")) {
    const double all = active + stall + shift;
    if (active <= 0 || stall <= 0 || shift <= 0 || all > 100)
      throw Error(row.where() + ": array_active, weight_stall and weight_shift are above 0 and at most 100 together");
    for (double* share : {&active, &stall, &shift}) *share *= 100 / all;
  }
};

BenchRun bench_run(const CsvRow& row, std::vector<Figure> figures) {
  const std::int64_t batch = row.integer("batch"), row_cycles = row.integer("row_cycles");
  if (batch == 0 || batch > 4096 || row_cycles == 0 || row_cycles > 4)
    throw Error(row.where() + ": batch is 1 to 4096, row_cycles 1 to 4");
  return {fmt::format("{}, batch {}", row.text("application"), batch),
          {},
          TpuWriter::write(batch, row_cycles),
          std::move(figures)};
}

Figure share(const char* name, double percent, const char* component, const char* leaf) {
  return {name, percent, {0}, {}, FigureKind::share, component, leaf};
}

BenchRun run_weights(const CsvRow& row) {
  const Shares shares(row);
  return bench_run(row, {share("% shift", shares.shift, "shifter", "working"),
                         share("% stall or shift", shares.stall + shares.shift, "matrix", "waiting: operand")});
}

BenchRun run_active(const CsvRow& row) {
  return bench_run(row, {share("% active", Shares(row).active, "matrix", "working")});
}

}  // namespace

std::vector<Bench> tpu_benches() {
  const std::vector<std::string> columns = {"application",  "batch",        "row_cycles",
                                            "array_active", "weight_stall", "weight_shift"};
  const std::vector<std::string> tables = {"tpu_v1/weights.csv"};
  constexpr auto machine = "tpu_v1/matrix_unit.yaml";
  return {
      {"tpu_v1_weights", "TPU v1's counters, the array without weights", columns, nullptr, run_weights, tables, machine,
       10, 10},
      {"tpu_v1_active", "TPU v1's counters, the array active", columns, nullptr, run_active, tables, machine, 15, 25}};
}

}  // namespace accord
