#include <doctest/doctest.h>

#include <vector>

#include "archdsl/isa/isa.h"
#include "sample_isa.h"

using namespace accord;
using namespace accord::test;

namespace {

/// Bit by bit, as the definition of Field says.
std::int64_t slow_read(const std::vector<std::byte>& bytes, const Field& f) {
  std::uint64_t value = 0;
  for (int i = 0; i < f.bits; ++i) {
    const int bit = f.offset + i;
    const auto byte = static_cast<unsigned>(bytes[static_cast<std::size_t>(bit / 8)]);
    if ((byte >> (bit % 8) & 1U) != 0) value |= std::uint64_t{1} << i;
  }
  if (f.is_signed && f.bits < 64 && (value >> (f.bits - 1) & 1U) != 0) value |= ~std::uint64_t{0} << f.bits;
  return static_cast<std::int64_t>(value);
}

}  // namespace

TEST_CASE("are bits where the fields say they are?") {
  Isa isa;
  isa.width = 32;
  Mnemonic& m = add_mnemonic(isa, "op", Meaning::fence, {{"a", 0, 4, false}, {"b", 0, 12, true}}, {});
  m.opcode = 0xa5;
  std::vector<std::byte> bytes(4);
  encode(isa, {0, {0x3, -2}}, bytes.data());
  CHECK(bytes == std::vector<std::byte>{std::byte{0xa5}, std::byte{0xe3}, std::byte{0xff}, std::byte{0}});
}

TEST_CASE("do decode and encode agree with a bit-by-bit reading, for any layout?") {
  const std::uint64_t start = seed();
  CAPTURE(start);
  std::mt19937_64 random(start);
  for (int round = 0; round < 300; ++round) {
    const Isa isa = random_isa(random);
    const Decoder decoder(isa);
    std::vector<std::byte> bytes(static_cast<std::size_t>(isa.width) / 8);
    REQUIRE(decoder.size() == bytes.size());
    for (int i = 0; i < 20; ++i) {
      const Instruction instruction = random_instruction(random, isa);
      encode(isa, instruction, bytes.data());
      const Mnemonic& m = isa.mnemonics[static_cast<std::size_t>(instruction.mnemonic)];
      for (std::size_t f = 0; f < m.fields.size(); ++f) CHECK(slow_read(bytes, m.fields[f]) == instruction.fields[f]);
      Instruction fast;
      Instruction slow;
      REQUIRE(decoder.decode(bytes.data(), fast));
      REQUIRE(decode(isa, bytes.data(), slow));
      CHECK(fast == instruction);
      CHECK(slow == instruction);
    }
  }
}

TEST_CASE("are undefined encodings refused, without touching the result?") {
  Isa isa;
  isa.width = 16;
  const int file = add_register(isa, "acc", 16, false, 3);
  add_mnemonic(isa, "op", Meaning::run, {{"which", 0, 4, false}}, {indexed(file, 0)});
  Instruction out{7, {1, 2, 3}};
  const Instruction before = out;
  const std::vector<std::byte> opcode{std::byte{9}, std::byte{0}};
  const std::vector<std::byte> index{std::byte{1}, std::byte{3}};
  for (const auto& bytes : {opcode, index}) {
    CHECK_FALSE(decode(isa, bytes.data(), out));
    CHECK_FALSE(Decoder(isa).decode(bytes.data(), out));
    CHECK(out == before);
  }
  const std::vector<std::byte> legal{std::byte{1}, std::byte{2}};
  CHECK(Decoder(isa).decode(legal.data(), out));
}

TEST_CASE("what do fields hold?") {
  CHECK(fits({"u8", 0, 8, false}, 255));
  CHECK_FALSE(fits({"u8", 0, 8, false}, 256));
  CHECK_FALSE(fits({"u8", 0, 8, false}, -1));
  CHECK(fits({"s8", 0, 8, true}, -128));
  CHECK_FALSE(fits({"s8", 0, 8, true}, 128));
  CHECK(fits({"u63", 0, 63, false}, INT64_MAX));
  CHECK(fits({"u64", 0, 64, false}, -1));
  CHECK(fits({"s1", 0, 1, true}, -1));
}

TEST_CASE("what is the value of a binding?") {
  const std::vector<std::int64_t> fields{2, -3};
  const std::vector<std::int64_t> registers{100, 200, 300};
  CHECK(value_of(constant(7), fields, registers) == 7);
  CHECK(value_of(field(1, 16, 5), fields, registers) == -43);
  CHECK(value_of(fixed(1), fields, registers) == 200);
  CHECK(value_of(fixed(1, 0, 4), fields, registers) == 208);
  CHECK(value_of(indexed(0, 0, 1, 10), fields, registers) == 270);
  CHECK(value_of(indexed(1, 0), fields, registers) == 0);  // beyond the registers
  CHECK(value_of(fixed(0), fields, std::vector<std::int64_t>{INT64_MAX}) == INT64_MAX);
}

TEST_CASE("do registers wrap at their width?") {
  CHECK(wrap({"u4", 4, false}, 17) == 1);
  CHECK(wrap({"u4", 4, false}, -1) == 15);
  CHECK(wrap({"s4", 4, true}, 8) == -8);
  CHECK(wrap({"s64", 64, true}, INT64_MIN) == INT64_MIN);
}
