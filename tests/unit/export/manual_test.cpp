// Do memory map and instruction manual say what the machine does?
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <sstream>

#include "archdsl/export/isa_manual.h"
#include "archdsl/export/markdown.h"
#include "archdsl/export/memory_map.h"
#include "tests/shipped.h"
#include "tests/unit/export/machines.h"

using namespace accord;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The manual's text on one mnemonic.
std::string chapter(const std::string& manual, const std::string& mnemonic) {
  const std::size_t begin = manual.find("### `" + mnemonic + "`\n");
  REQUIRE(begin != std::string::npos);
  return manual.substr(begin, manual.find("\n### ", begin + 1) - begin);
}

struct BitRow {
  int low = 0;
  int bits = 0;
  std::string field;
};

/// Rows of the chapter's first table: `| 27 … 8 | 20 | `a` | ...`.
std::vector<BitRow> bit_rows(const std::string& text) {
  std::vector<BitRow> rows;
  std::istringstream lines(text.substr(text.find("| bits |")));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("|")) {
    BitRow row;
    const std::size_t second = line.find('|', 1), third = line.find('|', second + 1);
    const std::string bits = line.substr(2, second - 3);
    const std::size_t last = bits.rfind(' ');
    row.low = std::stoi(last == std::string::npos ? bits : bits.substr(last + 1));
    row.bits = std::stoi(line.substr(second + 2));
    row.field = line.substr(third + 2, line.find('|', third + 1) - third - 3);
    rows.push_back(row);
  }
  return rows;
}

/// The bits that are one when every bit of one field is.
std::vector<bool> encoded_bits(const Isa& isa, int mnemonic, std::size_t field) {
  Instruction instruction{mnemonic,
                          std::vector<std::int64_t>(isa.mnemonics[static_cast<std::size_t>(mnemonic)].fields.size())};
  const Field& f = isa.mnemonics[static_cast<std::size_t>(mnemonic)].fields[field];
  instruction.fields[field] = f.is_signed ? -1 : highest_raw(f);
  std::vector<std::byte> bytes(static_cast<std::size_t>(isa.width) / 8);
  encode(isa, instruction, bytes.data());
  std::vector<bool> bits;
  for (int i = 0; i < isa.width; ++i) {
    bits.push_back((std::to_integer<int>(bytes[static_cast<std::size_t>(i) / 8]) >> (i % 8) & 1) != 0);
  }
  return bits;
}

}  // namespace

TEST_CASE("the manual has a chapter for every mnemonic of every machine") {
  for (const auto& file : all_covenants()) {
    CAPTURE(file.string());
    const Architecture a = load_file(file);
    const std::string manual = to_isa_manual(a);
    for (const Mnemonic& m : a.isa.mnemonics) {
      const std::string text = chapter(manual, m.name);
      for (const ArgumentFact& fact : argument_facts(a, m)) {
        CAPTURE(fact.name);
        CHECK_FALSE(fact.words.empty());
        CHECK(contains(text, "| " + md_code(fact.name) + " | " + fact.words + " | "));
      }
    }
  }
}

TEST_CASE("the layout covers every bit once and lies where the encoder puts it") {
  for (const auto& file : all_covenants()) {
    CAPTURE(file.string());
    const Architecture a = load_file(file);
    const std::string manual = to_isa_manual(a);
    for (std::size_t i = 0; i < a.isa.mnemonics.size(); ++i) {
      const Mnemonic& m = a.isa.mnemonics[i];
      CAPTURE(m.name);
      int end = a.isa.width;
      for (const BitRow& row : bit_rows(chapter(manual, m.name))) {
        CHECK(row.low + row.bits == end);
        end = row.low;
        for (std::size_t f = 0; f < m.fields.size(); ++f) {
          if (row.field != md_code(m.fields[f].name)) continue;
          const std::vector<bool> bits = encoded_bits(a.isa, static_cast<int>(i), f);
          for (int bit = row.low; bit < row.low + row.bits; ++bit) CHECK(bits[static_cast<std::size_t>(bit)]);
        }
      }
      CHECK(end == 0);
    }
  }
}

TEST_CASE("a chapter says meaning, arguments, updates, time and energy") {
  const std::string manual = to_isa_manual(shipped("gemmini16"));
  const std::string compute = chapter(manual, "compute");
  for (const char* const part :
       {"c[i, j] += i32(a[i, k]) * i32(b[k, j])", "steps 16 B, 1 B, held by the unit",
        "| `i` | extent of dimension `i` | `i` | 0 … 255 | 1 … 16 |", "`max(i, 16)` (16 at",
        "| 27 … 8 | 20 | `a` | 0 … 1048575 | units of 16 |", "Energy: 0.3 pJ per point of the iteration space"}) {
    CAPTURE(part);
    CHECK(contains(compute, part));
  }
  CHECK(contains(chapter(manual, "mvin"), "20 cycles of set-up, then requests of at most 64 B"));
  CHECK(contains(chapter(manual, "mvin"), "over `bus`, 16 B per cycle each way"));
  CHECK(contains(chapter(manual, "preload"), "- `b_addr` := `b_addr`, `b_addr` counting 16"));
  CHECK(contains(chapter(manual, "wait_load"), "none: the machine is not ordered by semaphores"));
  Architecture hvx = shipped("hvx");
  CHECK(contains(chapter(to_isa_manual(hvx), "vmem"), "After the operands are read:\n\n- `r[base]` += `inc`"));
  for (Memory& memory : hvx.memories) memory.energy = {};
  CHECK(contains(chapter(to_isa_manual(hvx), "vmem"), "Energy: the covenant declares none."));
  hvx.memories[1].energy.read_pj = 0.5;
  CHECK(contains(chapter(to_isa_manual(hvx), "vmem"), "Energy: 0.5 pJ per byte read from `l2`."));
}

TEST_CASE("a chapter says which units a field chooses from") {
  const std::string ld = chapter(to_isa_manual(array_of_cores()), "ld");
  CHECK(contains(ld, "Goes to one of 4 units, `core[c].dma`; `c` is 0 … 3. Said here of the first, `core[0].dma`."));
  CHECK(contains(chapter(to_isa_manual(array_of_cores()), "bc"), "the same to `core[3].spad`"));
}

TEST_CASE("the memory map gives ranges, banks and users") {
  const std::string map = to_memory_map(shipped("gemmini16"));
  CHECK(contains(map,
                 "| `spad` | `0x00000 … 0x3ffff` | 256 KiB | 4 × 64 KiB<br>0: `0x00000 … 0x0ffff`<br>1: `0x10000 …"));
  CHECK(contains(map, "`mesh` `matmul`: `c`"));
  const std::string pool = "`store` `max_pool`: `y`";
  CHECK(contains(map, pool));
  CHECK(map.find(pool) == map.rfind(pool));  // it assigns what it then accumulates into: written, never read
}

TEST_CASE("memories of an array share a row") {
  const std::string map = to_memory_map(many_cores(shipped("gemmini16"), 64));
  CHECK(std::count(map.begin(), map.end(), '\n') < 20);
  CHECK(contains(map, "| `core[0..63].spad`<br>64 memories |"));
  CHECK(contains(map, "`core[0..63].load` moves to `core[0..63].spad`"));
  CHECK(map.size() < 8000);
}

TEST_CASE("no name breaks a table") {
  Architecture a = shipped("gemmini16");
  a.memories[1].name = "a|b`c";
  a.name = "x # *y*";
  CHECK(contains(to_memory_map(a), "| `` a\\|b`c `` |"));
  CHECK(contains(to_memory_map(a), "# Memory map of x \\# \\*y\\*"));
  CHECK(md_code("two\nlines") == "`two lines`");
}
