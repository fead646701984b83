#include <doctest/doctest.h>

#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/report.h"

using namespace accord;

namespace {

RunReport report_of_two_layers() {
  Architecture architecture;
  architecture.name = "toy";
  Program program;
  program.layers.resize(2);
  program.layers[0].name = "conv";
  program.layers[0].placed_on = "mesh";
  program.layers[0].macs = 500;
  program.layers[0].bound_cycles = 50;
  program.layers[1].name = "odd";
  program.layers[1].op = "Softmax";
  program.layers[1].placed_on = "host";
  program.layers[1].reason = "no capability matches";
  SimulateResult result;
  result.total_cycles = 100;
  result.layers.resize(2);
  result.layers[0].cycles = 100;
  result.layers[0].stalls["mesh"] = {{"working", 60}, {"waiting: bus", 40}};
  return make_report(architecture, program, result);
}

}  // namespace

TEST_CASE("efficiency is bound over cycles") {
  const auto report = report_of_two_layers();
  CHECK(report.layers[0].efficiency() == 0.5);
  CHECK(report.layers[0].utilisation(10) == 0.5);
  CHECK(report.layers[1].efficiency() == 0);
  CHECK(report.bound_cycles == 50);
}

TEST_CASE("a hazard, a broken invariant or a mismatch makes the result wrong") {
  auto report = report_of_two_layers();
  CHECK(report.right());
  report.hazards.emplace_back().kind = "race";
  CHECK_FALSE(report.right());
  report.hazards.clear();
  report.broken_invariants = {"cycles >= bound"};
  CHECK_FALSE(report.right());
  report.broken_invariants.clear();
  report.verified = false;
  CHECK_FALSE(report.right());
  report.verified = true;
  report.distances.emplace_back().not_finite = 1;
  CHECK_FALSE(report.right());
}

TEST_CASE("the JSON has the fields that other tools read") {
  const auto json = to_json(report_of_two_layers());
  for (const char* key : {"arch", "model", "clock_hz", "total_cycles", "bound_cycles", "verified", "mismatches",
                          "energy_pj", "wall", "binary_bytes", "invariants", "hazards", "layers"}) {
    CHECK_MESSAGE(json.contains(key), key);
  }
  for (const char* key : {"compile_s", "simulate_s", "reference_s"}) CHECK_MESSAGE(json["wall"].contains(key), key);
  for (const char* key : {"name", "op", "placed_on", "capability", "cycles", "bound_cycles", "efficiency", "macs",
                          "bytes", "stalls", "verified"}) {
    CHECK_MESSAGE(json["layers"][0].contains(key), key);
  }
  CHECK(json["layers"][0]["stalls"]["waiting: bus"] == 40);
}

TEST_CASE("the terminal report says whose energy and area it is, elements of an array together") {
  auto report = report_of_two_layers();
  report.energy_pj = 4e9;
  report.static_energy_pj = 1e9;
  report.energy_shares = {{"pe[0].sums", 1e9}, {"pe[1].sums", 2e9}, {"dram", 1e9}};
  report.areas = {{"spad", 3e6}, {"mesh", 1e6}};
  std::ostringstream text;
  print_report(report, text);
  CHECK(text.str().find("energy  4 mJ: pe[*].sums 75%, dram 25%; static 1 mJ\n") != std::string::npos);
  CHECK(text.str().find("area    4 mm²: spad 75%, mesh 25%\n") != std::string::npos);
  const auto json = to_json(report);
  CHECK(json["energy_by_component"]["pe[1].sums"] == 2e9);
  CHECK(json["area_um2"]["spad"] == 3e6);
}

TEST_CASE("the terminal report names each layer, its worst stall and the host's reasons") {
  std::ostringstream text;
  print_report(report_of_two_layers(), text);
  CHECK(text.str().find("waiting: bus 40%") != std::string::npos);
  CHECK(text.str().find("odd (Softmax, 0 bytes): no capability matches") != std::string::npos);
}
