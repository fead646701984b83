#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/step_shape.h"

namespace accord {

/// Cycles that the operands of one instruction keep the read ports of their memories busy, as far as wires say where
/// their elements lie: each run of neighbours takes the words that it covers, lanes with gaps a word each.
std::int64_t port_cycles(const Architecture& architecture, const Capability& capability,
                         std::span<const std::int64_t> chunk);

/// What an instruction's operands in one memory ask of its ports: words in all, and the most of one operand in one
/// bank.
struct PortLoad {
  int memory = -1;
  std::int64_t read = 0, written = 0, most_read = 0, most_written = 0, most_moved = 0;

  /// Of one operand, whose words lie in `banks` banks.
  void add(std::int64_t reads, std::int64_t writes, std::int64_t banks) {
    read += reads;
    written += writes;
    most_read = std::max(most_read, ceil_div(reads, banks));
    most_written = std::max(most_written, ceil_div(writes, banks));
    most_moved = std::max(most_moved, ceil_div(reads + writes, banks));
  }
};

using PortLoads = boost::container::small_vector<PortLoad, 4>;

/// Cycles for which the load keeps ports busy: a tile on chip lies within a bank where it can, and apart from the
/// others; what lies off chip is spread over the banks.
std::int64_t port_cycles(const Memory& memory, const PortLoad& load);

/// Of the operands that one instruction reaches through ports, word by word; each run takes the words that it covers
/// where it lies, on average. Movers make requests for what lies off chip. `formula_values` as in `working_cycles`.
PortLoads port_loads(const Machine& machine, const Mapping& mapping, const StatementPlan& plan, const StepShape& shape,
                     const std::vector<UseView>& views, const Extents& box,
                     const std::vector<std::int64_t>& formula_values);

}  // namespace accord
