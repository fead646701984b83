// SCALE-Sim: a product as folds of an array, one after another.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/rounding.h"
#include "cli/validation/benches.h"

namespace accord {

namespace {

constexpr std::int64_t most_folds = 1 << 20;

struct Product {
  std::int64_t m, n, k, rows, columns;

  explicit Product(const CsvRow& row)
      : m(row.integer("M")),
        n(row.integer("N")),
        k(row.integer("K")),
        rows(row.integer("R")),
        columns(row.integer("C")) {
    if (std::min({m, n, k, rows, columns}) == 0 || std::max({m, n, k}) > (1 << 20))
      throw Error(row.where() + ": M, N, K are 1 to 1048576, R and C at least 1");
  }
};

/// Calls fold(size down, size across) for each part of `down` x `across` that the array holds at once.
template <typename Fold>
std::string folds(const Product& p, std::int64_t down, std::int64_t across, const std::string& where, Fold&& fold) {
  if (ceil_div(down, p.rows) * ceil_div(across, p.columns) > most_folds)
    throw Error(fmt::format("{}: more than {} folds", where, most_folds));
  std::string text;
  for (std::int64_t d = 0; d < down; d += p.rows) {
    for (std::int64_t a = 0; a < across; a += p.columns)
      fold(text, std::min(p.rows, down - d), std::min(p.columns, across - a));
  }
  return text;
}

// All folds, and all rows of one, lie at the same place: their contents take no time.
std::string assembly_of(const Product& p, const std::string& dataflow, const std::string& where) {
  std::string text = ".image operands 0 zeros 4194304\n.layer {\"name\": \"product\"}\n.at 0 \"\"\n";
  const auto add = [](std::string& to, std::string_view name, std::int64_t i, std::int64_t j, std::int64_t k) {
    fmt::format_to(std::back_inserter(to), "  {} i={}, j={}, k={}\n", name, i, j, k);
  };
  if (dataflow == "os") {
    text +=
        folds(p, p.m, p.n, where, [&](std::string& to, std::int64_t i, std::int64_t j) { add(to, "os", i, j, p.k); });
  } else if (dataflow == "ws") {
    text +=
        folds(p, p.k, p.n, where, [&](std::string& to, std::int64_t k, std::int64_t j) { add(to, "ws", p.m, j, k); });
  } else if (dataflow == "is") {
    text +=
        folds(p, p.k, p.m, where, [&](std::string& to, std::int64_t k, std::int64_t i) { add(to, "is", i, p.n, k); });
  } else {
    throw Error(fmt::format("{}: dataflow is '{}'; there are os, ws, is", where, dataflow));
  }
  return text + "  fence\n";
}

BenchRun run_scale_sim(const CsvRow& row) {
  const Product product(row);
  const std::string& dataflow = row.text("dataflow");
  // Its figure is the number of the last cycle, counted from 0.
  const auto cycles = static_cast<double>(row.integer("cycles") + 1);
  return {fmt::format("{} {}x{}x{} on {}x{}", dataflow, product.m, product.n, product.k, product.rows, product.columns),
          {{"rows", row.text("R")}, {"cols", row.text("C")}},
          assembly_of(product, dataflow, row.where()),
          {{"cycles", cycles, {0}}}};
}

}  // namespace

std::vector<Bench> scale_sim_benches() {
  return {{"scale_sim",
           "SCALE-Sim's cycles without stalls",
           {"dataflow", "M", "N", "K", "R", "C", "cycles"},
           nullptr,
           run_scale_sim,
           {"scale_sim/gemm.csv"},
           "scale_sim/array.yaml",
           0,
           0}};
}

}  // namespace accord
