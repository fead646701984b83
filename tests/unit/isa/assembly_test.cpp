#include <doctest/doctest.h>

#include <cstring>

#include "archdsl/isa/program.h"
#include "archdsl/source/error.h"
#include "sample_isa.h"

using namespace accord;
using namespace accord::test;

namespace {

Architecture sample() {
  Isa isa;
  isa.width = 64;
  add_mnemonic(isa, "mvin", Meaning::run, {{"rows", 0, 8, false}, {"src", 0, 32, false}, {"step", 0, 4, true}},
               {field(0), field(1, 16), field(2)});
  add_mnemonic(isa, "loop", Meaning::loop, {{"count", 0, 16, false}, {"length", 0, 8, false}}, {field(0), field(1)});
  add_mnemonic(isa, "fence", Meaning::fence, {}, {});
  return around(isa);
}

std::string mistakes(const std::string& text) {
  try {
    assemble(sample(), text, "p.s");
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

std::vector<std::int64_t> fields_at(const Program& program, std::size_t index) {
  const Isa isa = sample().isa;
  Instruction instruction;
  REQUIRE(decode(isa, program.text.data() + index * static_cast<std::size_t>(isa.width) / 8, instruction));
  return instruction.fields;
}

}  // namespace

TEST_CASE("does assembling a disassembled program give the program back?") {
  const std::uint64_t start = seed();
  CAPTURE(start);
  std::mt19937_64 random(start);
  for (int round = 0; round < 400; ++round) {
    const Architecture architecture = around(random_isa(random));
    const Program program = random_program(random, architecture);
    const std::string text = disassemble(architecture, program);
    CAPTURE(text);
    const Program again = assemble(architecture, text, "again.s");
    REQUIRE(describe(again) == describe(program));
    REQUIRE(disassemble(architecture, again) == text);
  }
}

TEST_CASE("does a hand-written program need no more than instructions, symbols and images?") {
  const Program program = assemble(sample(), R"(
# doubles a vector
.symbol x dram 0x1000 i8 [2, 3] input
.symbol "y 1" dram 0x2000 i32 [2,3] [12,4] output
.image dram 0x1000 i8 1 -2 0x7f
  4, 5,
  6
.image dram 0x3000 zeros 16
.image dram 0x4000 fp32 1.5 -inf   # comment
start:
  mvin rows=3, src=@x, step=-8
  loop count=10, length=end
    mvin src=@"y 1", rows=0xff
    fence            # the last of the loop
end: fence
)",
                                   "p.s");
  CHECK(program.architecture == "sample");
  CHECK(program.architecture_hash == "0123456789abcdef");
  CHECK(program.controller == "core");
  REQUIRE(program.text.size() == 5 * 8);
  CHECK(fields_at(program, 0) == std::vector<std::int64_t>{3, 0x100, -8});
  CHECK(fields_at(program, 1) == std::vector<std::int64_t>{10, 2});
  CHECK(fields_at(program, 2) == std::vector<std::int64_t>{255, 0x200, 0});
  REQUIRE(program.symbols.size() == 2);
  CHECK(program.symbols[0] == Symbol{"x", "dram", 0x1000, ElementType::i8, {2, 3}, {3, 1}, Symbol::Role::input});
  CHECK(program.symbols[1] == Symbol{"y 1", "dram", 0x2000, ElementType::i32, {2, 3}, {12, 4}, Symbol::Role::output});
  REQUIRE(program.images.size() == 3);
  CHECK(program.images[0].bytes == std::vector<std::byte>{std::byte{1}, std::byte{0xfe}, std::byte{0x7f}, std::byte{4},
                                                          std::byte{5}, std::byte{6}});
  CHECK(program.images[1].bytes.empty());
  CHECK(program.images[1].zeros == 16);
  float value = 0;
  std::memcpy(&value, program.images[2].bytes.data(), 4);
  CHECK(value == 1.5F);
  CHECK(program.stages.empty());
}

TEST_CASE("do .at lines map instructions to layers and statements?") {
  const Program program = assemble(sample(), R"(
.layer {"name": "conv1"}
fence
.at 0 "load a"
fence
fence
.at 0 "mat\"mul"
fence
.at none
fence
)",
                                   "p.s");
  CHECK(program.map == std::vector<MapEntry>{{1, 2, 0, "load a"}, {3, 1, 0, "mat\"mul"}});
}

TEST_CASE("are all mistakes reported, each with its place and what was expected?") {
  CHECK(mistakes("mvim rows=1\n  mvin row=1\nmvin rows=256, step=8\nmvin rows=1 src=2\nfence now=1\n") ==
        "p.s:1:1: unknown mnemonic `mvim`; did you mean `mvin`?\n"
        "p.s:2:8: `mvin` has no field `row`; did you mean `rows`?\n"
        "p.s:3:11: field `rows` holds 0 to 255, 256 does not fit\n"
        "p.s:3:21: field `step` holds -8 to 7, 8 does not fit\n"
        "p.s:4:13: `,` or the end of the line expected\n"
        "p.s:5:7: `fence` has no field `now`");
  CHECK(mistakes("mvin rows=1, rows=2") == "p.s:1:14: field `rows` is given twice");
  CHECK(mistakes("mvin rows 1") == "p.s:1:11: `=` expected after field `rows`");
  CHECK(mistakes("mvin rows=1,") == "p.s:1:13: a field expected after `,`");
  CHECK(mistakes("mvin src=here") == "p.s:1:10: a number or @symbol expected for field `src`");
  CHECK(mistakes("mvin src=@x") == "p.s:1:10: unknown symbol `x`");
  CHECK(mistakes("loop length=x") == "p.s:1:13: unknown label `x`");
  const std::string behind = "label `x` does not stand behind the loop, whose end it is to be";
  CHECK(mistakes("x: fence\nloop length=x") == "p.s:2:13: " + behind);
  CHECK(mistakes("x: loop length=x") == "p.s:1:16: " + behind);
  CHECK(mistakes("a: fence\na: fence") == "p.s:2:1: label `a` stands elsewhere too");
  CHECK(mistakes(".symbol x dram 8 i8 [2]\nmvin src=@x") == "p.s:2:10: field `src` counts in units of 16");
}

TEST_CASE("is a register that its file does not have a mistake, and are its line's others told?") {
  Isa isa;
  isa.width = 64;
  const int file = add_register(isa, "k", 32, false, 3);
  add_mnemonic(isa, "set", Meaning::set, {{"k", 8, 3, false}, {"value", 16, 16, false}}, {},
               {update_indexed(file, 0, field(1))});
  const Architecture machine = around(isa);
  CHECK(assemble(machine, "set k=2, value=7\n", "p.s").text.size() == 8);
  const auto told = [&](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH_AS(assemble(machine, text, "p.s"), doctest::Contains(message.c_str()), Error);
  };
  told("set k=3, value=@nothing\n", "p.s:1:7: field `k` chooses one of 3 registers, 3 is none of them");
  told("set k=3, value=@nothing\n", "p.s:1:16: unknown symbol `nothing`");
  told(".symbol x dram 5 i8 [1]\nset k=@x, value=1\n", "p.s:2:7: field `k` chooses a register, `x` is none");
}

TEST_CASE("are mistakes in directives reported?") {
  CHECK(mistakes(".simbol x") == "p.s:1:1: unknown directive `.simbol`; did you mean `.symbol`?");
  CHECK(mistakes(".symbol x drum 0 i8 []") == "p.s:1:11: unknown memory `drum`; did you mean `dram`?");
  CHECK(mistakes(".symbol x dram -1 i8 []") == "p.s:1:16: an address expected");
  CHECK(mistakes(".symbol x dram 0 i9 []") == "p.s:1:18: an element type (i8, fp32, ...) expected");
  CHECK(mistakes(".symbol x dram 0 i8 [1,2] [1]") == "p.s:1:27: 2 strides expected, one per dimension");
  CHECK(mistakes(".symbol x dram 0 i8 [4]\n.symbol x dram 8 i8 [4]") == "p.s:2:9: a second symbol `x`");
  CHECK(mistakes(".symbol x dram 0 i8 [99999999999999]") == "p.s:1:21: symbol `x` does not fit into memory `dram`");
  CHECK(mistakes(".symbol x dram 0 i8 [2] [-1]") == "p.s:1:21: symbol `x` does not fit into memory `dram`");
  CHECK(mistakes(".symbol x dram 0 i8 [] inputs") == "p.s:1:24: input, output, constant or intermediate expected");
  CHECK(mistakes(".image dram 0 i8 128") == "p.s:1:18: i8 holds integers from -128 to 127, not 128");
  CHECK(mistakes(".image dram 0 fp16 1e5") == "p.s:1:20: fp16 holds numbers from -65504 to 65504, not 1e5");
  CHECK(mistakes(".image dram 0 i8 1.5") == "p.s:1:18: i8 holds integers from -128 to 127, not 1.5");
  CHECK(mistakes(".image dram 0x3fffffff i8 1 2") == "p.s:1:29: the memory ends here");
  CHECK(mistakes(".image dram 0 zeros 99999999999") == "p.s:1:21: a number of bytes from 0 to 1073741824 expected");
  CHECK(mistakes(".image dram 0 base64 6\nAAAA\nfence") == "p.s:3:6: base64 (groups of four characters) expected");
  CHECK(mistakes(".image dram 0 base64 6\nAAAA\n.at none") == "p.s:3:1: base64 expected: the image lacks 3 bytes");
  CHECK(mistakes(".image dram 0 base64 2\nAAAA") == "p.s:2:1: 1 bytes more than the image holds");
  CHECK(mistakes("1 2 3").find("p.s:1:1: a mnemonic or a directive expected") == 0);
  CHECK(mistakes(".layer {\"nam\": 1}") == "p.s:1:8: a layer as JSON expected: unknown key `nam`");
  CHECK(mistakes(".stage {") == "p.s:1:8: a stage as JSON expected: no well-formed JSON, from byte 2 on");
  CHECK(mistakes(".stage 1e999") == "p.s:1:8: a stage as JSON expected: JSON holds a number beyond all bounds");
  CHECK(mistakes(".at 0 \"x\"\nfence") == "p.s:3:1: layer 0 does not exist");
  CHECK(mistakes(".bytes 0g") == "p.s:1:8: hexadecimal digits expected");
  CHECK(mistakes(".bytes 00\nfence") == "p.s:2:1: an instruction follows bytes that are no whole instruction");
  CHECK(mistakes(".controller cpu") == "p.s:1:12: the covenant's controller is `core`, not `cpu`");
  CHECK(mistakes(".controller core d") == "p.s:1:18: the end of the line expected");
}

TEST_CASE("is a hopeless text cut short?") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "what is this\n";
  const std::string all = mistakes(text);
  CHECK(all.find("p.s:100:1:") != std::string::npos);
  CHECK(all.find("p.s:101:1:") == std::string::npos);
  CHECK(all.find("900 more mistakes") != std::string::npos);
}

TEST_CASE("is every damaged text a program or an error, never a crash?") {
  const std::uint64_t start = seed();
  CAPTURE(start);
  std::mt19937_64 random(start);
  const std::string pieces = "\"\\[]{}=,:#.@-+0x9\n\t ~\xff";
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    const Architecture architecture = around(random_isa(random));
    Program program = random_program(random, architecture);
    if (round % 4 != 0) program.images.clear();
    std::string text = disassemble(architecture, program);
    for (auto n = 1 + random() % 3; n > 0 && !text.empty(); --n) {
      const std::size_t at = random() % text.size();
      const std::size_t length = random() % 4 == 0 ? random() % 20 : random() % 2;
      text.replace(at, length, 1, pieces[random() % pieces.size()]);
    }
    try {
      assemble(architecture, text, "p.s");
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 0);
}
