// Sums begin with 0 in one memory and are requantised in another: where is a bias added, and is it right?
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

constexpr std::uint64_t bias_seed = 17;

std::string moving_machine() { return file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/sums_move.yaml"); }

/// What requantises adds a bias.
std::string requantises_with_bias() {
  std::string text = replaced(moving_machine(), "fp32(x[r,q]) * scale[q]), lo, hi))', types: {",
                              "fp32(x[r,q] + b[q]) * scale[q]), lo, hi))', types: {b: i32, ");
  text =
      replaced(text, "scale: {in: l2, steps: [4 B]}, y", "b: {in: l2, steps: [4 B]}, scale: {in: l2, steps: [4 B]}, y");
  text = replaced(text, "x_s: 32, sc: 32,", "x_s: 32, bias: 32, sc: 32,");
  return replaced(text, "x.stride0: x_s, scale", "x.stride0: x_s, b.base: bias, scale");
}

/// An instruction adds it to another place.
std::string adds_apart() {
  return with_vector_capability(
      moving_machine(),
      "add: {does: 'z[r,q] = x[r,q] + b[q]', types: {x: i32, b: i32, z: i32}, dims: {r: 1..16, q: 1..16}, operands: "
      "{x: {in: l2, steps: [free, 4 B]}, b: {in: l2, steps: [4 B]}, z: {in: l2, steps: [free, 4 B]}}, timing: "
      "{interval: r, drain: 3}}",
      "add: {means: {run: vector.add}, opcode: 20, fields: {r: 8, q: 8, x_b: 32, x_s: 32, b_b: 32, z_b: 32, z_s: 32}, "
      "args: {r: r, q: q, x.base: x_b, x.stride0: x_s, b.base: b_b, z.base: z_b, z.stride0: z_s}}");
}

/// An instruction adds the sums to it.
std::string adds_in_place() {
  return with_vector_capability(
      moving_machine(),
      "add: {does: 'z[r,q] += x[r,q]', types: {x: i32, z: i32}, dims: {r: 1..16, q: 1..16}, operands: {x: {in: l2, "
      "steps: [free, 4 B]}, z: {in: l2, steps: [free, 4 B]}}, timing: {interval: r, drain: 3}}",
      "add: {means: {run: vector.add}, opcode: 20, fields: {r: 8, q: 8, x_b: 32, x_s: 32, z_b: 32, z_s: 32}, args: {r: "
      "r, q: q, x.base: x_b, x.stride0: x_s, z.base: z_b, z.stride0: z_s}}");
}

/// It multiplies and adds, too, one product a cycle and lane: other tensors to the sums, or all products.
std::string multiplies_slowly(const std::string& text) {
  return with_vector_capability(
      text,
      "axpy: {does: 'c[r,q] += i32(x[r,q]) * m[q]', types: {x: i8, m: i32, c: i32}, dims: {r: 1..16, q: 1..16}, "
      "operands: {x: {in: l2, steps: [free, 1 B]}, m: {in: l2, steps: [4 B]}, c: {in: l2, steps: [free, 4 B]}}, "
      "timing: "
      "{interval: r, drain: 3}}",
      "axpy: {means: {run: vector.axpy}, opcode: 24, fields: {r: 8, q: 8, x_b: 32, x_s: 32, m_b: 32, c_b: 32, c_s: "
      "32}, args: {r: r, q: q, x.base: x_b, x.stride0: x_s, m.base: m_b, c.base: c_b, c.stride0: c_s}}");
}

std::vector<std::pair<std::string, std::string>> adding_machines() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"requantised with", requantises_with_bias()},
                                   {"added apart", adds_apart()},
                                   {"added in place", adds_in_place()}}) {
    found.emplace_back(name, text);
    found.emplace_back(name + ", in order",
                       replaced(text, "sync: {semaphores: {count: 64, max: 255}}", "sync: in_order"));
    found.emplace_back(name + ", a slow unit", multiplies_slowly(text));
  }
  return found;
}

Network biased_layers(std::uint64_t seed) {
  return network_of(seed, [](auto& b) {
    const TensorId y = b.relu(b.conv(b.input({1, 16, 9, 9}), 24, 3, 1, 1));
    return b.gemm(b.flatten(b.conv(y, 10, 1)), 12);
  });
}

Network biased_residual(std::uint64_t seed) {
  return network_of(seed, [](auto& b) {
    const TensorId x = b.input({4, 16});
    return b.add(b.gemm(x, 16), x);
  });
}

bool names(const std::string& op, const std::string& type) { return op.find(type) != std::string::npos; }

}  // namespace

TEST_CASE("does the matrix unit get products whose bias comes to another memory than the sums, and are they right") {
  for (const auto& [name, text] : adding_machines()) {
    CAPTURE(name);
    const Architecture architecture = loaded(text);
    for (const Network& network : {biased_layers(bias_seed), biased_residual(bias_seed)}) {
      const auto job = run_checked(architecture, network, bias_seed);
      for (const auto& layer : job.report.layers) {
        CAPTURE(layer.name);
        const bool multiplies = names(layer.op, "Conv") || names(layer.op, "Gemm");
        CHECK((!multiplies || layer.placed_on == "matrix"));
        CHECK((!names(layer.op, "AddBias") || layer.placed_on == "vector"));
      }
      const auto adds = [](const auto& layer) { return names(layer.op, "AddBias"); };
      CHECK(std::ranges::any_of(job.report.layers, adds));
    }
  }
}

TEST_CASE("is a bias nobody can add the host's, with the reason, and the products still the machine's") {
  const auto job = run_checked(loaded(moving_machine()), biased_layers(bias_seed), bias_seed);
  for (const auto& layer : job.report.layers) {
    CAPTURE(layer.name);
    if (names(layer.op, "AddBias")) CHECK((layer.placed_on == "host" && !layer.reason.empty()));
    if (names(layer.op, "Conv") || names(layer.op, "Gemm")) CHECK(layer.placed_on == "matrix");
  }
}

TEST_CASE("is no bias taken apart that then is left to the host, where something else would do the whole") {
  const std::string text = moving_machine();
  const auto line = [&](const std::string& begin) { return line_of(text, begin); };
  const std::string slow = replaced(line("      add_products:"), "interval: 16,", "interval: 16000,");
  const std::string axpy =
      "      axpy: {does: 'c[r,q] += i32(x[r,q]) * i32(m[q])', types: {x: i8, m: i8, c: i32}, dims: {r: 1..16, q: "
      "1..16}, operands: {x: {in: l2, steps: [free, 1 B]}, m: {in: l2, steps: [1 B]}, c: {in: l2, steps: [free, 4 "
      "B]}}, timing: {interval: 1, drain: 3}}\n";
  const std::string driven =
      "    axpy: {means: {run: vector.axpy}, opcode: 6, fields: {r: 8, q: 8, x_b: 32, x_s: 32, m_b: 32, c_b: 32, c_s: "
      "32}, args: {r: r, q: q, x.base: x_b, x.stride0: x_s, m.base: m_b, c.base: c_b, c.stride0: c_s}}\n";
  std::string other = replaced(text, line("      add_products:"), slow);
  other = replaced(replaced(other, line("      quant: {does"), axpy), line("    quant: {means"),
                   driven);  // nothing requantises
  const Network network = network_of(bias_seed, [](auto& b) { return b.conv(b.input({1, 16, 9, 9}), 24, 3, 1, 1); });
  const auto job = run_checked(loaded(other), network, bias_seed);
  for (const auto& layer : job.report.layers) {
    CAPTURE(layer.name);
    CHECK(!names(layer.op, "AddBias"));
    if (names(layer.op, "Conv")) CHECK(layer.placed_on == "vector");
  }
}

TEST_CASE("is a vector that is only repeated taken for no bias") {
  const Network network = network_of(bias_seed, [](auto& b) {
    return b.gemm(b.moved("Expand", b.relu(b.input({24})), {4, 24}, {}), 16);
  });
  const auto job = run_checked(loaded(moving_machine()), network, bias_seed);
  CHECK(std::ranges::any_of(job.report.layers, [](const auto& layer) { return names(layer.op, "Expand"); }));
}

TEST_CASE("do sums whose bias is added apart stay on chip until they are requantised") {
  const Network network = network_of(bias_seed, [](auto& b) { return b.gemm(b.input({32, 64}), 48); });
  const auto job = run_checked(loaded(requantises_with_bias()), network, bias_seed);
  const std::int64_t compulsory = 32 * 64 + 64 * 48 + 32 * 48 + 48 * (4 + 4);
  CHECK(job.report.off_chip_bytes < compulsory + 32 * 48 * 4);
}

TEST_CASE("do changed machines whose sums move get random networks right") {
  const std::uint64_t first = first_seed(), count = asked("ACCORD_RANDOM_MACHINES", 2);
  int ran = 0;
  for (const auto& [name, text] : adding_machines()) {
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      const auto result = load_text(changed_covenant(text, seed + name.size()));
      if (!result.architecture) continue;
      ran += runs_random_network(*result.architecture, name, seed) ? 1 : 0;
    }
  }
  CHECK(ran > 0);
}
