// Sums that nothing off chip reaches: do instructions begin them, with the bias or with 0, on machines of every kind?
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/environment.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

std::string machine_text() { return file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/started_sums.yaml"); }

/// Its instruction sets 0 alone.
std::string sets_zero() {
  std::string text =
      replaced(machine_text(), "c[i,j] = b[j]', types: {b: i32, c: i32}", "c[i,j] = 0', types: {c: i32}");
  text = replaced(text, "operands: {b: {in: l2, steps: [4 B]}, c:", "operands: {c:");
  return replaced(text, "fields: {i: 8, j: 8, b_b: 32, c_b: 16}, args: {i: i, j: j, b.base: b_b, c.base: c_b}",
                  "fields: {i: 8, j: 8, c_b: 16}, args: {i: i, j: j, c.base: c_b}");
}

/// What requantises adds a bias.
std::string adds_bias(std::string text) {
  text = replaced(text, "fp32(x[r,q]) * scale[q]), lo, hi))', types: {",
                  "fp32(x[r,q] + b[q]) * scale[q]), lo, hi))', types: {b: i32, ");
  text =
      replaced(text, "scale: {in: l2, steps: [4 B]}, y", "b: {in: l2, steps: [4 B]}, scale: {in: l2, steps: [4 B]}, y");
  text = replaced(text, "x_b: 16, sc: 32,", "x_b: 16, bias: 32, sc: 32,");
  return replaced(text, "x.base: x_b, scale", "x.base: x_b, b.base: bias, scale");
}

/// Something else adds it to the sums.
std::string adds_bias_apart(const std::string& text) {
  return with_vector_capability(
      text,
      "add: {does: 'z[r,q] = x[r,q] + b[q]', types: {x: i32, b: i32, z: i32}, dims: {r: 1..16, q: 1..16}, operands: "
      "{x: {in: tiles, steps: [64 B, 4 B]}, b: {in: l2, steps: [4 B]}, z: {in: tiles, steps: [64 B, 4 B]}}, timing: "
      "{interval: r, drain: 3}}",
      "add: {means: {run: vector.add}, opcode: 20, fields: {r: 8, q: 8, x_b: 16, b_b: 32, z_b: 16}, args: {r: r, q: q, "
      "x.base: x_b, b.base: b_b, z.base: z_b}}");
}

/// It adds other tensors to the sums.
std::string adds_residual(const std::string& text) {
  return with_vector_capability(
      text,
      "accumulate: {does: 'c[r,q] += i32(x[r,q]) * m[q]', types: {x: i8, m: i32, c: i32}, dims: {r: 1..16, q: 1..16}, "
      "operands: {x: {in: l2, steps: [free, 1 B]}, m: {in: l2, steps: [4 B]}, c: {in: tiles, steps: [64 B, 4 B]}}, "
      "timing: {interval: r, drain: 3}}",
      "accumulate: {means: {run: vector.accumulate}, opcode: 24, fields: {r: 8, q: 8, x_b: 32, x_s: 32, m_b: 32, c_b: "
      "16}, args: {r: r, q: q, x.base: x_b, x.stride0: x_s, m.base: m_b, c.base: c_b}}");
}

/// With that line of another machine, changed, before the capabilities or mnemonics of products.
std::string with_line_of(const std::string& text, const std::string& other, const std::string& begin,
                         const std::string& from = "", const std::string& to = "") {
  std::string line = line_of(other, begin);
  if (!from.empty()) line = replaced(line, from, to);
  const bool means = begin.find("means") != std::string::npos;
  return replaced(text, means ? "    products: {means" : "      add_products: {",
                  line + (means ? "    products: {means" : "      add_products: {"));
}

/// The first products of each sum are another instruction's.
std::string opens() {
  const std::string text = adds_bias(sets_zero());
  const std::string products = "does: 'c[i,j] += i32(a[i,k]) * i32(b[j,k])'";
  const std::size_t begin = text.find("      begin: {does"), main = text.find("      add_products: {");
  std::string first = text.substr(main, text.find('\n', main) + 1 - main);
  first = replaced(replaced(first, "add_products", "first_products"), products,
                   "does: ['c[i,j] = 0', 'c[i,j] += i32(a[i,k]) * i32(b[j,k])']");
  std::string result = text.substr(0, begin) + first + text.substr(main);
  const std::size_t mnemonic = result.find("    begin: {means");
  const std::size_t like = result.find("    products: {means");
  std::string line = result.substr(like, result.find('\n', like) + 1 - like);
  line = replaced(replaced(replaced(line, "    products", "    first"), "add_products", "first_products"), "opcode: 5",
                  "opcode: 4");
  return result.substr(0, mnemonic) + line + result.substr(like);
}

/// Beside the instruction that sets them to 0.
std::string opens_or_sets(const std::string& interval = "16") {
  const std::string both = with_line_of(with_line_of(opens(), sets_zero(), "      begin: {does"), sets_zero(),
                                        "    begin: {means", "opcode: 4", "opcode: 40");
  const std::size_t at = both.find("      first_products: {"), end = both.find('\n', at);
  return both.substr(0, at) + replaced(both.substr(at, end - at), "interval: 16", "interval: " + interval) +
         both.substr(end);
}

/// A mover brings tiles of sums, too.
std::string with_route(std::string text) {
  text = replaced(text, "  st: {kind: mover,",
                  "  tl: {kind: mover, routes: [{from: l2, to: tiles, walk: [{max: 64 B}, {max: 16, source: free, "
                  "target: 64 B}]}], request: 64 B, in_flight: 8, setup: 1}\n  st: {kind: mover,");
  return replaced(
      text, "    begin: {means",
      "    tile_load: {means: {transfer: tl.l2->tiles}, opcode: 21, fields: {src: 32, dst: 16, n0: 8, n1: 8, s1: "
      "32}, args: {src.base: src, dst.base: dst, n0: n0, n1: n1, src.stride1: s1}}\n"
      "    wait_tl: {means: {wait: tl}, opcode: 22, fields: {semaphore: 8}}\n"
      "    signal_tl: {means: {signal: tl}, opcode: 23, fields: {semaphore: 8}}\n    begin: {means");
}

/// The weights stay in the unit.
std::string holds(std::string text) {
  text = replaced(text, "b: {in: l2, steps: [free, 1 B]}", "b: {in: l2, steps: [64 B, 1 B], held: true}");
  text = replaced(replaced(text, "b_b: 32, b_s: 32,", "b_b: 32, b_l: 1,"), "b.stride0: b_s", "b.load: b_l");
  return replaced(text, "interval: 16, drain: 8", "interval: 'i + b.load * 16', drain: 8");
}

std::string synchronised(const std::string& text, const std::string& how) {
  return replaced(text, "sync: {semaphores: {count: 64, max: 255}}", "sync: " + how);
}

std::string with_loops(const std::string& text) {
  return replaced(replaced(text, "issue_width: 2}", "issue_width: 2, loop_depth: 3}"), "  mnemonics:\n",
                  "  mnemonics:\n    loop: {means: loop, opcode: 30, fields: {count: 24, length: 16}}\n");
}

/// Machines of all kinds of beginnings and of order.
std::vector<std::pair<std::string, std::string>> all_machines() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"bias", machine_text()},
                                   {"zero, requantised with a bias", adds_bias(sets_zero())},
                                   {"zero, a bias added", adds_bias_apart(sets_zero())},
                                   {"zero, a residual", adds_residual(adds_bias(sets_zero()))},
                                   {"opening", opens()},
                                   {"opening, a residual", adds_residual(opens())},
                                   {"opening, weights held", holds(opens())}}) {
    found.emplace_back(name, text);
    found.emplace_back(name + ", in order", synchronised(text, "in_order"));
    found.emplace_back(name + ", interlock", synchronised(text, "{interlock: {entries: 12}}"));
    found.emplace_back(name + ", loops", with_loops(synchronised(text, "in_order")));
  }
  return found;
}

Network two_layers(std::uint64_t seed) {
  return network_of(seed, [](auto& b) { return b.conv(b.relu(b.conv(b.input({1, 16, 9, 9}), 24, 3, 1, 1)), 10, 1); });
}

Network residual(std::uint64_t seed) {
  return network_of(seed, [](auto& b) {
    const TensorId x = b.input({4, 16});
    return b.add(b.gemm(x, 16), x);
  });
}

Network product(std::uint64_t seed) {
  return network_of(seed, [](auto& b) { return b.gemm(b.input({20, 200}), 50); });
}

constexpr std::uint64_t started_seed = 11;

}  // namespace

TEST_CASE("do products run where instructions alone begin sums, and are they right") {
  for (const auto& [name, text] : all_machines()) {
    CAPTURE(name);
    const Architecture architecture = loaded(text);
    for (const Network& network : {two_layers(started_seed), product(started_seed), residual(started_seed)}) {
      const auto job = run_checked(architecture, network, started_seed);
      for (const auto& layer : job.report.layers) {
        CAPTURE(layer.name);
        const bool multiplies =
            layer.op.find("Conv") != std::string::npos || layer.op.find("Gemm") != std::string::npos;
        CHECK((!multiplies || layer.placed_on == "matrix"));
      }
    }
  }
}

TEST_CASE("does a first product that sets its sums save the instruction that sets them to 0") {
  const Network network = product(started_seed);
  const auto cycles = [&](const std::string& text) {
    return run_checked(loaded(text), network, started_seed).report.total_cycles;
  };
  CHECK(cycles(opens()) < cycles(adds_bias(sets_zero())));
}

TEST_CASE("do instructions that set 0 in a cycle take the place of transfers that bring it, and slow ones not") {
  const Network network = network_of(started_seed, [](auto& b) {
    return b.matmul(b.input({20, 100}), b.input({100, 50}));
  });
  const std::string slow = with_route(sets_zero());
  const std::string quick =
      replaced(slow, "timing: {start: 1, interval: i, drain: 2}", "timing: {start: 1, interval: 1, drain: 2}");
  const auto cycles = [&](const std::string& text) {
    return run_checked(loaded(text), network, started_seed).report.total_cycles;
  };
  const std::int64_t never = cycles(replaced(slow, "= 0', types", "= 1', types"));
  CHECK(cycles(quick) < never);
  CHECK(cycles(slow) <= never);
}

TEST_CASE("is a first product that takes longer than setting 0 left alone, and one that reaches less far") {
  const Network network = product(started_seed);
  const auto cycles = [&](const std::string& text) {
    return run_checked(loaded(text), network, started_seed).report.total_cycles;
  };
  const std::int64_t set = cycles(adds_bias(sets_zero())), quick = cycles(opens_or_sets());
  CHECK(quick < set);
  CHECK(cycles(opens_or_sets("600")) == set);
  const std::string opening = line_of(opens_or_sets(), "    first: {means");
  CHECK(cycles(replaced(opens_or_sets(), opening, replaced(opening, "c_b: 16", "c_b: 8"))) == set);
  CHECK(cycles(replaced(opens_or_sets(), opening, "")) == set);
}

TEST_CASE("is a first product left alone that is as quick for long sums and slower for the layer's own") {
  const std::string main = line_of(opens_or_sets(), "      add_products: {");
  const std::string by_depth = replaced(main, "interval: 16", "interval: k");
  const Network network = network_of(started_seed, [](auto& b) { return b.gemm(b.input({48, 8}), 80); });
  const auto cycles = [&](std::string text) {
    text = replaced(text, line_of(text, "      add_products: {"), by_depth);
    return run_checked(loaded(text), network, started_seed).report.total_cycles;
  };
  CHECK(cycles(opens_or_sets("64")) <= cycles(adds_bias(sets_zero())));
}

TEST_CASE("do quick first products whose encoding reaches less far leave layers to the machine") {
  const std::string opening = line_of(opens_or_sets("4"), "    first: {means");
  const std::string text = replaced(opens_or_sets("4"), opening, replaced(opening, "c_b: 16", "c_b: 10"));
  const auto job = run_checked(loaded(text), two_layers(started_seed), started_seed);
  for (const auto& layer : job.report.layers) {
    CAPTURE(layer.name);
    CHECK((layer.op.find("Conv") == std::string::npos || layer.placed_on == "matrix"));
  }
}

TEST_CASE("do bounds stay below cycles where first products load held weights for nothing") {
  std::string text = holds(opens());
  const std::string main = line_of(text, "      add_products: {"), first = line_of(text, "      first_products: {");
  text = replaced(text, main, replaced(main, "b.load * 16", "b.load * 640"));
  for (const std::string interval : {"i", "i + b.load * 320"}) {
    const std::string other = replaced(first, "i + b.load * 16", interval);
    run_checked(loaded(replaced(text, first, other)), two_layers(started_seed), started_seed);
  }
}

TEST_CASE("do bounds stay below cycles where first products are quicker than others") {
  const std::string main = line_of(opens_or_sets("4"), "      add_products: {");
  const std::string text = replaced(opens_or_sets("4"), main, replaced(main, "interval: 16", "interval: 40"));
  for (const std::int64_t depth : {60, 128, 300}) {
    run_checked(loaded(text),
                network_of(started_seed,
                           [&](auto& b) {
                             return b.gemm(b.input({48, depth}), 80);
                           }),
                started_seed);  // that invariants hold, the bound among them
  }
}

TEST_CASE("is of several first products the one taken that sets the number which sums begin with") {
  const std::string first = line_of(opens(), "      first_products: {"), driven = line_of(opens(), "    first: {means");
  const auto other = [](std::string line) { return replaced(line, "first", "other"); };
  const std::string ones = replaced(other(first), "c[i,j] = 0", "c[i,j] = 1");
  const std::string both = replaced(replaced(opens(), first, ones + first), driven,
                                    replaced(other(driven), "opcode: 4", "opcode: 41") + driven);
  const Network network = product(started_seed);
  CHECK(run_checked(loaded(both), network, started_seed).report.total_cycles ==
        run_checked(loaded(opens()), network, started_seed).report.total_cycles);
}

TEST_CASE("is a quicker instruction passed over that cannot begin all sums") {
  const std::string far =
      "      far: {does: 'c[i,j] = b[j]', types: {b: i32, c: i32}, dims: {i: 1..16, j: 1..16}, "
      "operands: {b: {in: dram, steps: [4 B]}, c: {in: tiles, steps: [64 B, 4 B]}}, timing: "
      "{start: 1, interval: 1, drain: 2}}\n";
  const std::string driven =
      "    far: {means: {run: matrix.far}, opcode: 51, fields: {i: 8, j: 8, b_b: 40, c_b: 16}, "
      "args: {i: i, j: j, b.base: b_b, c.base: c_b}}\n";
  std::string text = replaced(machine_text(), "      add_products: {", far + "      add_products: {");
  text = replaced(text, "    products: {means", driven + "    products: {means");
  for (const Network& network : {product(started_seed), two_layers(started_seed)}) {
    const auto with = run_checked(loaded(text), network, started_seed).report.total_cycles;
    const auto without = run_checked(loaded(machine_text()), network, started_seed).report.total_cycles;
    CHECK(10 * with <= 11 * without);  // once 8 times as long
  }
}

TEST_CASE("do elements whose first products set another number get no part of the work") {
  std::string text = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/processors_in_memory.yaml");
  const std::size_t at = text.find("          dot:"), end = text.find("          requantise:");
  std::string first = replaced(text.substr(at, end - at), "          dot:", "          first:");
  first = replaced(first, "\"c[i,j] += i32(a[i,k]) * i32(b[j,k])\"",
                   "[\"c[i,j] = ${id}\", \"c[i,j] += i32(a[i,k]) * i32(b[j,k])\"]");
  const std::string driven = line_of(text, "    d_pipe_dot: {means");
  text.insert(text.find(driven),
              replaced(replaced(replaced(driven, "d_pipe_dot", "d_pipe_first"), "pipe.dot", "pipe.first"), "opcode: 12",
                       "opcode: 13"));
  text.insert(at, first);
  text = replaced(text, "  dpu:\n    components:", "  dpu:\n    params: {id: 0}\n    components:");
  const Network network = network_of(started_seed, [](auto& b) {
    return b.matmul(b.input({64, 64}), b.input({64, 64}));
  });
  const auto alike = run_checked(loaded(text), network, started_seed);
  const auto apart =
      run_checked(loaded(replaced(text, "d[16]: {template: dpu}", "d[16]: {template: dpu, with: {id: \"${i}\"}}")),
                  network, started_seed);
  CHECK(apart.report.total_cycles >= alike.report.total_cycles);
}

TEST_CASE("is it said what is missing where nothing begins sums as a layer does") {
  const auto job = run_checked(loaded(sets_zero()), product(started_seed), started_seed);
  const auto on_host = [](const auto& layer) {
    return layer.reason.starts_with(
        "no way between off-chip memory and tiles, and no capability sets what sums begin with there");
  };
  CHECK(std::ranges::any_of(job.report.layers, on_host));
}

TEST_CASE("do changed machines whose sums instructions begin get random networks right") {
  const std::uint64_t first = first_seed(), count = asked("ACCORD_RANDOM_MACHINES", 1);
  int ran = 0;
  for (const auto& [name, text] : all_machines()) {
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      const std::string covenant = changed_covenant(text, seed + name.size());
      const auto result = load_text(covenant);
      if (!result.architecture) continue;
      ran += runs_random_network(*result.architecture, name, seed) ? 1 : 0;
    }
  }
  CHECK(ran > 0);
}
