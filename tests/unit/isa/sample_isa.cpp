#include "sample_isa.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace accord::test {
namespace {

std::int64_t pick(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// Fields of random widths in the bits that `offset` and `end` leave.
std::vector<Field> random_fields(std::mt19937_64& random, int offset, int end) {
  std::vector<Field> fields;
  while (true) {
    offset += static_cast<int>(pick(random, 0, 3));
    const int bits = static_cast<int>(pick(random, 1, std::min<std::int64_t>(64, 1 + pick(random, 0, 70))));
    if (offset + bits > end || fields.size() > 8) return fields;
    fields.push_back({fmt::format("f{}", fields.size()), offset, bits, pick(random, 0, 1) == 1});
    offset += bits;
  }
}

}  // namespace

int add_register(Isa& isa, const std::string& name, int bits, bool is_signed, int count) {
  const int first = isa.register_count;
  isa.registers.push_back({name, bits, is_signed, count, first});
  isa.register_count += count;
  return first;
}

Mnemonic& add_mnemonic(Isa& isa, const std::string& name, Meaning meaning, std::vector<Field> fields,
                       std::vector<Binding> arguments, std::vector<RegisterUpdate> updates) {
  Mnemonic mnemonic;
  mnemonic.name = name;
  mnemonic.opcode = isa.mnemonics.size() + 1;
  mnemonic.meaning = meaning;
  mnemonic.arguments = std::move(arguments);
  mnemonic.updates = std::move(updates);
  int offset = isa.opcode_offset + isa.opcode_bits;
  for (Field& f : fields) {
    f.offset = offset;
    offset += f.bits;
  }
  mnemonic.fields = std::move(fields);
  isa.width = std::max(isa.width, (offset + 7) / 8 * 8);
  isa.mnemonics.push_back(std::move(mnemonic));
  return isa.mnemonics.back();
}

Isa random_isa(std::mt19937_64& random) {
  Isa isa;
  isa.width = 8 * static_cast<int>(pick(random, 2, 40));
  isa.opcode_bits = static_cast<int>(pick(random, 4, std::min(isa.width - 4, pick(random, 0, 3) == 0 ? 40 : 10)));
  const bool front = pick(random, 0, 1) == 0;
  isa.opcode_offset = front ? 0 : isa.width - isa.opcode_bits;
  const int begin = front ? isa.opcode_bits : 0;
  const int end = front ? isa.width : isa.opcode_offset;
  const auto mnemonics = pick(random, 1, 15);
  const std::uint64_t step = (std::uint64_t{1} << isa.opcode_bits) / 16;
  for (std::int64_t m = 0; m < mnemonics; ++m) {
    Mnemonic mnemonic;
    mnemonic.name = fmt::format("op{}", m);
    mnemonic.opcode = static_cast<std::uint64_t>(m) * step + static_cast<std::uint64_t>(pick(random, 0, 15)) % step;
    mnemonic.meaning = Meaning::fence;
    mnemonic.fields = random_fields(random, begin, end);
    isa.mnemonics.push_back(std::move(mnemonic));
  }
  return isa;
}

Architecture around(Isa isa) {
  Architecture architecture;
  architecture.name = "sample";
  architecture.hash = "0123456789abcdef";
  architecture.controller.name = "core";
  Memory dram;
  dram.name = "dram";
  dram.off_chip = true;
  dram.capacity = std::int64_t{1} << 30;
  architecture.memories.push_back(dram);
  architecture.isa = std::move(isa);
  return architecture;
}

std::int64_t random_raw(std::mt19937_64& random, const Field& field) {
  const std::int64_t low = lowest_raw(field);
  const std::int64_t high = highest_raw(field);
  switch (pick(random, 0, 5)) {
    case 0: return low;
    case 1: return high;
    case 2: return 0;
    default: return pick(random, low, high);
  }
}

Instruction random_instruction(std::mt19937_64& random, const Isa& isa) {
  Instruction instruction;
  instruction.mnemonic = static_cast<int>(pick(random, 0, static_cast<std::int64_t>(isa.mnemonics.size()) - 1));
  for (const Field& f : isa.mnemonics[static_cast<std::size_t>(instruction.mnemonic)].fields) {
    instruction.fields.push_back(random_raw(random, f));
  }
  return instruction;
}

std::uint64_t seed() {
  const char* given = std::getenv("ACCORD_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

}  // namespace accord::test
