#include "archdsl/isa/isa.h"

#include <algorithm>
#include <limits>

namespace accord {
namespace {

std::int64_t register_value(const Binding& binding, std::span<const std::int64_t> fields,
                            std::span<const std::int64_t> registers) {
  if (binding.base == Binding::Base::none) return 0;
  auto number = static_cast<std::uint64_t>(binding.reg);
  if (binding.base == Binding::Base::indexed_register) {
    number += static_cast<std::uint64_t>(fields[static_cast<std::size_t>(binding.index_field)]);
  }
  return number < registers.size() ? registers[number] : 0;
}

}  // namespace

std::int64_t value_of(const Binding& binding, std::span<const std::int64_t> fields,
                      std::span<const std::int64_t> registers) {
  return wrapping_add(register_value(binding, fields, registers), constant_of(binding, fields));
}

std::int64_t lowest_raw(const Field& field) {
  if (field.bits >= 64) return std::numeric_limits<std::int64_t>::min();
  return field.is_signed && field.bits > 0 ? -(std::int64_t{1} << (field.bits - 1)) : 0;
}

std::int64_t highest_raw(const Field& field) {
  if (field.bits >= 64) return std::numeric_limits<std::int64_t>::max();
  if (field.bits <= 0) return 0;
  return static_cast<std::int64_t>((std::uint64_t{1} << (field.is_signed ? field.bits - 1 : field.bits)) - 1);
}

bool fits(const Field& field, std::int64_t raw) { return raw >= lowest_raw(field) && raw <= highest_raw(field); }

std::int64_t wrap(const Register& reg, std::int64_t value) {
  if (reg.bits >= 64) return value;
  const int unused = 64 - reg.bits;
  const auto shifted = static_cast<std::uint64_t>(value) << unused;
  if (reg.is_signed) return static_cast<std::int64_t>(shifted) >> unused;
  return static_cast<std::int64_t>(shifted >> unused);
}

const Register* register_of(const Isa& isa, int number) {
  const auto found = std::find_if(isa.registers.begin(), isa.registers.end(), [number](const Register& reg) {
    return number >= reg.first && number - reg.first < reg.count;
  });
  return found == isa.registers.end() ? nullptr : &*found;
}

int unit_of(const Mnemonic& mnemonic, std::span<const std::int64_t> fields) {
  if (mnemonic.elements.empty()) return mnemonic.unit;
  std::int64_t ordinal = 0;
  for (const ElementField& element : mnemonic.elements) {
    const std::int64_t raw = fields[static_cast<std::size_t>(element.field)];
    if (raw < 0 || raw >= element.count) return -1;
    ordinal += raw * element.stride;
  }
  return mnemonic.units[static_cast<std::size_t>(ordinal)];
}

bool goes_to(const Mnemonic& mnemonic, int unit) {
  return mnemonic.units.empty() ? mnemonic.unit == unit
                                : std::find(mnemonic.units.begin(), mnemonic.units.end(), unit) != mnemonic.units.end();
}

}  // namespace accord
