// Is what a capability cannot do left to others, and what it does only in certain counts done by it?
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"
#include "tests/file_text.h"

using namespace accord;
using namespace accord::test;

namespace {

std::string test_machine(const std::string& name) {
  return file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/" + name + ".yaml");
}

void replace_line(std::string& text, const std::string& beginning, const std::string& line) {
  const auto at = text.find(beginning);
  REQUIRE(at != std::string::npos);
  text.replace(at, text.find('\n', at) - at, line);
}

/// The adder of floats with another statement, of operands in its memory and of others.
Architecture adder(const std::string& does, const std::vector<std::string>& in_memory, const std::string& types,
                   const std::vector<std::string>& arguments = {}) {
  std::string text = test_machine("float_adder"), operands, fields = "n: 24", args = "q: n";
  for (const std::string& name : in_memory) {
    operands += (operands.empty() ? "" : ", ") + name + ": {in: pad, steps: [4 B]}";
    fields += ", " + name + ": 44";
    args += ", " + name + ".base: " + name;
  }
  for (const std::string& name : arguments) {
    fields += ", " + name + ": 32";
    args += ", " + name + ": " + name;
  }
  replace_line(text, "      add: {does",
               "      add: {does: \"" + does + "\", types: {" + types + "}, dims: {q: 1..64}, operands: {" + operands +
                   "}, timing: {interval: 8}}");
  replace_line(text, "    add: {means",
               "    add: {means: {run: alu.add}, opcode: 4, fields: {" + fields + "}, args: {" + args + "}}");
  return loaded(text);
}

/// Where a sum of a tensor and itself is done.
std::string sum_on(const Architecture& architecture) {
  const Network network = network_of(19, [](NetworkBuilder& b) {
    const TensorId x = b.input({8, 8});
    return b.add(x, x);
  });
  return run_checked(architecture, network, 19).report.layers.front().placed_on;
}

/// Where a product of so many rows is done.
std::string product_on(const std::string& text, std::int64_t rows) {
  const Network network = network_of(23, [&](NetworkBuilder& b) { return b.gemm(b.input({rows, 64}), 32); });
  const MainJobResult job = run_checked(loaded(text), network, 23);
  return std::ranges::max_element(job.report.layers, {}, &LayerReport::macs)->placed_on;
}

}  // namespace

TEST_CASE("is an operand that is read at two places, or from a constant on, no operand of a layer") {
  CHECK(sum_on(adder("y[q] = a[q] + b[q]", {"y", "a", "b"}, "y: fp32, a: fp32, b: fp32")) == "alu");
  CHECK(sum_on(adder("y[q] = a[q+1] + b[q]", {"y", "a", "b"}, "y: fp32, a: fp32, b: fp32")) == "host");
  CHECK(sum_on(adder("y[q] = a[q] + a[q]", {"y", "a"}, "y: fp32, a: fp32")) == "alu");
  CHECK(sum_on(adder("y[q] = a[q] + a[2*q]", {"y", "a"}, "y: fp32, a: fp32")) == "host");
}

TEST_CASE("is a product left to others where a dim counts two indices of an operand") {
  const std::string text = test_machine("float_cores");
  const auto with = [&](const std::string& operands) {
    return replaced(text, "c[i,j] += fp32(a[i,k]) * fp32(b[k,j])", operands);
  };
  CHECK(product_on(with("c[i,j] += fp32(a[i,k]) * fp32(b[k,j])"), 64) != "host");
  CHECK(product_on(with("c[i,j] += fp32(a[i+k,k]) * fp32(b[k,j])"), 64) == "host");
  CHECK(product_on(with("c[i,j] += fp32(a[i,k]) * fp32(b[k,j+k])"), 64) == "host");
  CHECK(product_on(with("c[i,i] += fp32(a[i,k]) * fp32(b[k,j])"), 64) == "host");
}

TEST_CASE("is a sum left to others where the limit that follows it cannot be left out") {
  const auto limited = [](const std::string& type) {
    return adder("y[q] = max(a[q] + b[q], fp32(lo))", {"y", "a", "b"}, "y: fp32, a: fp32, b: fp32, lo: " + type,
                 {"lo"});
  };
  CHECK(sum_on(limited("fp32")) == "alu");
  CHECK(sum_on(limited("i32")) == "host");
}

TEST_CASE("is a product done whose steps count rows in fours and in sixes") {
  std::string text = replaced(test_machine("float_cores"), "dims: {i: 1..16,", "dims: {i: {max: 16, multiple: 4},");
  replace_line(text, "            dims: {r: 1..16, q: 1..16}\n            operands: {x: {in: acc",
               "            dims: {r: {max: 12, multiple: 6}, q: 1..16}");
  CHECK(product_on(text, 64) != "host");
}

TEST_CASE("are counts tiled to what a field's unit and bias, or a constant, gives") {
  const std::string text = test_machine("float_cores");
  CHECK(product_on(replaced(text, "c: 24, i: 8,", "c: 24, i: {bits: 6, unit: 4},"), 13) != "host");
  CHECK(product_on(replaced(text, "c: 24, i: 8,", "c: 24, i: {bits: 2, unit: 4, bias: 4},"), 13) != "host");
  const std::string fixed = replaced(text, "c: 24, i: 8,", "c: 24,");
  CHECK(product_on(replaced(fixed, "args: {i: i, j: j, k: k, a.base", "args: {i: 16, j: j, k: k, a.base"), 13) !=
        "host");
}
