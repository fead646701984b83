#include "simulator/kernels/symbols.h"

#include <fmt/format.h>

#include <cstring>

#include "archdsl/source/error.h"
#include "simulator/kernels/footprint.h"

namespace accord::sim {

namespace {

// Calls visit(address, dense offset, bytes) for every row of the last index.
template <class Visit>
void for_each_row(const Symbol& symbol, Visit&& visit) {
  const std::int64_t element = bytes(symbol.type);
  const Shape& extents = symbol.extents();
  const std::size_t rank = extents.size();
  const bool rows = rank > 0 && symbol.strides[rank - 1] == element;
  const std::size_t outer = rows ? rank - 1 : rank;
  const std::int64_t length = rows ? element * extents[rank - 1] : element;
  std::int64_t count = 1;
  for (std::size_t d = 0; d < outer; ++d) count *= extents[d];
  std::vector<std::int64_t> index(outer, 0);
  std::int64_t address = symbol.address;
  for (std::int64_t i = 0; i < count && length > 0; ++i) {
    visit(address, i * length, length);
    for (std::size_t d = outer; d-- > 0;) {
      address += symbol.strides[d];
      if (++index[d] < extents[d]) break;
      address -= symbol.strides[d] * extents[d];
      index[d] = 0;
    }
  }
}

std::int64_t dense_bytes(const Symbol& symbol) {
  std::int64_t size = bytes(symbol.type);
  for (const std::int64_t extent : symbol.shape) size *= extent;
  return size;
}

}  // namespace

Value read_symbol(const Symbol& symbol, const ByteStore& store) {
  Value value{symbol.type, symbol.shape, std::vector<std::byte>(static_cast<std::size_t>(dense_bytes(symbol)))};
  for_each_row(symbol, [&](std::int64_t address, std::int64_t at, std::int64_t length) {
    std::memcpy(value.data.data() + at, store.data() + address, static_cast<std::size_t>(length));
  });
  return value;
}

void write_symbol(const Symbol& symbol, const std::byte* dense, ByteStore& store) {
  for_each_row(symbol, [&](std::int64_t address, std::int64_t at, std::int64_t length) {
    std::memcpy(store.data() + address, dense + at, static_cast<std::size_t>(length));
    store.mark_written(address, length);
  });
}

void mark_symbol_written(const Symbol& symbol, ByteStore& store) {
  for_each_row(symbol,
               [&](std::int64_t address, std::int64_t, std::int64_t length) { store.mark_written(address, length); });
}

bool is_symbol_written(const Symbol& symbol, const ByteStore& store) {
  bool all = true;
  for_each_row(symbol, [&](std::int64_t address, std::int64_t, std::int64_t length) {
    all = all && store.is_written(address, length);
  });
  return all;
}

std::optional<Footprint> footprint_of(const Symbol& symbol) {
  const Shape& extents = symbol.extents();
  std::vector<Stride> dims;
  for (std::size_t d = 0; d < extents.size(); ++d) dims.push_back({extents[d], symbol.strides[d]});
  return make_footprint(bytes(symbol.type), 0, std::move(dims));
}

void check_symbol(const Symbol& symbol, std::int64_t capacity) {
  const Shape& extents = symbol.extents();
  if (symbol.strides.size() != extents.size()) {
    throw Error(
        fmt::format("symbol {}: {} strides for {} indices", symbol.name, symbol.strides.size(), extents.size()));
  }
  const auto touched = footprint_of(symbol);
  if (touched && touched->extent == 0) return;
  if (!touched || symbol.address < -touched->offset || symbol.address > capacity - touched->extent - touched->offset) {
    throw Error(fmt::format("symbol {} does not fit into memory {}", symbol.name, symbol.memory));
  }
}

}  // namespace accord::sim
