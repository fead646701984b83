#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "archdsl/isa/program.h"
#include "archdsl/source/error.h"
#include "sample_isa.h"
#include "tests/file_text.h"
#include "tests/scratch.h"

using namespace accord;
using namespace accord::test;

namespace {

/// A program's file.
class ProgramFile {
 public:
  const std::filesystem::path& path() const { return scratch_.path; }

  std::string read() const { return file_text(path()); }

  void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }

 private:
  Scratch scratch_{"program.elf"};
};

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), n);
  pclose(pipe);
  return output;
}

/// Reading must end in a program or an Error; anything else fails the test by itself.
bool reads(const std::filesystem::path& file) {
  try {
    read_program(file);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("does a program file give back what was written?") {
  const std::uint64_t start = seed();
  CAPTURE(start);
  std::mt19937_64 random(start);
  const ProgramFile file;
  for (int round = 0; round < 150; ++round) {
    const Architecture architecture = around(random_isa(random));
    const Program program = random_program(random, architecture);
    write_program(program, file.path());
    REQUIRE(describe(read_program(file.path())) == describe(program));
  }
}

TEST_CASE("does readelf understand it?") {
  Isa isa;
  isa.width = 16;
  add_mnemonic(isa, "nop", Meaning::fence, {{"a", 0, 8, false}}, {});
  const Architecture architecture = around(isa);
  Program program;
  program.architecture = "sample";
  program.architecture_hash = "cafe";
  program.controller = "rocc";
  program.text.resize(6);
  program.images.push_back({"dram", 0x1230, std::vector<std::byte>(64)});
  program.symbols.push_back({"weights", "dram", 0x1240, ElementType::i8, {4, 8}, {8, 1}, Symbol::Role::constant});
  program.symbols.push_back({"x", "dram", 0x9000, ElementType::i32, {4}, {4}, Symbol::Role::input});
  program.layers.emplace_back().name = "conv1";
  program.map.push_back({0, 3, 0, "c[i,j] += a[i,k]"});
  const ProgramFile file;
  write_program(program, file.path());
  const std::string text = output_of("LC_ALL=C readelf -aW " + file.path().string() + " 2>&1");
  CAPTURE(text);
  CHECK(text.find(".text.rocc") != std::string::npos);
  CHECK(text.find(".data.dram.0      PROGBITS        0000000000001230") != std::string::npos);
  CHECK(text.find("0000000000001240    32 OBJECT  LOCAL  DEFAULT    2 weights") != std::string::npos);
  CHECK(text.find("0000000000009000    16 OBJECT  GLOBAL DEFAULT  ABS x") != std::string::npos);
  CHECK(text.find(".note.accord") != std::string::npos);
  CHECK(text.find("arning") == std::string::npos);
  CHECK(text.find("rror") == std::string::npos);
  CHECK(output_of("LC_ALL=C readelf -p .accord.strings " + file.path().string()).find("c[i,j] += a[i,k]") !=
        std::string::npos);
}

TEST_CASE("is every cut-off or damaged file an error or a program, never a crash?") {
  const std::uint64_t start = seed();
  CAPTURE(start);
  std::mt19937_64 random(start);
  const ProgramFile file;
  const Architecture architecture = around(random_isa(random));
  Program program = random_program(random, architecture);
  program.images.clear();
  write_program(program, file.path());
  const std::string good = file.read();
  const std::size_t step = std::max<std::size_t>(1, good.size() / 500);
  for (std::size_t length = 0; length < good.size(); length += step) {
    file.write(good.substr(0, length));
    CHECK_FALSE(reads(file.path()));
  }
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (auto n = 1 + random() % 4; n > 0; --n) {
      // Headers lie at the front and the section table at the end.
      const std::size_t from = random() % 3 == 0 ? bad.size() - std::min<std::size_t>(bad.size(), 900) : 0;
      const std::size_t at = from + random() % std::min(bad.size() - from, random() % 2 == 0 ? 64 : bad.size() - from);
      bad[at] = random() % 2 == 0 ? static_cast<char>(random()) : static_cast<char>(0xff);
    }
    file.write(bad);
    refused += reads(file.path()) ? 0 : 1;
  }
  CHECK(refused > 0);
}

TEST_CASE("are files that are no program files refused with a reason?") {
  const ProgramFile file;
  const auto reason = [&](const std::filesystem::path& path) -> std::string {
    try {
      read_program(path);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  };
  file.write("hello");
  CHECK(reason(file.path()).find("not an ELF file") != std::string::npos);
  file.write("");
  CHECK(reason(file.path()).find("not an ELF file") != std::string::npos);
  CHECK(reason("/proc/self/exe").find("is for machine") != std::string::npos);
  CHECK(reason("/tmp").find("not a regular file") != std::string::npos);
  CHECK(reason("/no/such/file").find("No such file") != std::string::npos);
}

TEST_CASE("are programs that make no sense refused before anything is written?") {
  const ProgramFile file;
  Program program;
  program.map.push_back({0, 1, 3, ""});
  CHECK_THROWS_AS(write_program(program, file.path()), Error);
  CHECK_FALSE(std::filesystem::exists(file.path()));
  program.map.clear();
  program.layers.emplace_back().name = "\xff";
  CHECK_THROWS_AS(write_program(program, file.path()), Error);
  CHECK_THROWS_AS(write_program({}, "/no/such/folder/p.elf"), Error);
}

TEST_CASE("are large images in the file where they are in memory, by pages?") {
  Program program;
  program.architecture = "pages";
  program.text.resize(8);
  for (const std::int64_t address : {64, 20000, 40961}) {
    Image image{"dram", address, std::vector<std::byte>(9000, std::byte{static_cast<unsigned char>(address % 251)}), 0};
    program.images.push_back(std::move(image));
  }
  const ProgramFile file;
  write_program(program, file.path());
  const Program read = read_program(file.path());
  REQUIRE(read.images == program.images);
  for (const Image& image : read.images) {
    REQUIRE(image.bytes.file() != nullptr);
    CHECK(image.bytes.offset() % 4096 == static_cast<std::size_t>(image.address % 4096));
  }
}
