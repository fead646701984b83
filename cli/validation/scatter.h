#pragma once

#include <filesystem>
#include <vector>

#include "cli/validation/verdict.h"

namespace accord {

/// Writes a scatter plot per bench, FOLDER/BENCH.svg: reference across, ours upwards, both logarithmic; the lines are
/// equality and the bench's worst allowed error.
void write_plots(const std::vector<Verdict>& verdicts, const std::filesystem::path& folder);

}  // namespace accord
