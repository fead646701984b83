#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "archdsl/source/location.h"

namespace accord {

/// A register or register file of the controller; numbered consecutively over the whole ISA from `first`.
struct Register {
  std::string name;
  int bits = 32;  ///< values wrap at this width; `is_signed` registers sign-extend
  bool is_signed = false;
  int count = 1;
  int first = 0;
};

/// Bits [offset, offset + bits) of an instruction, little-endian.
struct Field {
  std::string name;
  int offset = 0;
  int bits = 0;
  bool is_signed = false;
};

/// Where an argument of a meaning comes from:
///   value = (register ? R[index] : 0) + (field ? raw * unit : 0) + bias.
struct Binding {
  enum class Base : std::uint8_t { none, fixed_register, indexed_register };
  Base base = Base::none;
  int reg = -1;          ///< register number; of the file's first for indexed_register
  int index_field = -1;  ///< field that gives the index into the file
  int field = -1;        ///< -1: none
  std::int64_t unit = 1;
  std::int64_t bias = 0;
};

enum class Meaning : std::uint8_t {
  set,       ///< registers := values
  add,       ///< registers += values
  transfer,  ///< Unit::routes[route]
  run,       ///< Unit::capabilities[capability]
  loop,      ///< arguments count, length: the next `length` instructions run `count` times (0 skips them)
  wait,      ///< argument semaphore: unit's queue waits until the count is above 0, then takes one
  signal,    ///< argument semaphore: once the unit's earlier operations are done, the count grows by one
  fence      ///< dispatch goes on once every unit is idle
};

/// What a mnemonic does to one register besides its meaning (post-increment), or as its meaning (set, add).
struct RegisterUpdate {
  Binding::Base base = Binding::Base::fixed_register;
  int reg = -1;
  int index_field = -1;
  Binding amount;  ///< new value (set) or increment (add, post-increment)
};

/// A field that takes part in choosing the unit among the elements of an array: `stride` per raw value.
struct ElementField {
  int field = -1;
  int stride = 1;
  int count = 1;  ///< legal raw values: 0..count - 1
};

struct Mnemonic {
  std::string name;
  std::uint64_t opcode = 0;
  Meaning meaning{};
  int unit = -1;  ///< index into Architecture::units (transfer, run, wait, signal); the first of `units` if any
  std::vector<int> units;              ///< elements that the instruction chooses from, alike; -1: no such element
  std::vector<ElementField> elements;  ///< which one: the sum of raw * stride
  int route = -1;
  int capability = -1;
  std::vector<Field> fields;
  std::vector<Binding> arguments;       ///< one per argument of the meaning, in its order (see Route, Capability)
  std::vector<RegisterUpdate> updates;  ///< set, add: the meaning; otherwise applied after the operands are read
  Location where;
};

/// The instruction set: fixed width, opcode at [opcode_offset, opcode_offset + opcode_bits).
struct Isa {
  int width = 128;  ///< bits, a multiple of 8
  int opcode_offset = 0;
  int opcode_bits = 8;
  std::vector<Register> registers;
  int register_count = 0;  ///< all, files flattened
  std::vector<Mnemonic> mnemonics;
};

/// An instruction taken apart: mnemonic index and the raw value of each of its fields.
struct Instruction {
  int mnemonic = -1;
  std::vector<std::int64_t> fields;
  bool operator==(const Instruction&) const = default;
};

/// Two's complement arithmetic that wraps at 64 bits, as the machine's.
inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

inline std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// What the instruction alone gives to the value of a binding: the rest is its register's content.
inline std::int64_t constant_of(const Binding& binding, std::span<const std::int64_t> fields) {
  if (binding.field < 0) return binding.bias;
  return wrapping_add(binding.bias, wrapping_mul(fields[static_cast<std::size_t>(binding.field)], binding.unit));
}

/// Value of a binding under these registers; wraps at 64 bits. An index beyond `registers` reads 0.
std::int64_t value_of(const Binding& binding, std::span<const std::int64_t> fields,
                      std::span<const std::int64_t> registers);

/// The unit that an instruction with these raw field values goes to; -1 where there is no such element.
int unit_of(const Mnemonic& mnemonic, std::span<const std::int64_t> fields);

/// True where some instruction of the mnemonic goes to the unit.
bool goes_to(const Mnemonic& mnemonic, int unit);

/// Writes the instruction's width/8 bytes at `out`. A field value that does not fit is an assertion.
void encode(const Isa& isa, const Instruction& instruction, std::byte* out);

/// Reads one instruction; returns false (undefined opcode, index beyond its register file) without touching `out`
/// otherwise. Searches the mnemonics: for many instructions use Decoder. No allocation when `out.fields` has capacity.
bool decode(const Isa& isa, const std::byte* in, Instruction& out);

/// How many indices, from 0 on, the mnemonic's field may hold where it chooses a register of a file.
std::optional<std::int64_t> legal_indices(const Isa& isa, const Mnemonic& mnemonic, std::size_t field);

/// True where the field can hold the raw value. A 64-bit unsigned field holds the bits of any value.
bool fits(const Field& field, std::int64_t raw);

/// Least and greatest raw value of a field.
std::int64_t lowest_raw(const Field& field);
std::int64_t highest_raw(const Field& field);

/// What the register holds after `value` is written: wraps at its width.
std::int64_t wrap(const Register& reg, std::int64_t value);

/// The register (file) that holds this register number; nullptr where there is none.
const Register* register_of(const Isa& isa, int number);

/// Where a field lies in an instruction: `shift` bits into the 8-byte word at byte `at`.
struct FieldSlice {
  std::size_t at = 0;
  int shift = 0;
  int bits = 0;
  bool is_signed = false;
};

/// Decodes many instructions of one Isa. Holds its own tables; the Isa may go away. Const members are thread-safe.
class Decoder {
 public:
  explicit Decoder(const Isa& isa);

  /// As accord::decode; also false where an index field points beyond its register file.
  bool decode(const std::byte* in, Instruction& out) const;

  /// Bytes per instruction.
  std::size_t size() const { return size_; }

 private:
  struct IndexLimit {
    int field = -1;
    std::int64_t count = 0;
  };
  struct Layout {
    std::size_t first = 0;  ///< into slices_
    std::size_t count = 0;
    std::vector<IndexLimit> limits;
  };
  int find(std::uint64_t opcode) const;

  std::size_t size_ = 0;
  FieldSlice opcode_;
  std::vector<int> table_;  ///< by opcode, for short opcodes; -1: undefined
  std::unordered_map<std::uint64_t, int> sparse_;
  std::vector<Layout> layouts_;
  std::vector<FieldSlice> slices_;
};

}  // namespace accord
