#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <string>
#include <vector>

#include "archdsl/check/load.h"
#include "tests/scratch.h"

namespace accord::test {

/// What brings cores an operand of their products: a mover of each core's, or nothing but one that reaches the cores of
/// a row, of a column, or all of them, the last also from an on-chip buffer; or each core's from that buffer.
enum class Bus { own, row, column, all, buffer_to_all, buffer };

/// side x side cores that multiply matrices; the ways of the factors and of initial sums, of each all that there are.
struct BusCores {
  std::vector<Bus> a = {Bus::own};
  std::vector<Bus> b = {Bus::own};
  int side = 2;
  bool semaphores = false;
  std::vector<Bus> sums = {Bus::own};
};

class BusCoresText {
 public:
  explicit BusCoresText(const BusCores& cores) : cores_(cores) {
    for (const Bus way : cores.a) add("a", way, "[{max: 256 B}, {max: 64, source: free, target: free}]", true);
    for (const Bus way : cores.b) add("b", way, "[{max: 16 B}, {max: 64, source: free, target: 16 B}]", false);
    for (const Bus way : cores.sums) add("acc", way, "[{max: 64 B}, {max: 64, source: free, target: 64 B}]", false);
    for (const std::string unit : {"core[r][c].store", "core[r][c].mesh"}) synchronise(unit);
  }

  std::string text() const {
    return fmt::format(base, fmt::arg("side", cores_.side), fmt::arg("movers", movers_),
                       fmt::arg("mnemonics", mnemonics_),
                       fmt::arg("sync", cores_.semaphores ? "{semaphores: 2048}" : "{interlock: {entries: 64}}"));
  }

 private:
  static constexpr const char* base = R"yaml(
accord: 1
name: bus_cores
clock: 1 GHz
numerics:
  storage: i8
  weight: i8
  accumulator: i32
  requantise: "i8(clamp(round(fp32(x) * scale), lo, hi))"
  parameters: {{scale: {{type: fp32, per: tensor}}}}
templates:
  core:
    components:
      a: {{kind: memory, capacity: 16 KiB, banks: 2, word: 16 B}}
      b: {{kind: memory, capacity: 16 KiB, banks: 2, word: 16 B}}
      acc: {{kind: memory, capacity: 16 KiB, banks: 2, word: 64 B}}
      store:
        kind: mover
        request: 64 B
        in_flight: 16
        queue: 4
        link: bus
        routes: [{{from: acc, to: dram, walk: [{{max: 64 B}}, {{max: 16, source: 64 B, target: free}}]}}]
        capabilities:
          finish:
            does: "y[r,q] = i8(clamp(round(fp32(x[r,q]) * scale), lo, hi))"
            types: {{y: i8, x: i32, scale: fp32, lo: fp32, hi: fp32}}
            dims: {{r: 1..16, q: 1..16}}
            operands: {{x: {{in: acc, steps: [64 B, 4 B]}}, y: {{in: dram, steps: [free, 1 B]}}}}
      mesh:
        kind: compute
        queue: 4
        capabilities:
          matmul:
            does: "c[i,j] += i32(a[i,k]) * i32(b[k,j])"
            types: {{a: i8, b: i8, c: i32}}
            dims: {{i: 1..16, j: 1..16, k: 1..16}}
            operands: {{a: {{in: a, steps: [free, 1 B]}}, b: {{in: b, steps: [16 B, 1 B]}}, c: {{in: acc, steps: [64 B, 4 B]}}}}
            timing: {{interval: "max(i, 16)"}}
components:
  dram: {{kind: memory, off_chip: true, capacity: 1 GiB, word: 16 B, banks: 4, latency: 20}}
  bus: {{kind: link, width: 64 B, duplex: true}}
  core[{side}][{side}]: {{template: core}}
{movers}
  control: {{kind: controller, issue_width: 4}}
sync: {sync}
isa:
  width: 256
  mnemonics:
{mnemonics}
    store_sums: {{means: {{transfer: "core[r][c].store.acc->dram"}}, opcode: 2, fields: {{r: 4, c: 4, src: 24, dst: 40, n0: 8, n1: 8, s: 40}}, args: {{src.base: src, dst.base: dst, n0: n0, n1: n1, dst.stride1: s}}}}
    finish: {{means: {{run: "core[r][c].store.finish"}}, opcode: 3, fields: {{r: 4, c: 4, src: 24, dst: 40, n: 8, q: 8, s: 40, scale: 32, lo: 32, hi: 32}}, args: {{r: n, q: q, x.base: src, y.base: dst, y.stride0: s, scale: scale, lo: lo, hi: hi}}}}
    multiply: {{means: {{run: "core[r][c].mesh.matmul"}}, opcode: 4, fields: {{r: 4, c: 4, a: 24, b: 24, d: 24, i: 8, j: 8, k: 8, s: 24}}, args: {{i: i, j: j, k: k, a.base: a, b.base: b, c.base: d, a.stride0: s}}}}
    fence: {{means: fence, opcode: 5}}
)yaml";

  /// A mover with one route, and its instruction.
  void add_mover(const std::string& name, const std::string& array, const std::string& from, const std::string& to,
                 const std::string& first, const std::string& walk, bool free_target) {
    std::string chosen, fields;
    if (array.find("][") != std::string::npos) {
      chosen = "[r][c]", fields = "r: 4, c: 4, ";
    } else if (!array.empty()) {
      chosen = "[r]", fields = "r: 4, ";
    }
    movers_ += fmt::format(
        "  {}{}: {{kind: mover, request: 64 B, in_flight: 16, queue: 8, link: bus, routes: [{{from: {}, to: \"{}\", "
        "walk: {}}}]}}\n",
        name, array, from, to, walk);
    mnemonics_ += fmt::format(
        "    {}: {{means: {{transfer: \"{}{}.{}->{}\"}}, opcode: {}, fields: {{{}src: 40, dst: 40, n0: 9, n1: 7, s: "
        "32{}}}, args: {{src.base: src, dst.base: dst, n0: n0, n1: n1, src.stride1: s{}}}}}\n",
        name, name, chosen, from, first, opcode_++, fields, free_target ? ", d: 24" : "",
        free_target ? ", dst.stride1: d" : "");
    synchronise(name + chosen);
  }

  void add(const std::string& operand, Bus way, const std::string& walk, bool free_target) {
    const std::string line = fmt::format("[{}]", cores_.side), plane = line + line;
    const auto mover = [&](const std::string& kind, const std::string& array, const std::string& from,
                           const std::string& to, const std::string& first) {
      add_mover(kind + "_" + operand, array, from, to + "." + operand, first + "." + operand, walk, free_target);
    };
    switch (way) {
      case Bus::own: return mover("own", plane, "dram", "core[${i}][${j}]", "core[0][0]");
      case Bus::row: return mover("row", line, "dram", "core[${i}][*]", "core[0][*]");
      case Bus::column: return mover("column", line, "dram", "core[*][${i}]", "core[*][0]");
      case Bus::all: return mover("all", "", "dram", "core[*][*]", "core[*][*]");
      case Bus::buffer_to_all: add_buffer(); return mover("spread", "", "buffer", "core[*][*]", "core[*][*]");
      case Bus::buffer: add_buffer(); return mover("take", plane, "buffer", "core[${i}][${j}]", "core[0][0]");
    }
  }

  void add_buffer() {
    if (movers_.find("  buffer:") != std::string::npos) return;
    movers_ += "  buffer: {kind: memory, capacity: 64 KiB, banks: 4, word: 64 B}\n";
    add_mover("fill", "", "dram", "buffer", "buffer", "[{max: 256 B}, {max: 64, source: free, target: free}]", true);
  }

  void synchronise(const std::string& unit) {
    if (!cores_.semaphores) return;
    std::string name = unit.substr(unit.find('.') + 1);
    name = name.substr(0, name.find('['));
    std::string fields;
    for (const std::string field : {"r", "c"}) {
      if (unit.find("[" + field + "]") != std::string::npos) fields += field + ": 4, ";
    }
    for (const std::string means : {"wait", "signal"}) {
      mnemonics_ += fmt::format("    {}_{}: {{means: {{{}: \"{}\"}}, opcode: {}, fields: {{{}semaphore: 12}}}}\n",
                                means, name, means, unit, opcode_++, fields);
    }
  }

  const BusCores cores_;
  std::string movers_, mnemonics_;
  int opcode_ = 16;
};

inline Architecture bus_cores(const BusCores& cores) {
  const Scratch file("bus_cores.yaml");
  std::ofstream(file.path, std::ios::binary) << BusCoresText(cores).text();
  auto loaded = load_architecture(file.path);
  for (const auto& diagnostic : loaded.diagnostics) {
    if (diagnostic.severity == Severity::error) MESSAGE(render(diagnostic));
  }
  REQUIRE(loaded.architecture);
  return std::move(*loaded.architecture);
}

}  // namespace accord::test
