#pragma once

#include <optional>

#include "archdsl/isa/program.h"
#include "archdsl/tensor/value.h"
#include "simulator/kernels/byte_store.h"
#include "simulator/kernels/footprint.h"

namespace accord::sim {

/// The tensor's value, dense. The symbol must lie within the store.
Value read_symbol(const Symbol& symbol, const ByteStore& store);

/// Puts a dense value of the symbol's shape and type in place.
void write_symbol(const Symbol& symbol, const std::byte* dense, ByteStore& store);

void mark_symbol_written(const Symbol& symbol, ByteStore& store);

bool is_symbol_written(const Symbol& symbol, const ByteStore& store);

/// What the symbol's elements touch, from its address on. nullopt where that is more than 2^48 bytes either way.
std::optional<Footprint> footprint_of(const Symbol& symbol);

/// Throws Error where the symbol reaches beyond the store or has no stride per index.
void check_symbol(const Symbol& symbol, std::int64_t capacity);

}  // namespace accord::sim
