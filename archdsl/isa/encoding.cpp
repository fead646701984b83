#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "archdsl/isa/isa.h"

namespace accord {
namespace {

static_assert(std::endian::native == std::endian::little, "instructions are copied as little-endian words");

constexpr int longest_table = 16;  ///< bits of an opcode up to which a table is worth its memory

std::uint64_t low_bits(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

std::uint64_t load(const std::byte* at, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, size < 8 ? size : 8);
  return word;
}

// `out` has `size` bytes.
void store_bits(std::byte* out, std::size_t size, int offset, int bits, std::uint64_t value) {
  value &= low_bits(bits);
  const auto at = static_cast<std::size_t>(offset) / 8;
  if (at + 8 <= size && offset % 8 + bits <= 64) {
    const std::uint64_t word = load(out + at, 8) | value << (offset % 8);
    std::memcpy(out + at, &word, 8);
    return;
  }
  while (bits > 0) {
    const int shift = offset % 8;
    out[offset / 8] |= static_cast<std::byte>(value << shift);
    const int done = 8 - shift;
    value = done >= 64 ? 0 : value >> done;
    offset += done;
    bits -= done;
  }
}

// The word that holds the field must not reach beyond the instruction's `size` bytes.
FieldSlice slice(std::size_t size, int offset, int bits, bool is_signed) {
  assert(offset >= 0 && bits >= 0 && bits <= 64 && static_cast<std::size_t>(offset + bits) <= size * 8);
  const std::size_t last = size < 8 ? 0 : size - 8;
  const std::size_t at = std::min(static_cast<std::size_t>(offset) / 8, last);
  return {at, offset - static_cast<int>(at) * 8, bits, is_signed};
}

FieldSlice slice(std::size_t size, const Field& field) {
  return slice(size, field.offset, field.bits, field.is_signed);
}

std::int64_t extend(std::uint64_t word, const FieldSlice& slice) {
  const int unused = 64 - slice.bits;
  if (slice.is_signed) return static_cast<std::int64_t>(word << unused) >> unused;
  return static_cast<std::int64_t>(word << unused >> unused);
}

// What does not lie within one whole word of the instruction, or is no field at all.
std::int64_t read_apart(const std::byte* in, std::size_t size, const FieldSlice& slice) {
  if (slice.bits == 0) return 0;
  std::uint64_t word = load(in + slice.at, size - slice.at) >> slice.shift;
  if (slice.shift + slice.bits > 64) word |= static_cast<std::uint64_t>(in[slice.at + 8]) << (64 - slice.shift);
  return extend(word, slice);
}

inline std::int64_t read(const std::byte* in, std::size_t size, const FieldSlice& slice) {
  if (size < 8 || slice.bits == 0 || slice.shift + slice.bits > 64) return read_apart(in, size, slice);
  return extend(load(in + slice.at, 8) >> slice.shift, slice);
}

// Calls visit(index field, number of legal indices) for every indexed register of the mnemonic.
template <typename Visit>
void for_each_index(const Isa& isa, const Mnemonic& mnemonic, const Visit& visit) {
  const auto check = [&](Binding::Base base, int reg, int index_field) {
    if (base != Binding::Base::indexed_register) return;
    const Register* file = register_of(isa, reg);
    visit(index_field, file ? file->first + file->count - reg : 0);
  };
  for (const Binding& binding : mnemonic.arguments) check(binding.base, binding.reg, binding.index_field);
  for (const RegisterUpdate& update : mnemonic.updates) {
    check(update.base, update.reg, update.index_field);
    check(update.amount.base, update.amount.reg, update.amount.index_field);
  }
}

}  // namespace

void encode(const Isa& isa, const Instruction& instruction, std::byte* out) {
  const Mnemonic& mnemonic = isa.mnemonics[static_cast<std::size_t>(instruction.mnemonic)];
  assert(instruction.fields.size() == mnemonic.fields.size());
  const std::size_t size = static_cast<std::size_t>(isa.width) / 8;
  std::memset(out, 0, size);
  store_bits(out, size, isa.opcode_offset, isa.opcode_bits, mnemonic.opcode);
  for (std::size_t i = 0; i < mnemonic.fields.size(); ++i) {
    const Field& field = mnemonic.fields[i];
    assert(fits(field, instruction.fields[i]));
    store_bits(out, size, field.offset, field.bits, static_cast<std::uint64_t>(instruction.fields[i]));
  }
}

bool decode(const Isa& isa, const std::byte* in, Instruction& out) {
  const std::size_t size = static_cast<std::size_t>(isa.width) / 8;
  const auto opcode =
      static_cast<std::uint64_t>(read(in, size, slice(size, isa.opcode_offset, isa.opcode_bits, false)));
  const auto found = std::find_if(isa.mnemonics.begin(), isa.mnemonics.end(),
                                  [opcode](const Mnemonic& mnemonic) { return mnemonic.opcode == opcode; });
  if (found == isa.mnemonics.end()) return false;
  bool legal = true;
  for_each_index(isa, *found, [&](int field, std::int64_t count) {
    const std::int64_t index = read(in, size, slice(size, found->fields[static_cast<std::size_t>(field)]));
    legal = legal && index >= 0 && index < count;
  });
  if (!legal) return false;
  out.mnemonic = static_cast<int>(found - isa.mnemonics.begin());
  out.fields.resize(found->fields.size());
  for (std::size_t i = 0; i < found->fields.size(); ++i) out.fields[i] = read(in, size, slice(size, found->fields[i]));
  return true;
}

std::optional<std::int64_t> legal_indices(const Isa& isa, const Mnemonic& mnemonic, std::size_t field) {
  std::optional<std::int64_t> least;
  for_each_index(isa, mnemonic, [&](int index_field, std::int64_t count) {
    if (static_cast<std::size_t>(index_field) == field) least = std::min(least.value_or(count), count);
  });
  return least;
}

Decoder::Decoder(const Isa& isa) : size_(static_cast<std::size_t>(isa.width) / 8) {
  opcode_ = slice(size_, isa.opcode_offset, isa.opcode_bits, false);
  if (isa.opcode_bits <= longest_table) table_.assign(std::size_t{1} << isa.opcode_bits, -1);
  for (const Mnemonic& mnemonic : isa.mnemonics) {
    const int index = static_cast<int>(layouts_.size());
    if (table_.empty()) {
      sparse_.emplace(mnemonic.opcode, index);
    } else if (mnemonic.opcode < table_.size() && table_[mnemonic.opcode] < 0) {
      table_[mnemonic.opcode] = index;
    }
    Layout layout{slices_.size(), mnemonic.fields.size(), {}};
    for (const Field& field : mnemonic.fields) slices_.push_back(slice(size_, field));
    for_each_index(isa, mnemonic, [&](int field, std::int64_t count) { layout.limits.push_back({field, count}); });
    layouts_.push_back(std::move(layout));
  }
}

int Decoder::find(std::uint64_t opcode) const {
  if (!table_.empty()) return opcode < table_.size() ? table_[opcode] : -1;
  const auto found = sparse_.find(opcode);
  return found == sparse_.end() ? -1 : found->second;
}

bool Decoder::decode(const std::byte* in, Instruction& out) const {
  const int mnemonic = find(static_cast<std::uint64_t>(read(in, size_, opcode_)));
  if (mnemonic < 0) return false;
  const Layout& layout = layouts_[static_cast<std::size_t>(mnemonic)];
  for (const IndexLimit& limit : layout.limits) {
    const std::int64_t index = read(in, size_, slices_[layout.first + static_cast<std::size_t>(limit.field)]);
    if (index < 0 || index >= limit.count) return false;
  }
  out.mnemonic = mnemonic;
  out.fields.resize(layout.count);
  for (std::size_t i = 0; i < layout.count; ++i) out.fields[i] = read(in, size_, slices_[layout.first + i]);
  return true;
}

}  // namespace accord
