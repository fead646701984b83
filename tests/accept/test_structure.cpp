// Do templates, arrays, wiring, clocks and links make the machine that docs/covenant.md describes?
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/accept/accepted.h"

using namespace accord;
using namespace accord::test;

namespace {

const Route& route(const Architecture& a, const std::string& mover, std::size_t index) {
  return unit(a, mover).routes.at(index);
}

std::vector<std::string> link_names(const Architecture& a, const Route& route) {
  std::vector<std::string> names;
  for (const int id : route.links) names.push_back(a.links.at(static_cast<std::size_t>(id)).name);
  return names;
}

std::string memory_name(const Architecture& a, int id) { return a.memories.at(static_cast<std::size_t>(id)).name; }

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("an instance takes arguments, else its template's defaults") {
  const Architecture a = accepted("template_arguments");
  CHECK(memory(a, "a.mem").capacity == 4096);
  CHECK(memory(a, "a.mem").banks == 2);
  CHECK(memory(a, "a.mem").word == 16);
  CHECK(memory(accepted("template_defaults"), "core[0].buf").capacity == 1024);
}

TEST_CASE("templates nest, each with its own arguments") {
  const Architecture a = accepted("template_nested");
  CHECK(memory(a, "p.left.cell").capacity == 2048);
  CHECK(memory(a, "p.right.cell").capacity == 4096);
  CHECK(memory_name(a, route(a, "p.copy", 1).source) == "p.left.cell");
  CHECK(memory_name(a, route(a, "p.copy", 1).target) == "p.right.cell");
  CHECK(accepted("template_array_inside").memories.size() == 8);
}

TEST_CASE("a name is looked up inside the instance first, then further out") {
  const Architecture a = accepted("template_inner_name_first");
  CHECK(memory_name(a, route(a, "core[1].dma", 0).source) == "dram");
  CHECK(memory_name(a, route(a, "core[1].dma", 0).target) == "core[1].buf");
  CHECK(memory_name(a, route(a, "dma", 0).target) == "buf");
}

TEST_CASE("arrays have one to three dimensions") {
  CHECK(accepted("array_one_dimension").units.size() == 10);
  CHECK(memory(accepted("array_two_dimensions"), "core[1][2].buf").capacity == 1024);
  const Architecture a = accepted("array_three_dimensions");
  CHECK(a.memories.size() == 13);
  CHECK(memory(a, "core[1][2][1].buf").capacity == 12 * 1024);
  const Architecture plain = accepted("array_of_plain_components");
  CHECK(memory(plain, "bank[0]").capacity == 1024);
  CHECK(memory(plain, "bank[1]").capacity == 2048);
  CHECK(unit(plain, "copy[1]").routes.size() == 4);
}

TEST_CASE("indices are arguments") {
  const Architecture a = accepted("array_indices_in_arguments");
  CHECK(memory(a, "core[0][0].buf").capacity == 1024);
  CHECK(memory(a, "core[1][0].buf").capacity == 2 * 1024);
  CHECK(memory(a, "core[0][1].buf").capacity == 3 * 1024);
  CHECK(memory(a, "core[1][1].buf").capacity == 4 * 1024);
}

TEST_CASE("when leaves components, elements and instances out") {
  CHECK(accepted("when_component").memories.size() == 3);
  CHECK(accepted("when_instance").units.size() == 4);
  const Architecture a = accepted("when_element");
  CHECK(a.units.size() == 12);
  CHECK_NOTHROW(memory(a, "core[2][2].buf"));
  CHECK_THROWS(memory(a, "core[0][1].buf"));
  const Mnemonic& relu = mnemonic(a, "relu");
  CHECK(unit_of(relu, std::vector<std::int64_t>{0, 1, 0, 0, 0}) == -1);
  CHECK(a.units.at(static_cast<std::size_t>(unit_of(relu, std::vector<std::int64_t>{2, 1, 0, 0, 0}))).name ==
        "core[2][1].alu");
}

TEST_CASE("patterns have the links of their names") {
  CHECK(accepted("wiring_chain").links.size() == 3);
  CHECK(accepted("wiring_ring").links.size() == 4);
  CHECK(accepted("wiring_all_to_all").links.size() == 6);
  CHECK(accepted("wiring_star").links.size() == 4);
  CHECK(accepted("wiring_mesh").links.size() == 12 + 1);
  CHECK(accepted("wiring_torus").links.size() == 18 + 1);
  CHECK(accepted("wiring_mesh_three_dimensions").links.size() == 12 + 1);
  CHECK(accepted("wiring_two_patterns").links.size() == 3 + 4);
}

TEST_CASE("a mesh joins each pair of orthogonal neighbours once") {
  const Architecture a = accepted("wiring_mesh");
  std::set<std::set<std::string>> pairs;
  for (const Link& l : a.links) {
    if (l.name != "edge") pairs.insert({l.between.begin(), l.between.end()});
  }
  std::set<std::set<std::string>> expected;
  const auto core = [](int i, int j) { return "core[" + std::to_string(i) + "][" + std::to_string(j) + "]"; };
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (i < 2) expected.insert({core(i, j), core(i + 1, j)});
      if (j < 2) expected.insert({core(i, j), core(i, j + 1)});
    }
  }
  CHECK(pairs == expected);
  CHECK(route(a, "core[2][2].dma", 0).links.size() == 5);
}

TEST_CASE("wired links take width, latency, energy, direction and names from their entry") {
  const Architecture a = accepted("wiring_ring");
  const Link& l = link(a, "loop[3]");
  CHECK(l.width == 8);
  CHECK(l.latency == 2);
  CHECK_FALSE(l.duplex);
  CHECK(l.pj_per_byte == 3);
  CHECK(link(accepted("wiring_chain"), "chain[0]").duplex);
  CHECK(link(accepted("wiring_chain"), "chain[0]").latency == 1);
  const Architecture b = accepted("wiring_bandwidth_in_domain");
  CHECK(bytes_per_reference_cycle(link(b, "ring[0]")) == 24);
  CHECK(link(b, "ring[0]").latency == 30);
  CHECK(link(b, "ring[0]").clock == 1);
}

TEST_CASE("ways over wired links are the shortest") {
  const Architecture chain = accepted("wiring_chain");
  CHECK(route(chain, "far", 0).links.size() == 3);
  CHECK(route(chain, "far", 0).backward == std::vector<bool>(3, true));
  CHECK(route(accepted("wiring_ring"), "far", 0).links.size() == 1);
  CHECK(route(accepted("wiring_star"), "pass", 1).links.size() == 2);
  CHECK(route(accepted("wiring_torus"), "core[2][2].dma", 0).links.size() == 3);
}

TEST_CASE("links with ends, lists and the fewest links") {
  const Architecture ends = accepted("link_with_ends");
  CHECK(link_names(ends, route(ends, "dma", 1)) == Names{"wire"});
  CHECK(route(ends, "dma", 0).backward == std::vector<bool>{false});
  CHECK(route(ends, "dma", 1).backward == std::vector<bool>{true});
  const Architecture several = accepted("link_over_several");
  CHECK(link_names(several, route(several, "dma", 0)) == Names{"a", "b", "c"});
  CHECK(route(several, "dma", 0).backward == std::vector<bool>{false, false, true});
  const Architecture fewest = accepted("link_fewest");
  CHECK(link_names(fewest, route(fewest, "dma", 0)) == Names{"direct"});
  const Architecture lists = accepted("link_list_explicit");
  CHECK(link_names(lists, route(lists, "dma", 0)) == Names{"outer", "middle", "near"});
  CHECK(link_names(lists, route(lists, "dma", 1)) == Names{"near", "outer"});
}

TEST_CASE("buses, crossbars, arbitration and what a link holds") {
  const Architecture bus = accepted("link_shared_bus");
  CHECK(route(bus, "dma", 0).links == route(bus, "store", 0).links);
  CHECK(link(bus, "bus").pj_per_byte == 1.5);
  CHECK(link(accepted("link_crossbar"), "bus").crossbar);
  CHECK(link(accepted("link_fifo"), "bus").fifo == 64);
  const Architecture a = accepted("link_arbitration");
  CHECK(link(a, "first").arbitration == Arbitration::first_come);
  CHECK(link(a, "turns").arbitration == Arbitration::round_robin);
  CHECK(link(a, "order").arbitration == Arbitration::priority);
}

TEST_CASE("components count in the cycles of their own domain") {
  const Architecture a = accepted("clocks_three");
  REQUIRE(a.clocks.size() == 3);
  CHECK(a.clock_hz == 1e9);
  CHECK(a.clocks[1].crossing == 3);
  CHECK(a.clocks[2].crossing == 2);
  CHECK(memory(a, "dram").latency == 40);
  CHECK(memory(a, "dram").period.numerator == 5);
  CHECK(memory(a, "dram").period.denominator == 4);
  CHECK(memory(a, "buf").latency == 10);
  CHECK(unit(a, "dma").setup == 3);
  CHECK(bytes_per_reference_cycle(link(a, "bus")) == 4);
  CHECK(link(a, "bus").latency == 3);
  CHECK(unit(a, "alu").period.cycles(1) == 4);
}

TEST_CASE("data wait for the synchroniser of the domain that they enter") {
  const Architecture a = accepted("clock_crossing");
  CHECK(route(a, "dma", 0).crossing == 2);
  CHECK(route(a, "dma", 1).crossing == 5);
  CHECK(route(accepted("clock_crossing_zero"), "dma", 0).crossing == 0);
}

TEST_CASE("memories: ports, banks, another name for word, parts of whole banks") {
  const Architecture a = accepted("memory_ports_and_banks");
  CHECK(memory(a, "dram").banks == 4);
  CHECK(memory(a, "buf").banks == 8);
  CHECK(memory(a, "buf").read_ports == 2);
  CHECK(memory(a, "buf").write_ports == 3);
  CHECK_FALSE(memory(a, "buf").shared_ports);
  const Architecture shared = accepted("memory_shared_ports");
  CHECK(memory(shared, "buf").shared_ports);
  CHECK(memory(shared, "buf").read_ports == 2);
  CHECK(memory(accepted("memory_width"), "buf").word == 32);
  const Architecture parts = accepted("memory_partitions");
  CHECK(parts.memories.size() == 3);
  CHECK(memory(parts, "buf.ping").capacity == 1024);
  CHECK(memory(parts, "buf.ping").banks == 1);
  CHECK(memory(parts, "buf.pong").capacity == 3 * 1024);
  CHECK(memory(parts, "buf.pong").banks == 3);
  CHECK(memory(parts, "buf.ping").silicon.area_um2 == 1000);
  CHECK(memory(parts, "buf.pong").silicon.area_um2 == 3000);
  CHECK(memory(parts, "buf.pong").silicon.static_pj == doctest::Approx(0.3));
  CHECK_THROWS(memory(parts, "buf"));
}

TEST_CASE("DRAM has its part's times, in clocks rounded up, but for what stands beside it") {
  const Architecture a = accepted("memory_dram");
  const Memory& m = memory(a, "dram");
  REQUIRE(m.dram.has_value());
  CHECK(m.banks == 2);
  CHECK(m.word == 64);
  CHECK(m.latency == 3);
  CHECK(m.dram->interleave == Dram::Interleave::bank);
  CHECK(m.dram->window == 8);
  CHECK(m.dram->clock_hz == 1.6e9);
  CHECK(m.dram->groups == 4);
  CHECK(m.dram->row == 8192);
  CHECK(m.dram->cl == 22);
  CHECK(m.dram->refi == 6240);
  CHECK(m.dram->rfc == 161);                    // 160.16
  CHECK(m.dram->burst_period.cycles(8) == 20);  // 32 clocks at 1.6 GHz in cycles at 1 GHz
}

TEST_CASE("a multicast has all its targets") {
  for (const char* const name : {"multicast_list", "multicast_arrow"}) {
    const Architecture a = accepted(name);
    const Route& r = route(a, "dma", 0);
    REQUIRE(r.also.size() == 1);
    CHECK(memory_name(a, r.target) == "buf");
    CHECK(memory_name(a, r.also[0]) == "twin");
  }
  CHECK(route(accepted("multicast_star_of_cores"), "cast", 0).also.size() == 3);
  CHECK(route(accepted("multicast_star_of_memories"), "fill", 0).also.size() == 2);
}

TEST_CASE("a multicast passes each link of a tree to its targets once") {
  const Architecture a = accepted("multicast_over_a_mesh");
  const auto links = [&](const std::string& mover) {
    std::set<std::string> names;
    for (const int link : route(a, mover, 0).links) names.insert(a.links[static_cast<std::size_t>(link)].name);
    CHECK(names.size() == route(a, mover, 0).links.size());
    CHECK(route(a, mover, 0).backward.size() == names.size());
    return names;
  };
  // Down to the row, then along it; along to the column, then down; the port and a tree of nine places.
  CHECK(links("row[2]").size() == 1 + 2 + 2);
  CHECK(links("column[1]").size() == 1 + 1 + 2);
  CHECK(links("all").size() == 1 + 8);
  for (const char* const mover : {"row[2]", "column[1]", "all"}) CHECK(links(mover).contains("port"));
}

TEST_CASE("energy and area are taken over") {
  const Architecture a = accepted("energy_and_area");
  CHECK(memory(a, "dram").energy.write_pj == doctest::Approx(200));
  CHECK(memory(a, "buf").energy.read_pj == doctest::Approx(0.8));
  CHECK(memory(a, "buf").energy.write_pj == 1);
  CHECK(memory(a, "buf").silicon.area_um2 == 12500.5);
  CHECK(unit(a, "dma").silicon.area_um2 == 300);
  CHECK(unit(a, "alu").silicon.area_um2 == 4000);
  CHECK(unit(a, "alu").silicon.static_pj == 2);
  CHECK(memory(a, "dram").silicon.static_pj == 12);
  CHECK(memory(a, "buf").silicon.static_pj == doctest::Approx(0.09));
  CHECK(unit(a, "dma").silicon.static_pj == 0);
  CHECK(a.links.at(0).silicon.area_um2 == 700);
  CHECK(a.links.at(0).silicon.static_pj == 0.25);
  CHECK(a.controller.silicon.area_um2 == 80);
  CHECK(a.controller.silicon.static_pj == 1);
  CHECK(capability(unit(a, "alu"), "relu").pj_per_point == doctest::Approx(0.03));
}
