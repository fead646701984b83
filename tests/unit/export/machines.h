#pragma once

#include <string>

#include "archdsl/graph/architecture.h"
#include "tests/shipped.h"
#include "tests/unit/export/covenants.h"

namespace accord {

/// The on-chip part of `core` once per core: its memories and units get the names `core[i].NAME`; off-chip memory, link
/// and controller are shared. The instruction set goes on to drive core 0.
inline Architecture many_cores(const Architecture& core, int cores) {
  Architecture a = core;
  a.name = "many_cores";
  a.memories.clear();
  a.units.clear();
  std::vector<int> off_chip(core.memories.size(), -1);
  for (std::size_t m = 0; m < core.memories.size(); ++m) {
    if (!core.memories[m].off_chip) continue;
    off_chip[m] = static_cast<int>(a.memories.size());
    a.memories.push_back(core.memories[m]);
  }
  for (int i = 0; i < cores; ++i) {
    const std::string prefix = "core[" + std::to_string(i) + "].";
    std::vector<int> memory = off_chip;
    for (std::size_t m = 0; m < core.memories.size(); ++m) {
      if (core.memories[m].off_chip) continue;
      memory[m] = static_cast<int>(a.memories.size());
      a.memories.push_back(core.memories[m]);
      a.memories.back().name.insert(0, prefix);
    }
    for (Unit unit : core.units) {
      unit.name.insert(0, prefix);
      for (Route& route : unit.routes) {
        route.source = memory[static_cast<std::size_t>(route.source)];
        route.target = memory[static_cast<std::size_t>(route.target)];
      }
      for (Capability& capability : unit.capabilities) {
        for (CapabilityOperand& operand : capability.operands) {
          if (operand.memory >= 0) operand.memory = memory[static_cast<std::size_t>(operand.memory)];
        }
      }
      a.units.push_back(unit);
    }
  }
  return a;
}

/// One core with a mesh of `rows` x `columns` tiles, `tile[r][c].mac` beside `tile[r][c].rf`.
inline Architecture mesh(int rows, int columns) {
  Architecture a = load_file(std::filesystem::path(ACCORD_SOURCE_DIR) / "tests/accept/smallest.yaml");
  const Memory buffer = a.memories.at(1);
  const Unit mover = a.units.at(0), alu = a.units.at(1);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const std::string prefix = "cluster.tile[" + std::to_string(r) + "][" + std::to_string(c) + "].";
      const int memory = static_cast<int>(a.memories.size());
      a.memories.push_back(buffer);
      a.memories.back().name = prefix + "rf";
      a.units.push_back(alu);
      a.units.back().name = prefix + "mac";
      for (CapabilityOperand& operand : a.units.back().capabilities[0].operands) operand.memory = memory;
      a.units.push_back(mover);
      a.units.back().name = prefix + "router";
      a.units.back().routes[0].source = 1;
      a.units.back().routes[0].target = memory;
      a.units.back().routes[1].source = memory;
      a.units.back().routes[1].target = c + 1 < columns ? memory + 1 : 1;
    }
  }
  for (Unit& unit : a.units) {  // tiles that were not there yet
    for (Route& route : unit.routes) route.target = std::min(route.target, static_cast<int>(a.memories.size()) - 1);
  }
  return a;
}

/// Cores of an array, joined by links with ends, a multicast, and instructions whose field chooses the core.
inline Architecture array_of_cores() {
  return load_text(R"yaml(accord: 1
name: arr
templates:
  core_t:
    components:
      spad: {kind: memory, capacity: 1 KiB, word: 16 B}
      dma: {kind: mover, routes: [dram -> spad, spad -> dram]}
      alu:
        kind: compute
        capabilities:
          relu:
            does: "y[i] = max(x[i], 0)"
            types: {x: i8, y: i8}
            dims: {i: "1..16"}
            operands: {x: {in: spad, steps: [1 B]}, y: {in: spad, steps: [1 B]}}
components:
  dram: {kind: memory, off_chip: true, capacity: 1 MiB, word: 16 B}
  core[4]: {template: core_t}
  wire0: {kind: link, width: 16 B, between: [dram, "core[0]"]}
  wire1: {kind: link, width: 16 B, between: ["core[0]", "core[1]"]}
  bcast: {kind: mover, routes: ["dram -> core[*].spad"]}
  ctl: {kind: controller}
isa:
  width: 64
  registers: {base: 20}
  mnemonics:
    set: {means: {set: [base]}, opcode: 1, fields: {base: 20}}
    ld: {means: {transfer: "core[c].dma.dram->spad"}, opcode: 2, fields: {c: 2, dst: {bits: 6, unit: 16}, n: 8}, args: {src.base: base, dst.base: dst, n0: n}}
    st: {means: {transfer: "core[c].dma.spad->dram"}, opcode: 3, fields: {c: 2, src: {bits: 6, unit: 16}, n: 8}, args: {dst.base: base, src.base: src, n0: n}}
    relu: {means: {run: "core[c].alu.relu"}, opcode: 4, fields: {c: 2, n: 7, x: 10, y: 10}, args: {i: n, x.base: x, y.base: y}}
    bc: {means: {transfer: "bcast.dram->core[*].spad"}, opcode: 5, fields: {dst: {bits: 6, unit: 16}, n: 8}, args: {src.base: base, dst.base: dst, n0: n}}
)yaml");
}

}  // namespace accord
