#include "archdsl/export/ipxact_component.h"

#include <fmt/format.h>

#include <array>

#include "archdsl/export/ipxact_xml.h"
#include "archdsl/export/route.h"
#include "archdsl/export/yaml.h"
#include "archdsl/tensor/parse.h"

namespace accord {

namespace {

/// Children of a component in the schema's order.
class ComponentWriter {
 public:
  ComponentWriter(const Architecture& a, const Netlist& netlist, const Part& part, const std::string& library)
      : a_(a), netlist_(netlist), part_(part), library_(library) {}

  std::string write(const std::string& name) {
    pugi::xml_document document;
    root_ = start_document(document, "ipxact:component", library_, name);
    write_ports();
    write_channels();
    if (part_.kind == PartKind::memory) write_memory_map();
    write_parameters(add_element(root_, "ipxact:parameters"));
    write_extensions();
    return to_text(document);
  }

 private:
  const Memory& memory() const { return a_.memories[static_cast<std::size_t>(part_.index)]; }
  const Link& link() const { return a_.links[static_cast<std::size_t>(part_.index)]; }
  const Unit& unit() const { return a_.units[static_cast<std::size_t>(part_.index)]; }

  void write_ports() {
    static constexpr std::array<const char*, 4> modes = {"ipxact:master", "ipxact:slave", "ipxact:mirroredMaster",
                                                         "ipxact:mirroredSlave"};
    if (part_.ports.empty()) return;
    pugi::xml_node list = add_element(root_, "ipxact:busInterfaces");
    for (const BusPort& port : part_.ports) {
      pugi::xml_node node = add_element(list, "ipxact:busInterface");
      add_element(node, "ipxact:name", port.name);
      add_reference(add_element(node, "ipxact:busType"), library_, port.instructions ? "instruction_bus" : "data_bus");
      pugi::xml_node mode = add_element(node, modes[static_cast<std::size_t>(port.mode)]);
      if (part_.kind == PartKind::memory)
        add_attribute(add_element(mode, "ipxact:memoryMapRef"), "memoryMapRef", "bytes");
    }
  }

  void write_channels() {
    if (part_.channels.empty()) return;
    pugi::xml_node list = add_element(root_, "ipxact:channels");
    for (const BusChannel& channel : part_.channels) {
      pugi::xml_node node = add_element(list, "ipxact:channel");
      add_element(node, "ipxact:name", channel.name);
      for (const std::string& port : channel.ports) {
        add_element(add_element(node, "ipxact:busInterfaceRef"), "ipxact:localName", port);
      }
    }
  }

  /// Serial banks lie one after the other; parallel ones, the channels of off-chip memory, side by side.
  void write_memory_map() {
    const Memory& m = memory();
    pugi::xml_node map = add_element(add_element(root_, "ipxact:memoryMaps"), "ipxact:memoryMap");
    add_element(map, "ipxact:name", "bytes");
    if (m.banks == 1) {
      pugi::xml_node block = add_element(map, "ipxact:addressBlock");
      add_element(block, "ipxact:name", "bytes");
      add_element(block, "ipxact:baseAddress", "0");
      write_block(block, m.capacity);
    } else {
      pugi::xml_node bank = add_element(map, "ipxact:bank");
      add_attribute(bank, "bankAlignment", m.off_chip ? "parallel" : "serial");
      add_element(bank, "ipxact:name", m.off_chip ? "channels" : "banks");
      add_element(bank, "ipxact:baseAddress", "0");
      for (int i = 0; i < m.banks; ++i) {
        pugi::xml_node block = add_element(bank, "ipxact:addressBlock");
        add_element(block, "ipxact:name", fmt::format("{}{}", m.off_chip ? "channel" : "bank", i));
        write_block(block, m.bank_bytes());
      }
      add_element(bank, "ipxact:usage", "memory");
    }
    add_element(map, "ipxact:addressUnitBits", "8");
  }

  void write_block(pugi::xml_node block, std::int64_t bytes) const {
    add_element(block, "ipxact:range", fmt::format("{}", bytes));
    add_element(block, "ipxact:width", fmt::format("{}", 8 * memory().word));
    add_element(block, "ipxact:usage", "memory");
  }

  void write_parameters(pugi::xml_node list) const {
    add_parameter(list, "kind", describe(part_.kind));
    switch (part_.kind) {
      case PartKind::memory: write_parameters(list, memory()); break;
      case PartKind::link: write_parameters(list, link()); break;
      case PartKind::mover:
      case PartKind::compute: write_parameters(list, unit()); break;
      case PartKind::controller:
        add_parameter(list, "issue_width", std::int64_t{a_.controller.issue_width});
        add_parameter(list, "issue_interval", std::int64_t{a_.controller.issue_interval});
        add_parameter(list, "latency", a_.controller.latency);
        add_parameter(list, "loop_depth", std::int64_t{a_.controller.loop_depth});
        write_parameters(list, a_.controller.silicon);
        break;
    }
  }

  const std::string& clock(int domain) const { return a_.clocks[static_cast<std::size_t>(domain)].name; }

  static void write_parameters(pugi::xml_node list, const Silicon& silicon) {
    add_parameter(list, "area_um2", silicon.area_um2);
    add_parameter(list, "static_pj_per_cycle", silicon.static_pj);
  }

  void write_parameters(pugi::xml_node list, const Memory& m) const {
    add_parameter(list, "clock", clock(m.clock));
    add_parameter(list, "off_chip", m.off_chip);
    add_parameter(list, "read_ports", std::int64_t{m.read_ports});
    add_parameter(list, "write_ports", std::int64_t{m.write_ports});
    add_parameter(list, "shared_ports", m.shared_ports);
    add_parameter(list, "latency", m.latency);
    add_parameter(list, "read_pj_per_byte", m.energy.read_pj);
    add_parameter(list, "write_pj_per_byte", m.energy.write_pj);
    write_parameters(list, m.silicon);
    if (m.dram) write_parameters(list, *m.dram);
  }

  void write_parameters(pugi::xml_node list, const Dram& dram) const {
    add_parameter(list, "dram_clock", dram.clock_hz);
    add_parameter(list, "dram_window", dram.window);
    add_parameter(list, "dram_write_queue", dram.write_queue);
    add_parameter(list, "dram_interleave", std::string(name(dram.interleave)));
    for (const DramFigure& figure : dram_figures())
      add_parameter(list, fmt::format("dram_{}", figure.name).c_str(), dram.*figure.value);
  }

  void write_parameters(pugi::xml_node list, const Link& l) const {
    add_parameter(list, "clock", clock(l.clock));
    if (states_bandwidth(a_, l)) {
      add_parameter(list, "bytes_per_second", bandwidth_of(a_, l));
    } else {
      add_parameter(list, "bytes_per_cycle", l.width);
    }
    add_parameter(list, "duplex", l.duplex);
    add_parameter(list, "crossbar", l.crossbar);
    add_parameter(list, "arbitration", std::string(name(l.arbitration)));
    add_parameter(list, "fifo_bytes", l.fifo);
    add_parameter(list, "latency", l.latency);
    add_parameter(list, "pj_per_byte", l.pj_per_byte);
    write_parameters(list, l.silicon);
  }

  void write_parameters(pugi::xml_node list, const Unit& u) const {
    add_parameter(list, "clock", clock(u.clock));
    add_parameter(list, "queue", std::int64_t{u.queue});
    write_parameters(list, u.silicon);
    if (u.kind == UnitKind::compute) return;
    add_parameter(list, "request", u.request);
    add_parameter(list, "in_flight", std::int64_t{u.in_flight});
    add_parameter(list, "setup", u.setup);
  }

  /// Routes pair interfaces and walk addresses, capabilities compute: neither has words in IP-XACT.
  void write_extensions() {
    if (part_.kind != PartKind::mover && part_.kind != PartKind::compute) return;
    if (unit().routes.empty() && unit().capabilities.empty()) return;
    pugi::xml_node unit_node = add_element(add_element(root_, "ipxact:vendorExtensions"), "accord:unit");
    add_attribute(unit_node, "xmlns:accord", ipxact_extension_namespace);
    const bool found = !unit().routes.empty() && !unit().routes[0].links.empty() && unit().link < 0;
    if (found) add_attribute(unit_node, "routing", "found");
    for (const Route& route : unit().routes) write_route(unit_node, route);
    for (const Capability& capability : unit().capabilities) write_capability(unit_node, capability);
  }

  static std::string step_text(const Step& step) {
    return step.kind == Step::Kind::free ? "free" : fmt::format("{}", step.bytes);
  }

  void write_route(pugi::xml_node parent, const Route& route) const {
    pugi::xml_node node = add_element(parent, "accord:route");
    add_attribute(node, "source", netlist_.source_port(part_.index, route));
    std::vector<std::string> targets = {netlist_.target_port(part_.index, route, route.target)};
    for (const int target : route.also) targets.push_back(netlist_.target_port(part_.index, route, target));
    add_attribute(node, "target", fmt::format("{}", fmt::join(targets, " ")));
    if (route.pad) {
      add_attribute(node, "padType", std::string(name(route.pad->type)));
      add_attribute(node, "padValue", yaml_number(route.pad->value));
    }
    if (route.gather) {
      add_attribute(node, "gatherIndex", netlist_.operand_port(part_.index, route.gather->index));
      add_attribute(node, "gatherType", std::string(name(route.gather->type)));
      add_attribute(node, "gatherDim", fmt::format("{}", route.gather->dim));
    }
    for (const WalkDim& dim : route.walk) {
      pugi::xml_node walk = add_element(node, "accord:walk");
      add_attribute(walk, "max", fmt::format("{}", dim.max));
      add_attribute(walk, "source", step_text(dim.source));
      add_attribute(walk, "target", step_text(dim.target));
    }
  }

  void write_capability(pugi::xml_node parent, const Capability& c) const {
    pugi::xml_node node = add_element(parent, "accord:capability");
    add_attribute(node, "name", c.name);
    add_attribute(node, "pjPerPoint", yaml_number(c.pj_per_point));
    for (const Statement& s : c.program.statements) add_element(node, "accord:does", to_string(c.program, s));
    for (const CapabilityDim& d : c.dims) {
      pugi::xml_node dim = add_element(node, "accord:dim");
      add_attribute(dim, "name", d.name);
      add_attribute(dim, "min", fmt::format("{}", d.minimum));
      add_attribute(dim, "max", fmt::format("{}", d.maximum));
      add_attribute(dim, "multiple", fmt::format("{}", d.multiple));
    }
    for (std::size_t i = 0; i < c.operands.size(); ++i) write_operand(node, c.program.operands[i], c.operands[i]);
    pugi::xml_node timing = add_element(node, "accord:timing");
    const auto add = [&](const char* key, const Formula& formula) {
      if (!formula.text().empty()) add_attribute(timing, key, formula.text());
    };
    add("start", c.start);
    add("interval", c.interval);
    add("drain", c.drain);
  }

  void write_operand(pugi::xml_node parent, const Operand& operand, const CapabilityOperand& place) const {
    pugi::xml_node node = add_element(parent, "accord:operand");
    add_attribute(node, "name", operand.name);
    add_attribute(node, "type", std::string(name(operand.type)));
    if (place.memory < 0) return;
    add_attribute(node, "busInterface", netlist_.operand_port(part_.index, place.memory));
    if (place.held) add_attribute(node, "held", "true");
    for (const Step& step : place.steps) add_element(node, "accord:step", step_text(step));
  }

  const Architecture& a_;
  const Netlist& netlist_;
  const Part& part_;
  const std::string& library_;
  pugi::xml_node root_;
};

}  // namespace

std::string part_document(const Architecture& a, const Netlist& netlist, const Part& part, const std::string& library,
                          const std::string& name) {
  return ComponentWriter(a, netlist, part, library).write(name);
}

}  // namespace accord
