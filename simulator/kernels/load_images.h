#pragma once

#include <vector>

#include "archdsl/isa/program.h"
#include "simulator/kernels/byte_store.h"

namespace accord::sim {

/// Throws Error where the machine has none of that name.
std::size_t memory_index(const Architecture& architecture, const std::string& name);

/// Throws Error for an image that reaches beyond its memory of `capacity` bytes.
void check_image(const Image& image, std::int64_t capacity);

/// Fills each memory's store, by the memory's index, with the program's images. What lies in a program file as it lies
/// in memory is mapped, page by page, not copied. Throws Error for an image that does not fit.
void load_images(const Architecture& architecture, const Program& program, std::vector<ByteStore>& stores);

}  // namespace accord::sim
