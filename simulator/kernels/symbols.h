#pragma once

#include "archdsl/isa/program.h"
#include "archdsl/tensor/value.h"
#include "simulator/kernels/byte_store.h"

namespace accord::sim {

/// The tensor's value, dense. The symbol must lie within the store.
Value read_symbol(const Symbol& symbol, const ByteStore& store);

/// Puts a dense value of the symbol's shape and type in place.
void write_symbol(const Symbol& symbol, const std::byte* dense, ByteStore& store);

void mark_symbol_written(const Symbol& symbol, ByteStore& store);

bool is_symbol_written(const Symbol& symbol, const ByteStore& store);

/// Throws Error where the symbol reaches beyond the store or has no stride per index.
void check_symbol(const Symbol& symbol, std::int64_t capacity);

}  // namespace accord::sim
