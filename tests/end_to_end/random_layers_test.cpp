#include <doctest/doctest.h>

#include <filesystem>

#include "archdsl/source/error.h"
#include "cli/verifier.h"
#include "compiler/compile.h"
#include "compiler/reference/execute.h"
#include "simulator/simulate.h"
#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/random_layers.h"
#include "tests/environment.h"

using namespace accord;
using namespace accord::test;

namespace {

constexpr std::uint64_t first_layer_seed = 1000;

/// More for a search that takes longer than a test may.
std::uint64_t layer_count() { return asked("ACCORD_RANDOM_LAYERS", 40); }

/// The host may put rows beside each other, but gives nothing of the model's.
void check_placement(const Program& program) {
  for (const auto& layer : program.layers) {
    CHECK_MESSAGE((layer.placed_on != "host" || layer.outputs.empty()), layer.op, ": ", layer.reason);
  }
}

void check_run(const SimulateResult& run) {
  for (const auto& hazard : run.hazards) FAIL_CHECK(hazard.kind, " at ", hazard.mnemonic, ": ", hazard.message);
  for (const auto& broken : run.broken_invariants) FAIL_CHECK(broken);
}

/// Sums of products in another order round otherwise: floats may differ by 2 % of the layer's greatest value.
void check_values(const Values& got, const Values& expected) {
  for (const auto& [name, value] : expected) {
    REQUIRE(got.count(name) == 1);
    const auto verdict = compare_tensors(got.at(name), value, 2e-2);
    CHECK_MESSAGE(verdict.ok(), name, ": ", describe(verdict));
  }
}

void check_layer(const Architecture& architecture, const RandomLayer& layer, std::uint64_t seed) {
  const Values inputs = seeded_inputs_of(layer.network, seed);
  const Program program = compile(architecture, layer.network);
  check_placement(program);
  const auto run = simulate(architecture, program, inputs);
  check_run(run);
  check_values(run.outputs, execute(layer.network, inputs));
}

void check_layers(const Architecture& architecture, std::uint64_t count) {
  for (std::uint64_t seed = first_layer_seed; seed < first_layer_seed + count; ++seed) {
    const auto layer = random_layer(architecture.numerics, seed);
    CAPTURE(seed);
    CAPTURE(layer.what);
    try {
      check_layer(architecture, layer, seed);
    } catch (const Error& error) {
      FAIL_CHECK(error.what());
    }
  }
}

void check_machine(const std::string& name) { check_layers(machine(name), layer_count()); }

/// A changed gemmini16, over fewer layers.
void check_edited(const std::string& from, const std::string& to) {
  const auto loaded = load_text(edited("gemmini16", from, to));
  REQUIRE(loaded.architecture);
  check_layers(*loaded.architecture, layer_count() / 2);
}

}  // namespace

TEST_CASE("does gemmini16 get random layers right") { check_machine("gemmini16"); }
TEST_CASE("does dnnweaver64 get random layers right") { check_machine("dnnweaver64"); }
TEST_CASE("does hvx get random layers right" *
          doctest::skip(!std::filesystem::exists(std::string(ACCORD_SOURCE_DIR) + "/configs/accelerators/hvx.yaml"))) {
  check_machine("hvx");
}
TEST_CASE("does bf16npu get random layers right") { check_machine("bf16npu"); }

TEST_CASE("does work divided over cores give the right values") {
  check_layers(machine("gemmini16x4", {{"cores", "3"}, {"channels", "2"}}), layer_count() / 2);
}
TEST_CASE("does work divided over cores that semaphores order give the right values") {
  const auto loaded = load_text(edited("gemmini16x4", "sync: {interlock: {entries: \"${28 * cores}\"}}",
                                       "sync: {semaphores: {count: 32, max: 255}}"));
  REQUIRE(loaded.architecture);
  check_layers(*loaded.architecture, layer_count() / 2);
}
TEST_CASE("does work divided over a mesh give the right values") {
  check_layers(machine("simba", {{"side", "2"}}), layer_count() / 4);
}

TEST_CASE("does gemmini16 with semaphores get random layers right") {
  check_edited("sync: {interlock: {entries: 28}}", "sync: {semaphores: {count: 16, max: 255}}");
}
TEST_CASE("does gemmini16 in order get random layers right") {
  check_edited("sync: {interlock: {entries: 28}}", "sync: in_order");
}
TEST_CASE("does gemmini16 with hardware loops get random layers right") {
  const std::string feeds = "feeds: [load, mesh, store], issue_width: 1";
  const std::string fence = "fence: {means: fence, opcode: 16}";
  auto text = edited("gemmini16", feeds, feeds + ", loop_depth: 2");
  const std::string loop = "\n    repeat: {means: loop, opcode: 23, fields: {count: 32, length: 32}}";
  text.replace(text.find(fence), fence.size(), fence + loop);
  const auto loaded = load_text(text);
  REQUIRE(loaded.architecture);
  check_layers(*loaded.architecture, layer_count() / 2);
}
TEST_CASE("does gemmini16 of other sizes get random layers right") {
  for (const char* dim : {"8", "32"}) check_layers(machine("gemmini16", {{"dim", dim}}), layer_count() / 4);
  check_layers(machine("gemmini16", {{"spad_kib", "8"}, {"acc_kib", "4"}}), layer_count() / 4);
}
TEST_CASE("does dnnweaver64 with small buffers get random layers right") {
  check_layers(
      machine("dnnweaver64", {{"n", "16"}, {"ibuf_kib", "4"}, {"wbuf_kib", "4"}, {"obuf_kib", "4"}, {"vmem_kib", "4"}}),
      layer_count() / 2);
}
