#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cmath>
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

/// What an instruction asks of the ports for one of its operands: words, on average over the places where it may begin.
struct PortWords {
  double read = 0, written = 0;
  std::int64_t banks = 1;  ///< in which they may lie
};

/// What an instruction's operands in one memory ask of its ports: words in all, and the most of one operand in one
/// bank.
struct PortLoad {
  int memory = -1;
  std::int64_t read = 0, written = 0, most_read = 0, most_written = 0, most_moved = 0;  ///< whole for each operand
  double mean_read = 0, mean_written = 0;  ///< but for held operands, which most instructions find there

  void add(const PortWords& words, bool held) {
    const auto reads = static_cast<std::int64_t>(std::ceil(words.read));
    const auto writes = static_cast<std::int64_t>(std::ceil(words.written));
    read += reads;
    written += writes;
    most_read = std::max(most_read, ceil_div(reads, words.banks));
    most_written = std::max(most_written, ceil_div(writes, words.banks));
    most_moved = std::max(most_moved, ceil_div(reads + writes, words.banks));
    if (held) return;
    mean_read += words.read;
    mean_written += words.written;
  }
};

using PortLoads = boost::container::small_vector<PortLoad, 4>;

/// Cycles for which the load keeps ports busy: a tile on chip lies within a bank where it can, and apart from the
/// others; what lies off chip is spread over the banks.
std::int64_t port_cycles(const Memory& memory, const PortLoad& load);

/// Of what lies off chip movers ask by requests, and an operand that is held is not read again: none.
PortWords port_words(const Machine& machine, const Mapping& mapping, const StatementPlan& plan, const StepShape& shape,
                     const UseView& view, const Extents& box, const std::vector<std::int64_t>& formula_values);

/// Of the operands that one instruction reaches through ports, word by word; each run takes the words that it covers
/// where it lies, on average. Movers make requests for what lies off chip. `formula_values` as in `working_cycles`.
PortLoads port_loads(const Machine& machine, const Mapping& mapping, const StatementPlan& plan, const StepShape& shape,
                     const std::vector<UseView>& views, const Extents& box,
                     const std::vector<std::int64_t>& formula_values);

}  // namespace accord
