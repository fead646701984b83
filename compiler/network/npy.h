#pragma once

#include <filesystem>

#include "archdsl/tensor/value.h"

namespace accord {

/// Reads a NumPy array file, format version 1 to 3
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), little-endian, C order: float32, float64
/// (becomes fp32), int64, int32, int16, int8, uint8, bool (becomes u8). Throws Error for anything else, for a file that
/// is cut off or has bytes left over, and beyond 2^30 elements.
Value load_npy(const std::filesystem::path& path);

/// Writes format version 1. fp16 is float16; bf16 and fp8, which NumPy lacks, become float32; i4 becomes int8.
/// Throws Error if the file cannot be written.
void save_npy(const std::filesystem::path& path, const Value& value);

}  // namespace accord
