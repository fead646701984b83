#pragma once

#include <cstdint>
#include <string>

#include "archdsl/graph/architecture.h"
#include "compiler/network/network.h"

namespace accord::test {

/// A shipped covenant's text with some of its numbers halved or doubled (params, banks, queues, walk limits, latencies,
/// timings), another kind of sync or a clock for the memory, drawn from the seed. Not every one is a right covenant.
std::string random_covenant(const std::string& name, std::uint64_t seed);

/// The same of a covenant's text.
std::string changed_covenant(std::string text, std::uint64_t seed);

/// One to three operators with odd sizes: convolutions with strides and groups, products, pools, sums.
Network random_network(std::uint64_t seed, std::string& what);

/// Runs a random network on the machine and checks what holds of every run (run_checked). False where the machine is
/// too small for anything, or its requantisation reaches nothing.
bool runs_random_network(const Architecture& architecture, const std::string& name, std::uint64_t seed);

/// A machine's text whose unit `vector` has another capability, the first one, and an instruction for it before
/// `quant`.
std::string with_vector_capability(std::string text, const std::string& capability, const std::string& mnemonic);

}  // namespace accord::test
