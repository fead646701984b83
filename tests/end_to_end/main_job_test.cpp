#include <doctest/doctest.h>

#include <algorithm>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/small_networks.h"

using namespace accord;
using namespace accord::test;

namespace {
constexpr std::uint64_t job_seed = 20240601;

void check_all_networks(const std::string& name) {
  const auto architecture = machine(name);
  for (const auto& [what, network] : small_networks(job_seed)) {
    CAPTURE(what);
    CAPTURE(job_seed);
    run_checked(architecture, network, job_seed);
  }
}
}  // namespace

TEST_CASE("does gemmini16 compute what the reference computes") { check_all_networks("gemmini16"); }
TEST_CASE("does dnnweaver64 compute what the reference computes") { check_all_networks("dnnweaver64"); }
TEST_CASE("does hvx compute what the reference computes") { check_all_networks("hvx"); }
TEST_CASE("does bf16npu compute what the reference computes") { check_all_networks("bf16npu"); }

TEST_CASE("do vectors work all the time where turns of a loop have no interval") {
  // A 3x3 convolution of 16 channels in register tiles of two positions: single copies of 18 loads for 36 products.
  NetworkBuilder b(job_seed);
  const Network network = b.finish(b.conv(b.conv(b.input({1, 64, 28, 55}), 16, 1), 64, 3, 1, 1));
  const auto layers = run_checked(machine("hvx"), network, job_seed).report.layers;
  const auto window = std::ranges::find_if(layers, [](const auto& l) { return l.macs > 64 * 16 * 28 * 55; });
  REQUIRE(window != layers.end());
  CHECK(window->efficiency() > 0.9);
}

TEST_CASE("is a run the same when it is run again") {
  const auto architecture = machine("gemmini16");
  const auto network = small_networks(job_seed).front().network;
  const auto first = run_checked(architecture, network, job_seed);
  const auto second = run_checked(architecture, network, job_seed);
  CHECK(first.report.total_cycles == second.report.total_cycles);
  CHECK(first.outputs.begin()->second.data == second.outputs.begin()->second.data);
}

TEST_CASE("do all fidelities give the same values") {
  const auto architecture = machine("gemmini16");
  const auto network = small_networks(job_seed).front().network;
  const auto inputs = seeded_inputs_of(network, job_seed);
  MainJobOptions function_only;
  function_only.fidelity = Fidelity::function;
  const auto values = run_main_job(architecture, network, inputs, function_only);
  const auto timed = run_main_job(architecture, network, inputs);
  CHECK(values.report.verified == true);
  CHECK(values.outputs.begin()->second.data == timed.outputs.begin()->second.data);
}
