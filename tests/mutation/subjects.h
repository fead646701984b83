#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/mutation/judge.h"

namespace accord::test {

/// Names of the machines that mutants run on: every kind of sync, with and without hardware loops, one unit and many.
const std::vector<std::string>& mutation_machines();

/// One program per small network of which the machine does something, right before any mutation. Takes every `step`th
/// network from `first` on.
std::vector<Subject> subjects_of(const std::string& machine, std::uint64_t seed, std::size_t first = 0,
                                 std::size_t step = 1);

}  // namespace accord::test
