// Does the compiler know what waits for answers and words cost, and which ways exclude each other?
#include <doctest/doctest.h>

#include "tests/end_to_end/machines.h"
#include "tests/end_to_end/predictions.h"
#include "tests/file_text.h"
#include "tests/shipped.h"
#include "tests/square_conv.h"

using namespace accord;
using namespace accord::test;

TEST_CASE("are layers predicted where few requests wait long for their answers") {
  const std::string slow = edited("gemmini16", "latency: 32, energy", "latency: 200, energy");
  check_predictions(loaded(replaced(slow, "in_flight: 16", "in_flight: 4")), {.mean = 0.08, .worst = 0.2});
}

TEST_CASE("are layers predicted of which one mover with few requests under way serves all parts") {
  const std::string cluster = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/cluster.yaml");
  TopologyLayer layer = square_conv("grouped", 48, 18, 60, 3);
  layer.groups = 6;
  for (const std::string cores : {"3", "12"}) {
    CAPTURE(cores);
    const std::string so_many = replaced(cluster, "\"value\": 6,", "\"value\": " + cores + ",");
    check_predictions(loaded(so_many), {layer}, {.mean = 0.2, .worst = 0.2});
  }
}

TEST_CASE("do loads and stores pass a crossbar side by side, as they do a duplex bus") {
  const std::string bus = "bus: {kind: link, width: \"${bandwidth}\", duplex: true}";
  for (const char* kind : {"duplex", "crossbar"}) {
    CAPTURE(std::string(kind));
    const std::string narrow = std::string("bus: {kind: link, width: 8 B, ") + kind + ": true}";
    check_predictions(loaded(edited("bf16npu", bus, narrow)), {.mean = 0.05, .worst = 0.1});
  }
}

TEST_CASE("is a layer predicted whose windows begin inside words") {
  const std::string kestrel = std::string(ACCORD_SOURCE_DIR) + "/examples/05_tutorial/step07.yaml";
  check_predictions(machine(kestrel), {square_conv("rgb", 3, 112, 32, 7)}, {.mean = 0.05, .worst = 0.05});
}

TEST_CASE("are layers predicted on a machine that begins operations in order") {
  check_predictions(machine("hvx"), {.mean = 0.05, .worst = 0.12});
}

TEST_CASE("are layers predicted where units wait for each other's words") {
  // Two vector units share the read ports of a register file: ten words for what takes either two cycles.
  std::string two = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/two_movers.yaml");
  two = replaced(replaced(two, "  v:", "  v[2]:"), "ports: {read: 8", "ports: {read: 4");
  two = replaced(replaced(two, "v.dot4}", "\"v[e].dot4\"}"), "v.rq}", "\"v[e].rq\"}");
  two = replaced(two, "fields: {j: 6", "fields: {e: 1, j: 6");
  check_predictions(loaded(two), {square_conv("wide", 64, 28, 64, 3)}, {.mean = 0.05, .worst = 0.05});
  // Loads of initial values and a deep array write one bank of the accumulator.
  check_predictions(machine("gemmini16"), {square_conv("few", 16, 28, 64, 1)}, {.mean = 0.1, .worst = 0.1});
}

TEST_CASE("is a layer predicted whose tiles are few bytes and whose schedules differ by chance") {
  TopologyLayer layer = square_conv("first", 3, 66, 16, 7);
  layer.stride_h = layer.stride_w = 2;
  check_predictions(described("two_kilobytes"), {layer}, {.mean = 0.1, .worst = 0.1});
}

TEST_CASE("is a layer predicted whose image gets a margin for sums that come in multiples") {
  // Three channels lie eight apart then, and what a mover brings of a row is no longer one run.
  std::string eights = file_text(std::string(ACCORD_SOURCE_DIR) + "/tests/end_to_end/memory_tile.yaml");
  eights = replaced(eights, "tile[2][4]", "tile[1][1]");
  eights = replaced(eights, "j: 1..8, l: 1..8}", "j: 1..8, l: {min: 8, max: 8, multiple: 8}}");
  TopologyLayer layer = square_conv("rgb", 3, 28, 32, 3);
  layer.stride_h = layer.stride_w = 2;
  layer.pad_h = layer.pad_w = 0;
  check_predictions(loaded(eights), {layer}, {.mean = 0.1, .worst = 0.1});
}
