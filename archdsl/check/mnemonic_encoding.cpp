#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/mnemonic_reader.h"

namespace accord {

void MnemonicReader::read_fields(const Node* node) {
  int cursor = isa_.opcode_offset + isa_.opcode_bits;
  for (const NodeEntry& entry : scope_.entries(node, "fields", 256)) read_field(entry, cursor);
}

void MnemonicReader::read_field(const NodeEntry& entry, int& cursor) {
  Field field;
  FieldSource source;
  field.name = entry.key.text;
  field.offset = cursor;
  source.place = entry.key.place;
  scope_.check_name(field.name, entry.key.place, "field");
  const std::string what = fmt::format("field `{}`", field.name);
  if (entry.value.is_map()) {
    const MapReader reader(scope_, entry.value, "field", what);
    field.is_signed = reader.flag("signed");
    field.bits = static_cast<int>(reader.integer("bits", {}, Range{1, field.is_signed ? 64 : 63}));
    field.offset = static_cast<int>(reader.integer("at", cursor, Range{0, isa_.width - 1}));
    source.unit = read_unit(reader.find("unit"), "unit", 1, 1);
    source.bias = read_unit(reader.find("bias"), "bias", 0, -greatest_quantity);
  } else {
    field.bits = static_cast<int>(scope_.integer(entry.value, what, {1, 63}).value_or(1));
  }
  cursor = field.offset + field.bits;
  mnemonic_.fields.push_back(std::move(field));
  field_sources_.push_back(source);
}

/// A plain number or bytes.
std::int64_t MnemonicReader::read_unit(const Node* node, std::string_view what, std::int64_t otherwise,
                                       std::int64_t low) {
  if (!node) return otherwise;
  const auto value = scope_.quantity(*node, what);
  if (!value) return otherwise;
  const Range range{low, greatest_quantity};
  if (value->dimension == Dimension::bytes) return scope_.bytes(*node, what, range).value_or(otherwise);
  return scope_.integer(*node, what, range).value_or(otherwise);
}

void MnemonicReader::check_encoding() {
  struct Stretch {
    std::string name;
    int begin;
    int end;
    Place place;
  };
  std::vector<Stretch> stretches = {
      {"the opcode", isa_.opcode_offset, isa_.opcode_offset + isa_.opcode_bits, entry_.key.place}};
  for (std::size_t f = 0; f < mnemonic_.fields.size(); ++f) {
    const Field& field = mnemonic_.fields[f];
    Stretch stretch{fmt::format("field `{}`", field.name), field.offset, field.offset + field.bits,
                    field_sources_[f].place};
    if (stretch.end > isa_.width) {
      report("bad-encoding", stretch.place,
             fmt::format("{} ends at bit {} of an instruction of {} bits", stretch.name, stretch.end, isa_.width));
    }
    for (const Stretch& other : stretches) {
      if (stretch.begin >= other.end || other.begin >= stretch.end) continue;
      report("bad-encoding", stretch.place,
             fmt::format("{} at bits {}..{} overlaps {} at bits {}..{}", stretch.name, stretch.begin, stretch.end - 1,
                         other.name, other.begin, other.end - 1));
    }
    stretches.push_back(std::move(stretch));
  }
}

}  // namespace accord
