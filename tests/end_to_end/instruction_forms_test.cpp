// Forms that instruction sets give to arguments: do programs stay right, short, and on the machine?
#include <doctest/doctest.h>

#include "compiler/compile.h"
#include "compiler/numerics/quantise.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t forms_seed = 37;

Network two_convs() {
  return network_of(forms_seed, [](auto& b) { return b.conv(b.conv(b.input({1, 32, 15, 15}), 32, 1), 8, 3, 1, 1); });
}

Network one_conv() {
  return network_of(forms_seed, [](auto& b) { return b.conv(b.input({1, 32, 28, 28}), 64, 3, 1, 1); });
}

std::int64_t cycles_on(const Architecture& machine, const Network& network) {
  const auto job = run_checked(machine, network, forms_seed);
  for (const auto& layer : job.report.layers) {
    if (layer.macs > 0) CHECK(layer.placed_on != "host");
  }
  return job.report.total_cycles;
}

/// hvx whose vector loads and stores go through registers too narrow for its memory, behind long displacements.
std::string narrow_addresses() {
  std::string text = edited("hvx", "l2_kib: {value: 1024, range: [64,", "l2_kib: {value: 16, range: [4,");
  text = replaced(text, "KiB\", banks: 8, word: 128 B", "KiB\", word: 128 B");
  text = replaced(text, "  mnemonics:\n",
                  "    v: {count: 16, bits: 13}\n  mnemonics:\n"
                  "    set_v: {means: {set: [\"v[index]\"]}, opcode: 24, fields: {index: 4, value: 13}, args: "
                  "{\"v[index]\": value}}\n"
                  "    add_v: {means: {add: [\"v[index]\"]}, opcode: 25, fields: {index: 4, value: 13}, args: "
                  "{\"v[index]\": value}}\n");
  for (const char* bits : {"14", "20"}) {
    const std::string wide =
        std::string("base: 5, disp: {bits: ") + bits + ", signed: true}, inc: {bits: 20, signed: true}";
    text = replaced(text, wide, "base: 4, disp: 20, inc: {bits: 13, signed: true}");
  }
  return replaced(replaced(text, "\"r[base] + disp\"", "\"v[base] + disp\""), "\"r[base]\": inc", "\"v[base]\": inc");
}

std::size_t bytes_on(const Architecture& machine, const Network& network) {
  return compile(machine, quantise(network, machine.numerics, {})).text.size();
}

}  // namespace

TEST_CASE("does no loop grow an address register past its width") {
  const Architecture narrow = loaded(narrow_addresses());
  CHECK(cycles_on(narrow, two_convs()) < 2 * cycles_on(machine("hvx"), two_convs()));
}

TEST_CASE("do hardware loops take their count from a register") {
  std::string text = edited("hvx", "fields: {count: 20, length: 24}, args: {count: count, length: length}",
                            "fields: {length: 24}, args: {count: lc, length: length}");
  text = replaced(text, "  mnemonics:\n",
                  "    lc: 20\n  mnemonics:\n    set_lc: {means: {set: [lc]}, opcode: 24, fields: {lc: 20}}\n");
  CHECK(bytes_on(loaded(text), one_conv()) < bytes_on(machine("hvx"), one_conv()) * 11 / 10);
  cycles_on(loaded(text), two_convs());
}

TEST_CASE("does no loop take its count from a register that addresses go through") {
  for (const char* count : {"\"r[0]\"", "\"r[base]\""}) {
    CAPTURE(std::string(count));
    std::string fields = "fields: {length: 24}", args = "args: {count: " + std::string(count) + ", length: length}";
    if (std::string(count) == "\"r[base]\"") fields = "fields: {base: 5, length: 24}";
    cycles_on(loaded(edited("hvx", "fields: {count: 20, length: 24}, args: {count: count, length: length}",
                            fields + ", " + args)),
              two_convs());
  }
}

TEST_CASE("does a loop of more turns than its instruction counts stand as several") {
  const Architecture few = loaded(edited("hvx", "fields: {count: 20, length: 24}", "fields: {count: 3, length: 24}"));
  CHECK(bytes_on(few, one_conv()) < 4 * bytes_on(machine("hvx"), one_conv()));
  cycles_on(few, one_conv());
}

TEST_CASE("are counts in registers those that an instruction can set") {
  cycles_on(loaded(edited("hvx", "fields: {d_n1: 16, d_n2: 16}", "fields: {d_n1: 4, d_n2: 4}")), two_convs());
}

TEST_CASE("is the longest of several instructions for a way taken, wherever it stands") {
  const std::string brief =
      "    mvin_short:\n      means: {transfer: \"load.dram->spad\"}\n      opcode: 60\n"
      "      fields: {dst: {bits: 20, unit: \"${dim}\"}, src: 40, cols: 16, blocks: 1, rows: 2}\n"
      "      args: {src.base: src, dst.base: dst, n0: cols, n1: blocks, n2: rows, src.stride2: ld_stride, dst.stride1: "
      "ld_block}\n";
  const Architecture two = loaded(edited("gemmini16", "    mvin:\n", brief + "    mvin:\n"));
  CHECK(cycles_on(two, one_conv()) == cycles_on(machine("gemmini16"), one_conv()));
}

TEST_CASE("do tiles lie where addresses in units of several words begin") {
  std::string text = edited("gemmini16", "{bits: 20, unit: \"${dim}\"}", "{bits: 20, unit: \"${4 * dim}\"}");
  text = replaced(text, "spad_kib: {value: 256", "spad_kib: {value: 8");
  cycles_on(loaded(text), two_convs());
}

TEST_CASE("does an image of three channels stay on an array whose steps count words") {
  const auto rgb = network_of(forms_seed, [](auto& b) { return b.conv(b.input({1, 3, 24, 24}), 16, 3, 1, 1); });
  cycles_on(machine("genesys"), rgb);
}
