// Eyeriss' silicon: AlexNet's convolutions by the published row-stationary mapping, as passes over the array. Measured
// is the time of processing, after a tile's input maps have come and before its output maps go.
#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "cli/validation/assembly_text.h"
#include "cli/validation/benches.h"

namespace accord {

namespace {

constexpr double clock_hz = 200e6;
constexpr std::int64_t word = 2;  // bytes
constexpr std::int64_t global_buffer = 108 * 1024;
constexpr std::int64_t most_images = 1 << 16;

/// The paper's names: shape of a layer, and its mapping.
struct RowStationary {
  std::int64_t N, H, R, E, C, M, U, m, n, e, p, q, r, t;

  explicit RowStationary(const CsvRow& row) {
    const std::pair<const char*, std::int64_t*> columns[] = {
        {"N", &N}, {"H", &H}, {"R", &R}, {"E", &E}, {"C", &C}, {"M", &M}, {"U", &U},
        {"m", &m}, {"n", &n}, {"e", &e}, {"p", &p}, {"q", &q}, {"r", &r}, {"t", &t},
    };
    for (const auto& [name, value] : columns) {
      *value = row.integer(name);
      if (*value == 0 || *value > 4096) throw Error(fmt::format("{}: {} is not 1 to 4096", row.where(), name));
    }
    if ((E - 1) * U + R > H) throw Error(row.where() + ": E rows of windows are not in H");
    if (m % (p * t) != 0 || M % m != 0 || C % (q * r) != 0 || N % n != 0)
      throw Error(row.where() +
                  ": passes of p t of m of M filters, q r of C channels, n of N frames do not come out even");
    if (passes() * n > most_images) throw Error(fmt::format("{}: more than {} passes", row.where(), most_images));
  }

  std::int64_t passes() const { return ceil_div(E, e) * (N / n) * (M / (p * t)) * (C / (q * r)); }
  std::int64_t elements(std::int64_t rows) const { return R * rows * r * t; }
};

class EyerissWriter : AssemblyText {
 public:
  explicit EyerissWriter(const RowStationary& mapping) : m_(mapping) {}

  std::string write() {
    add(".image buffer 0 zeros {}\n.image sums 0 zeros {}\n.layer {{\"name\": \"layer\"}}\n.at 0 \"\"\n", global_buffer,
        512 * 1024);
    for (std::int64_t row = 0; row < m_.E; row += m_.e)
      for (std::int64_t tile = 0; tile < m_.N / m_.n * (m_.M / m_.m); ++tile)
        for (std::int64_t c = 0; c < m_.C; c += m_.q * m_.r)
          for (std::int64_t k = 0; k < m_.m; k += m_.p * m_.t) pass(std::min(m_.e, m_.E - row), c == 0, k);
    add("  fence\n");
    return take();
  }

 private:
  // The next pass's filters come while this one runs; each frame takes its sums from the buffer and brings them back.
  void pass(std::int64_t rows, bool first_sum, std::int64_t filter) {
    const std::int64_t filters = passes_++ % 2 * 65536, weights = m_.p * m_.t * m_.q * m_.r * m_.R * m_.R * word;
    add("  filters src={}, dst={}, n={}\n", global_buffer - weights, filters, weights);
    const std::int64_t inputs = m_.q * m_.r * ((rows - 1) * m_.U + m_.R) * m_.H * word;
    const std::int64_t sums = m_.p * m_.t * rows * m_.E * word;
    for (std::int64_t frame = 0; frame < m_.n; ++frame, ++frames_) {
      const std::int64_t a = frames_ % 2 * 65536, c = frames_ % 4 * 131072;
      const std::int64_t kept = (filter * m_.n + frame * m_.p * m_.t) * rows * m_.E * word;
      add("  inputs src={}, dst={}, n={}\n", kept_bytes(), a, inputs);
      if (!first_sum) add("  sums_in src={}, dst={}, n={}\n", kept, c, sums);
      add("  pass c={}, a={}, w={}, p={}, f={}, q={}, s={}, x={}\n", c, a, filters, m_.p, m_.E, m_.q, m_.R,
          m_.elements(rows));
      add("  sums_out src={}, dst={}, n={}\n", c, kept, sums);
    }
  }

  // The buffer keeps the sums of m filters; behind them is an input map, at its end the next filters.
  std::int64_t kept_bytes() const { return m_.m * m_.n * m_.e * m_.E * word; }

  const RowStationary& m_;
  std::int64_t passes_ = 0, frames_ = 0;
};

double above_zero(const CsvRow& row, const char* column) {
  const double value = row.real(column);
  if (value <= 0) throw Error(fmt::format("{}: {}: expected more than 0", row.where(), column));
  return value;
}

BenchRun run_eyeriss(const CsvRow& row) {
  const RowStationary mapping(row);
  return {row.text("layer"),
          {},
          EyerissWriter(mapping).write(),
          {{"processing", above_zero(row, "processing_ms") * 1e-3 * clock_hz, {0}}}};
}

// mW times ms are microjoules.
BenchRun eyeriss_energy(const CsvRow& row) {
  const RowStationary mapping(row);
  return {row.text("layer"),
          {},
          EyerissWriter(mapping).write(),
          {{"energy", above_zero(row, "mw") * above_zero(row, "total_ms"), {0}, {}, FigureKind::energy}}};
}

}  // namespace

std::vector<Bench> eyeriss_benches() {
  const std::vector<std::string> shape = {"layer", "N", "H", "R", "E", "C", "M", "U",
                                          "m",     "n", "e", "p", "q", "r", "t"};
  const auto with = [&](std::vector<std::string> columns) {
    columns.insert(columns.end(), shape.begin(), shape.end());
    return columns;
  };
  const std::vector<std::string> tables = {"eyeriss/alexnet.csv"};
  constexpr auto machine = "eyeriss/row_stationary.yaml";
  return {{"eyeriss_silicon", "Eyeriss' silicon, AlexNet's convolutions, time of processing", with({"processing_ms"}),
           nullptr, run_eyeriss, tables, machine, 10, 10},
          {"eyeriss_energy", "Eyeriss' silicon, AlexNet's convolutions, energy of the chip", with({"mw", "total_ms"}),
           nullptr, eyeriss_energy, tables, machine, 35, 60}};
}

}  // namespace accord
