#pragma once

#include <filesystem>

#include "archdsl/tensor/value.h"

namespace accord {

/// Reads a NumPy array file (format 1.0 to 3.0, C order, little-endian). bool becomes u8, float64 becomes fp32.
/// Throws Error for anything else, a file cut off, or a shape beyond 2^33 bytes.
/// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
Value read_npy(const std::filesystem::path& file);

/// Writes format 1.0. i4 is written as int8; fp8 and bf16, which NumPy lacks, as float32. Throws Error where it cannot.
void write_npy(const Value& value, const std::filesystem::path& file);

}  // namespace accord
