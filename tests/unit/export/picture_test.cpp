// Does the picture show every component, and stay readable however many there are?
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "archdsl/export/fold.h"
#include "archdsl/export/names.h"
#include "archdsl/export/show.h"
#include "tests/shipped.h"
#include "tests/unit/export/machines.h"

using namespace accord;

namespace {

const DrawnGroup& group(const Picture& picture, const std::string& label) {
  for (const DrawnGroup& g : picture.groups) {
    if (g.label == label) return g;
  }
  FAIL("no node " << label);
  return picture.groups[0];
}

const DrawnBundle* bundle(const Picture& picture, const std::string& from, const std::string& to) {
  for (const DrawnBundle& b : picture.bundles) {
    const std::string& tail = picture.groups[static_cast<std::size_t>(b.from)].label;
    const std::string& head = picture.groups[static_cast<std::size_t>(b.to)].label;
    if ((tail == from && head == to) || (tail == to && head == from)) return &b;
  }
  return nullptr;
}

std::size_t members(const Picture& picture) {
  std::set<int> all;
  for (const DrawnGroup& g : picture.groups) all.insert(g.members.begin(), g.members.end());
  return all.size();
}

}  // namespace

TEST_CASE("a small machine is drawn as it is, each edge once") {
  const Wiring wiring = wiring_of(shipped("gemmini16"));
  const Picture picture = fold(wiring);
  CHECK(picture.groups.size() == wiring.components.size());
  CHECK(picture.folding.empty());
  std::set<std::pair<int, int>> ends;
  for (const DrawnBundle& b : picture.bundles) CHECK(ends.insert(std::minmax(b.from, b.to)).second);
  const DrawnBundle* const load = bundle(picture, "bus", "load");
  REQUIRE(load);
  CHECK(load->greatest_width == 16);
  CHECK(bundle(picture, "dram", "load") == nullptr);
  const DrawnBundle* const accumulates = bundle(picture, "mesh", "acc");
  REQUIRE(accumulates);
  CHECK(accumulates->forward);
  CHECK(accumulates->backward);
  const DrawnBundle* const pool = bundle(picture, "bus", "store");
  REQUIRE(pool);
  CHECK(pool->forward != pool->backward);
  CHECK(group(picture, "spad").details.at(1) == "4 banks × 16 B");
  CHECK(group(picture, "store").details.back() == "max_pool");
}

TEST_CASE("64 cores are drawn as one, with their number at what they share") {
  const Picture picture = fold(wiring_of(many_cores(shipped("gemmini16"), 64)));
  CHECK(picture.groups.size() == 9);
  CHECK(members(picture) == 2 + 64 * 6 + 1);
  REQUIRE(picture.clusters.size() == 1);
  CHECK(picture.clusters.begin()->second.label == "core[0..63]");
  CHECK(picture.clusters.begin()->second.instances == 64);
  CHECK(group(picture, "spad").cluster == std::vector<std::string>{"core[]"});
  CHECK(bundle(picture, "spad", "mesh")->count == 1);
  CHECK(bundle(picture, "bus", "load")->count == 64);
  CHECK(bundle(picture, "rocc", "mesh")->count == 64);
}

TEST_CASE("array elements that are not alike are drawn apart and say where they are") {
  Architecture a = many_cores(shipped("gemmini16"), 8);
  for (Memory& memory : a.memories) {
    if (memory.name == "core[3].spad" || memory.name == "core[4].spad") memory.capacity *= 2;
  }
  const Picture picture = fold(wiring_of(a));
  CHECK(group(picture, "core[3..4].spad").details.at(0) == "512 KiB");
  CHECK(group(picture, "core[0..2,5..7].spad").members.size() == 6);
}

TEST_CASE("nested arrays become nested clusters") {
  const Picture picture = fold(wiring_of(mesh(4, 8)));
  CHECK(picture.clusters.at({"cluster"}).label == "cluster");
  CHECK(picture.clusters.at({"cluster", "tile[][]"}).label == "tile[0..3][0..7]");
  CHECK(bundle(picture, "mac", "rf")->count == 1);
  CHECK(members(picture) == 4 + 1 + 3 * 32);
}

TEST_CASE("no machine gives a picture too large to draw") {
  Architecture a = many_cores(shipped("gemmini16"), 1700);
  SUBCASE("with indices") {}
  SUBCASE("with names that do not fold") {
    for (Memory& memory : a.memories) memory.name = identifier_of(memory.name);
    for (Unit& unit : a.units) unit.name = identifier_of(unit.name);
  }
  SUBCASE("with nothing alike") {
    for (std::size_t i = 0; i < a.memories.size(); ++i) a.memories[i].capacity += static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < a.units.size(); ++i) a.units[i].queue += static_cast<int>(i);
  }
  SUBCASE("with names that are not even names") {
    for (std::size_t i = 0; i < a.units.size(); ++i) a.units[i].name += std::string(i % 7, '[') + "<&\">\\";
  }
  const Wiring wiring = wiring_of(a);
  const Picture picture = fold(wiring);
  CHECK(picture.groups.size() <= 80);
  CHECK(picture.bundles.size() <= 240);
  CHECK(members(picture) == wiring.components.size());
  CHECK_FALSE(picture.folding.empty());
}

TEST_CASE("Graphviz reads what is written for any name") {
  if (std::system("command -v dot > /dev/null") != 0) return;
  Architecture a = shipped("gemmini16");
  a.name = "a\"b\\";
  a.memories[0].name = "d<r>&\"a\\m";
  a.units[0].name = "core[0].load{|}";
  a.units[1].capabilities[0].name = "<b>";
  const Scratch picture("odd.svg");
  show(a, picture.path);
  const std::string svg = file_text(picture.path);
  CHECK(svg.find("d&lt;r&gt;&amp;&quot;a\\m") != std::string::npos);
  CHECK(svg.find("core[0].load{|}") != std::string::npos);
}

TEST_CASE("a mover's operand off chip is drawn along the links of its routes, however many they are") {
  const Wiring wiring = wiring_of(shipped("simba"));
  int off_chip = 0;
  for (const DrawnWire& wire : wiring.wires) {
    const auto shape = [&](int component) { return wiring.components[static_cast<std::size_t>(component)].shape; };
    if (shape(wire.from) != DrawnShape::off_chip_memory && shape(wire.to) != DrawnShape::off_chip_memory) continue;
    ++off_chip;
    CHECK(shape(wire.to) != DrawnShape::mover);
    CHECK(shape(wire.from) != DrawnShape::mover);
  }
  CHECK(off_chip == 1);
}
