#include <fmt/format.h>

#include "archdsl/check/elaborate.h"

namespace accord {

Memory read_memory(Elaboration& elaboration, const Elaboration::Component& component) {
  Scope& scope = elaboration.scope;
  MapReader reader(scope, *component.node, fmt::format("memory `{}`", component.name));
  reader.find("kind");
  Memory memory;
  memory.name = component.name;
  memory.where = elaboration.where(component.place);
  memory.off_chip = reader.flag("off_chip", false);
  memory.capacity = reader.bytes("capacity", {1, greatest_quantity}, std::nullopt);
  const bool wide = reader.valid() && component.node->find("width") && !component.node->find("word");
  memory.word = reader.bytes(wide ? "width" : "word", {1, 1 << 20}, 1);
  memory.banks = static_cast<int>(reader.integer("banks", {1, 4096}, 1));
  memory.latency = reader.cycles("latency", {0, 1'000'000}, 1);
  memory.area_um2 = reader.area("area");
  if (const Node* const ports = reader.find("ports")) {
    MapReader port_reader(scope, *ports, "ports");
    memory.read_ports = static_cast<int>(port_reader.integer("read", {1, 64}, 1));
    memory.write_ports = static_cast<int>(port_reader.integer("write", {1, 64}, 1));
    port_reader.finish();
  }
  if (const Node* const energy = reader.find("energy")) {
    MapReader energy_reader(scope, *energy, "energy");
    memory.energy = {energy_reader.energy("read"), energy_reader.energy("write")};
    energy_reader.finish();
  }
  reader.finish();
  return memory;
}

}  // namespace accord
