#pragma once

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"

namespace accord::sim {

/// Words, beats and rows that Fidelity::cycle moves one by one in a run, at most.
constexpr std::int64_t most_cycle_work = std::int64_t{1} << 27;

/// Throws Error, with an estimate of the words, beats and rows, on a program that has more.
void check_work(const Architecture& architecture, const Program& program);

}  // namespace accord::sim
