// Gemmini's RTL: products of 16x16 blocks, by explicit commands.
#include <algorithm>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "cli/validation/benches.h"
#include "cli/validation/gemmini_program.h"

namespace accord {

namespace {

constexpr std::int64_t dim = 16;
constexpr std::int64_t spad_blocks = 1024;
constexpr std::int64_t acc_blocks = 64;
constexpr std::int64_t most_products = 1 << 18;  ///< of blocks

std::int64_t blocks(const CsvRow& row, const char* column) {
  const std::int64_t size = row.integer(column);
  if (size == 0 || size % dim != 0 || size > 65536)
    throw Error(
        fmt::format("{}: {} is {}; the bench takes multiples of {} up to 65536", row.where(), column, size, dim));
  return size / dim;
}

GemminiProduct product_of(const CsvRow& row) {
  const GemminiProduct product{.i = blocks(row, "M"), .k = blocks(row, "K"), .j = blocks(row, "N")};
  if ((product.i + product.j) * product.k > spad_blocks || product.i * product.j > acc_blocks)
    throw Error(row.where() + ": the product is too large for scratchpad and accumulator");
  return product;
}

std::map<std::string, std::string> memory_of(const CsvRow& row) {
  return {{"mem_lat", row.text("mem_lat")},
          {"mem_rint", std::to_string(row.integer("mem_rint", 1))},
          {"cmd_interval", std::to_string(row.integer("cmd_interval", row.integer("cmd_int", 1)))}};
}

std::string name_of(const CsvRow& row) {
  const auto memory = memory_of(row);
  std::string name =
      fmt::format("{}x{}x{} latency {}", row.text("M"), row.text("K"), row.text("N"), row.text("mem_lat"));
  if (memory.at("mem_rint") != "1") name += " beat every " + memory.at("mem_rint");
  if (memory.at("cmd_interval") != "1") name += " command every " + memory.at("cmd_interval");
  return name;
}

double cycles(const CsvRow& row, const char* column) {
  const std::int64_t value = row.integer(column);
  if (value == 0) throw Error(fmt::format("{}: {} is 0", row.where(), column));
  return static_cast<double>(value);
}

BenchRun run_fenced(const CsvRow& row) {
  GemminiProduct product = product_of(row);
  product.fenced = true;
  return {name_of(row),
          memory_of(row),
          gemmini_assembly(product),
          {{"cyc_mvinB", cycles(row, "cyc_mvinB"), {1}},
           {"cyc_mvinA", cycles(row, "cyc_mvinA"), {2}},
           {"cyc_compute", cycles(row, "cyc_compute"), {3}},
           {"cyc_mvout", cycles(row, "cyc_mvout"), {4}},
           {"cyc_total", cycles(row, "cyc_total"), {1, 2, 3, 4}}}};
}

BenchRun run_unfenced(const CsvRow& row) {
  const char* const total = row.has("cyc_total") ? "cyc_total" : "cycles";
  return {name_of(row), memory_of(row), gemmini_assembly(product_of(row)), {{total, cycles(row, total), {1}}}};
}

BenchRun run_output_stationary(const CsvRow& row) {
  GemminiProduct product = product_of(row);
  product.fenced = product.output_stationary = true;
  auto params = memory_of(row);
  params["dataflow"] = "output_stationary";
  return {name_of(row),
          std::move(params),
          gemmini_assembly(product),
          {{"cyc_mvin", cycles(row, "cyc_mvin"), {1}},
           {"cyc_compute", cycles(row, "cyc_compute"), {3}},
           {"cyc_mvout", cycles(row, "cyc_mvout"), {4}}}};
}

std::int64_t tile(const CsvRow& row, const char* column, std::int64_t all, std::int64_t otherwise) {
  const std::int64_t blocks = row.integer(column, otherwise);
  if (blocks == 0 || blocks > all) throw Error(fmt::format("{}: {} is not 1 to {}", row.where(), column, all));
  return blocks;
}

/// What one loop command does where the row does not say: the bench's choice wherever it does.
BenchRun run_loop(const CsvRow& row) {
  GemminiLoop loop{.product = {.i = blocks(row, "M"), .k = blocks(row, "K"), .j = blocks(row, "N")}};
  const GemminiProduct& all = loop.product;
  loop.j = tile(row, "tile_J", all.j, std::min<std::int64_t>(all.j, 8));
  loop.i = tile(row, "tile_I", all.i, std::min(all.i, std::max<std::int64_t>(acc_blocks / 2 / loop.j, 1)));
  loop.k = tile(row, "tile_K", all.k, std::min(all.k, std::max<std::int64_t>(spad_blocks / 2 / (loop.i + loop.j), 1)));
  if ((loop.i + loop.j) * loop.k > spad_blocks / 2 || loop.i * loop.j > acc_blocks / 2)
    throw Error(row.where() + ": a block does not fit half the scratchpad and half the accumulator");
  if (loop.product.i * loop.product.j * loop.product.k > most_products)
    throw Error(fmt::format("{}: more than {} products of blocks", row.where(), most_products));
  auto params = memory_of(row);
  params["commands"] = "loop";
  return {name_of(row), std::move(params), gemmini_assembly(loop), {{"cycles", cycles(row, "cycles"), {1}}}};
}

}  // namespace

std::vector<Bench> gemmini_benches() {
  constexpr auto machine = "gemmini_rtl/gemmini16_rtl.yaml";
  return {
      {"gemmini_fenced",
       "Gemmini RTL, a fence after each phase",
       {"mode", "M", "K", "N", "mem_lat", "cyc_mvinB"},
       [](const CsvRow& row) { return row.text("mode") == "fenced"; },
       run_fenced,
       {"gemmini_rtl/gemmini_phases.csv"},
       machine,
       5,
       15},
      {"gemmini_unfenced",
       "Gemmini RTL, one fence at the end",
       {"mode", "M", "K", "N", "mem_lat"},
       [](const CsvRow& row) { return row.text("mode") == "unfenced"; },
       run_unfenced,
       {"gemmini_rtl/gemmini_phases.csv", "gemmini_rtl/gemmini_cmdrate.csv"},
       machine,
       5,
       15},
      {"gemmini_os",
       "Gemmini RTL, output stationary",
       {"mode", "M", "K", "N", "mem_lat", "cyc_mvin"},
       [](const CsvRow& row) { return row.text("mode") == "os"; },
       run_output_stationary,
       {"gemmini_rtl/gemmini_os.csv"},
       machine,
       5,
       15},
      {"gemmini_loop",
       "Gemmini RTL, the loop command",
       {"mode", "M", "K", "N", "mem_lat", "cycles"},
       [](const CsvRow& row) { return row.text("mode") == "loop_ws"; },
       run_loop,
       {"gemmini_rtl/gemmini_gemm.csv", "gemmini_rtl/gemmini_cmdrate.csv"},
       machine,
       10,
       25},
  };
}

}  // namespace accord
