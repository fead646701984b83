#include <fmt/format.h>

#include "archdsl/check/elaborate.h"
#include "archdsl/check/elaborate_dram.h"

namespace accord {

namespace {

/// What a DRAM part says of words, banks and ports.
void read_channels_of(Elaboration& elaboration, const Node& node, const MapReader& reader, Memory& memory) {
  Reporter& reporter = elaboration.scope.reporter();
  if (!memory.off_chip) reporter.report("wrong-value", node.place, "only off-chip memory has `dram`");
  for (const char* const key : {"word", "width", "banks", "ports"}) {
    if (const Node* const other = reader.find(key))
      reporter.report("duplicate-name", other->place, fmt::format("`dram` stands in place of `{}`", key));
  }
  const DramReader dram(elaboration, node);
  memory.banks = dram.channels();
  memory.dram = dram.part();
  if (!memory.dram) return;
  memory.word = memory.dram->width * memory.dram->burst;
  memory.shared_ports = true;
}

Memory read_whole(Elaboration& elaboration, const Elaboration::Component& component, const MapReader& reader) {
  Scope& scope = elaboration.scope;
  const ClockDomain& domain = elaboration.clock_of(component);
  Memory memory;
  memory.name = component.name;
  memory.where = elaboration.where(component.place);
  memory.clock = component.clock;
  memory.period = domain.period;
  memory.off_chip = reader.flag("off_chip");
  memory.capacity = reader.bytes("capacity");
  memory.word = reader.bytes(reader.find("width") ? "width" : "word");
  memory.banks = static_cast<int>(reader.integer("banks"));
  memory.latency = reader.cycles("latency");
  memory.silicon = read_silicon(reader);
  if (const Node* const ports = reader.find("ports")) {
    const MapReader port_reader(scope, *ports, "ports", "ports");
    memory.read_ports = static_cast<int>(port_reader.integer("read"));
    memory.write_ports = static_cast<int>(port_reader.integer("write"));
    if (const Node* const shared = port_reader.find("shared")) {
      memory.shared_ports = true;
      memory.read_ports = memory.write_ports = static_cast<int>(port_reader.integer("shared"));
      if (port_reader.find("read") || port_reader.find("write"))
        scope.reporter().report("duplicate-name", shared->place, "`shared` ports stand in place of `read` and `write`");
    }
  }
  if (const Node* const dram = reader.find("dram")) read_channels_of(elaboration, *dram, reader, memory);
  if (const Node* const energy = reader.find("energy")) {
    const MapReader energy_reader(scope, *energy, "memory_energy", "energy");
    memory.energy = {energy_reader.energy("read"), energy_reader.energy("write")};
  }
  if (reader.find("word") && reader.find("width")) {
    scope.reporter().report("duplicate-name", reader.find("width")->place, "`word` and `width` mean the same");
  }
  return memory;
}

/// Banks are blocks of their own, so whole banks make a memory of their own.
std::vector<Memory> split(Elaboration& elaboration, const Memory& whole, const Node& partitions) {
  std::vector<Memory> parts;
  std::int64_t banks = 0;
  for (const NodeEntry& entry : elaboration.scope.entries(&partitions, "partitions", 256)) {
    if (!elaboration.scope.check_name(entry.key.text, entry.key.place, "partition")) continue;
    Memory part = whole;
    part.name = fmt::format("{}.{}", whole.name, entry.key.text);
    part.banks = static_cast<int>(elaboration.scope.integer(entry.value, "banks", {1, 4096}).value_or(1));
    part.capacity = whole.capacity / whole.banks * part.banks;
    part.silicon.area_um2 = whole.silicon.area_um2 * part.banks / whole.banks;
    part.silicon.static_pj = whole.silicon.static_pj * part.banks / whole.banks;
    banks += part.banks;
    parts.push_back(std::move(part));
  }
  if (banks != whole.banks) {
    elaboration.scope.reporter().report(
        "bad-capacity", partitions.place,
        fmt::format("the partitions of `{}` take {} banks, but it has {}", whole.name, banks, whole.banks));
  }
  return parts;
}

}  // namespace

std::vector<Memory> read_memory(Elaboration& elaboration, const Elaboration::Component& component) {
  elaboration.scope.set_clock(elaboration.clock_of(component).hz);
  const MapReader reader(elaboration.scope, *component.node, "memory", fmt::format("memory `{}`", component.name));
  Memory memory = read_whole(elaboration, component, reader);
  const Node* const partitions = reader.find("partitions");
  if (!partitions) return {std::move(memory)};
  if (memory.off_chip) {
    elaboration.scope.reporter().report("wrong-value", partitions->place, "off-chip memory has no partitions");
  }
  return split(elaboration, memory, *partitions);
}

}  // namespace accord
