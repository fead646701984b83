#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "archdsl/export/ipxact.h"
#include "archdsl/export/ipxact_capability.h"
#include "archdsl/export/ipxact_library.h"
#include "archdsl/export/names.h"
#include "archdsl/export/yaml.h"
#include "archdsl/source/error.h"

namespace accord {

namespace {

constexpr std::int64_t greatest_number = std::int64_t{1} << 50;
constexpr std::size_t most_instances = 100'000;

/// A component instance of the design.
struct Instance {
  std::string name;  ///< in the covenant
  const IpxactType* type = nullptr;
  pugi::xml_node node;
  int index = -1;  ///< into Architecture::memories, links or units
};

/// One end of an interconnection.
using End = std::pair<std::size_t, std::string>;  ///< instance, bus interface

Arbitration arbitration_of(const IpxactType& type) {
  const auto found = type.parameters.find("arbitration");
  if (found == type.parameters.end()) return Arbitration::first_come;
  for (const Arbitration a : {Arbitration::first_come, Arbitration::round_robin, Arbitration::priority}) {
    if (found->second == name(a)) return a;
  }
  throw Error(fmt::format("component {}: `{}` is no arbitration", type.name, found->second));
}

class Importer {
 public:
  explicit Importer(const std::filesystem::path& catalog) : library_(catalog) {}

  std::string covenant() {
    const pugi::xml_node machine = library_.machine() ? library_.machine()->root : library_.design();
    library_.in_file_of(machine, [&] { read_machine(); });
    library_.in_file_of(library_.design(), [&] {
      read_instances();
      read_interconnections();
    });
    for (Instance& instance : instances_) library_.in_file_of(instance.type->root, [&] { add_component(instance); });
    for (std::size_t i = 0; i < instances_.size(); ++i)
      library_.in_file_of(instances_[i].type->root, [&] { connect_unit(i); });
    return library_.in_file_of(machine, [&] { return text(); });
  }

 private:
  std::string what(const Instance& instance) const { return fmt::format("instance {}", instance.name); }

  void read_machine() {
    const IpxactType* const machine = library_.machine();
    a_.name = identifier_of(machine ? machine->name : text_of(library_.design(), "name"));
    if (machine) {
      const auto named = machine->parameters.find("machine_name");
      if (named != machine->parameters.end() && is_identifier(named->second)) a_.name = named->second;
      a_.source = text_of(machine->root, "description");
      extension_ = child_of(child_of(machine->root, "vendorExtensions"), "machine");
    }
    for (std::size_t at = 0; (at = a_.source.find("${", at)) != std::string::npos;) a_.source.insert(at + 1, " ");
    std::vector<ClockDomain> clocks;
    for (const pugi::xml_node clock : children_of(extension_, "clock")) {
      ClockDomain domain;
      domain.name = clock.attribute("name").value();
      domain.hz = ipxact_real(clock.attribute("hz").value(), "a clock's frequency");
      domain.crossing = ipxact_integer(clock.attribute("crossing").value(), "a clock's crossing", 0, 1024);
      clocks.push_back(domain);
    }
    if (!clocks.empty()) {
      a_.clocks = std::move(clocks);
      a_.clock_hz = a_.clocks[0].hz;
      return;
    }
    a_.clocks = {{"core", 1e9, 0, {}}};
    if (machine) read_clock_driver(*machine);
  }

  void read_clock_driver(const IpxactType& machine) {
    const pugi::xml_node driver = child_of(child_of(machine.root, "otherClockDrivers"), "otherClockDriver");
    if (!driver) return notes_.push_back("no clock is stated: 1 GHz is only the default");
    const pugi::xml_node period = child_of(driver, "clockPeriod");
    const bool pico = std::string_view(period.attribute("units").value()) == "ps";
    const double value = ipxact_real(period.text().get(), "clockPeriod");
    if (!(value > 0)) throw Error("clockPeriod must be above 0");
    a_.clock_hz = a_.clocks[0].hz = (pico ? 1e12 : 1e9) / value;
  }

  void read_instances() {
    const auto nodes = children_of(child_of(library_.design(), "componentInstances"), "componentInstance");
    if (nodes.size() > most_instances) throw Error(fmt::format("more than {} component instances", most_instances));
    std::set<std::string> used;
    for (const pugi::xml_node node : nodes) {
      const std::string instance = text_of(node, "instanceName"), shown = text_of(node, "displayName");
      if (!by_name_.emplace(instance, instances_.size()).second) {
        throw Error(fmt::format("two component instances are called `{}`", instance));
      }
      const bool literal = is_identifier(shown) || is_hierarchical(shown);
      std::string name = literal ? shown : identifier_of(instance);
      for (int i = 2; !used.insert(name).second; ++i) name = fmt::format("{}_{}", identifier_of(instance), i);
      instances_.push_back({name, &library_.type(child_of(node, "componentRef")), node, -1});
    }
  }

  void read_interconnections() {
    for (const pugi::xml_node node : children_of(child_of(library_.design(), "interconnections"), "interconnection")) {
      std::vector<End> ends;
      for (const pugi::xml_node end : children_of(node, "activeInterface")) ends.push_back(read_end(end));
      for (std::size_t e = 1; e < ends.size(); ++e) {
        others_[ends[0]].push_back(ends[e]);
        others_[ends[e]].push_back(ends[0]);
      }
    }
  }

  End read_end(pugi::xml_node node) const {
    const std::string instance = node.attribute("componentRef").value(), port = node.attribute("busRef").value();
    const auto found = by_name_.find(instance);
    if (found == by_name_.end() || !instances_[found->second].type->ports.contains(port)) {
      throw Error(fmt::format("an interconnection ends at `{}` of `{}`, which is not there", port, instance));
    }
    return {found->second, port};
  }

  int clock_of(const IpxactType& type) const {
    const auto found = type.parameters.find("clock");
    if (found == type.parameters.end()) return 0;
    for (std::size_t c = 0; c < a_.clocks.size(); ++c) {
      if (a_.clocks[c].name == found->second) return static_cast<int>(c);
    }
    throw Error(fmt::format("component {}: there is no clock `{}`", type.name, found->second));
  }

  void add_component(Instance& instance) {
    if (!instance.type->kind) {
      notes_.push_back(fmt::format("{} is left out: component {} is no memory, link, mover, compute unit or controller",
                                   instance.name, instance.type->name));
      return;
    }
    switch (*instance.type->kind) {
      case PartKind::memory: add_memory(instance); break;
      case PartKind::link: add_link(instance); break;
      case PartKind::mover:
      case PartKind::compute: add_unit(instance); break;
      case PartKind::controller: add_controller(instance); break;
    }
  }

  static Silicon silicon_of(const IpxactType& t) { return {t.real("area_um2"), t.real("static_pj_per_cycle")}; }

  void add_memory(Instance& instance) {
    const IpxactType& t = *instance.type;
    Memory m;
    m.name = instance.name;
    read_memory_map(t, m);
    m.clock = clock_of(t);
    m.off_chip = t.flag("off_chip");
    m.read_ports = static_cast<int>(t.integer("read_ports", 1, 1, 64));
    m.write_ports = static_cast<int>(t.integer("write_ports", 1, 1, 64));
    m.shared_ports = t.flag("shared_ports");
    m.latency = t.integer("latency", 1, 0, greatest_number);
    m.energy = {t.real("read_pj_per_byte"), t.real("write_pj_per_byte")};
    m.silicon = silicon_of(t);
    if (t.real("dram_clock") > 0) m.dram = dram_of(t);
    instance.index = static_cast<int>(a_.memories.size());
    a_.memories.push_back(std::move(m));
  }

  Dram dram_of(const IpxactType& t) const {
    Dram dram;
    dram.clock_hz = t.real("dram_clock");
    dram.window = t.integer("dram_window", 16, 1, 256);
    dram.write_queue = t.integer("dram_write_queue", 64, 1, 1024);
    if (const auto given = t.parameters.find("dram_interleave"); given != t.parameters.end()) {
      if (given->second != "group" && given->second != "row" && given->second != "bank")
        throw Error(fmt::format("component {}: dram_interleave is group, row or bank, not {}", t.name, given->second));
      dram.interleave = interleave_of(given->second);
    }
    for (const DramFigure& figure : dram_figures())
      dram.*figure.value = t.integer(fmt::format("dram_{}", figure.name), 1, 0, greatest_number);
    return dram;
  }

  static void read_memory_map(const IpxactType& type, Memory& m) {
    const std::string where = fmt::format("component {}: memoryMap", type.name);
    const pugi::xml_node map = child_of(child_of(type.root, "memoryMaps"), "memoryMap");
    const pugi::xml_node bank = child_of(map, "bank");
    const auto blocks = children_of(bank ? bank : map, "addressBlock");
    if (blocks.empty() || blocks.size() > 4096) throw Error(where + " has no address block, or more than 4096");
    const std::string unit = text_of(map, "addressUnitBits");
    const std::int64_t unit_bits = unit.empty() ? 8 : ipxact_integer(unit, where + " addressUnitBits", 8, 1 << 20);
    for (const pugi::xml_node block : blocks) {
      m.capacity += ipxact_integer(text_of(block, "range"), where + " range", 1, greatest_number) * (unit_bits / 8);
      m.word = ipxact_integer(text_of(block, "width"), where + " width", 1, 1 << 23) / 8;
      if (m.word < 1 || m.capacity > greatest_number)
        throw Error(where + ": words of at least 8 bits, at most 2^50 bytes");
    }
    m.banks = bank ? static_cast<int>(blocks.size()) : 1;
  }

  void add_link(Instance& instance) {
    const IpxactType& t = *instance.type;
    Link l;
    l.name = instance.name;
    l.clock = clock_of(t);
    l.width = t.integer("bytes_per_cycle", 1, 1, 1 << 20);
    l.period = a_.clocks[static_cast<std::size_t>(l.clock)].period;
    if (const std::int64_t bandwidth = t.integer("bytes_per_second", 0, 1, greatest_number); bandwidth > 0) {
      l.period = {std::llround(a_.clock_hz), bandwidth};
    }
    l.duplex = t.flag("duplex");
    l.crossbar = t.flag("crossbar");
    l.arbitration = arbitration_of(t);
    l.fifo = t.integer("fifo_bytes", 0, 0, greatest_number);
    l.latency = t.integer("latency", 0, 0, greatest_number);
    l.pj_per_byte = t.real("pj_per_byte");
    l.silicon = silicon_of(t);
    for (const pugi::xml_node end : children_of(child_of(child_of(instance.node, "vendorExtensions"), "link"), "end")) {
      l.between.push_back(end.text().get());
    }
    if (!t.declared) notes_.push_back(fmt::format("{}: its width is not stated; 1 B is a guess", l.name));
    instance.index = static_cast<int>(a_.links.size());
    a_.links.push_back(std::move(l));
  }

  void add_unit(Instance& instance) {
    const IpxactType& t = *instance.type;
    Unit u;
    u.name = instance.name;
    u.kind = *t.kind == PartKind::mover ? UnitKind::mover : UnitKind::compute;
    u.clock = clock_of(t);
    u.queue = static_cast<int>(t.integer("queue", 4, 1, 65536));
    u.silicon = silicon_of(t);
    u.request = t.integer("request", 64, 1, 1 << 20);
    u.in_flight = static_cast<int>(t.integer("in_flight", 1, 1, 65536));
    u.setup = t.integer("setup", 0, 0, greatest_number);
    instance.index = static_cast<int>(a_.units.size());
    a_.units.push_back(std::move(u));
  }

  void add_controller(Instance& instance) {
    if (!a_.controller.name.empty()) throw Error(fmt::format("{} is a second controller", instance.name));
    a_.controller.name = instance.name;
    a_.controller.issue_width = static_cast<int>(instance.type->integer("issue_width", 1, 1, 1024));
    a_.controller.issue_interval = static_cast<int>(instance.type->integer("issue_interval", 1, 1, 1024));
    a_.controller.latency = instance.type->integer("latency", 0, 0, greatest_number);
    a_.controller.loop_depth = static_cast<int>(instance.type->integer("loop_depth", 0, 0, 64));
    a_.controller.silicon = silicon_of(*instance.type);
  }

  /// All memories behind an interface, and the links on the way, nearest first.
  void follow(const End& from, std::vector<int> links, std::vector<BusWay>& ways) {
    if (++steps_ > most_steps)
      throw Error(fmt::format("more than {} ways lead through the interconnections", most_steps));
    const auto found = others_.find(from);
    if (found == others_.end()) return;
    for (const End& end : found->second) {
      const Instance& next = instances_[end.first];
      if (next.type->kind == PartKind::memory) ways.push_back({next.index, links});
      if (next.type->kind != PartKind::link) continue;
      const auto channel = next.type->channel_of.find(end.second);
      if (channel == next.type->channel_of.end()) continue;
      std::vector<int> longer = links;
      longer.push_back(next.index);
      if (std::find(links.begin(), links.end(), next.index) != links.end() || longer.size() > most_links) {
        throw Error(fmt::format("the interconnections go round in a circle at {}", next.name));
      }
      for (const std::string& port : next.type->channels[channel->second]) {
        if (next.type->ports.at(port) == BusMode::mirrored_slave) follow({end.first, port}, longer, ways);
      }
    }
  }

  void connect_unit(std::size_t index) {
    const Instance& instance = instances_[index];
    if (instance.index < 0 || (instance.type->kind != PartKind::mover && instance.type->kind != PartKind::compute))
      return;
    BusWays ways;
    for (const auto& [port, mode] : instance.type->ports) {
      if (mode == BusMode::master) follow({index, port}, {}, ways[port]);
    }
    Unit& unit = a_.units[static_cast<std::size_t>(instance.index)];
    const pugi::xml_node extension = child_of(child_of(instance.type->root, "vendorExtensions"), "unit");
    if (extension) {
      read_unit_extension(extension, ways, unit);
    } else if (unit.kind == UnitKind::mover) {
      guess_routes(ways, unit);
    }
  }

  /// A mover of unknown routes moves between any two memories that it reaches.
  void guess_routes(const BusWays& ways, Unit& unit) {
    std::map<int, std::vector<int>> reached;
    for (const auto& [port, list] : ways) {
      for (const BusWay& way : list) reached.emplace(way.memory, way.links);
    }
    if (reached.size() > most_guessed)
      throw Error(fmt::format("{} reaches more than {} memories", unit.name, most_guessed));
    notes_.push_back(fmt::format("{} is taken for a mover between all memories that it reaches", unit.name));
    for (const auto& [source, source_links] : reached) {
      for (const auto& [target, target_links] : reached) {
        if (source == target) continue;
        Route route;
        route.source = source;
        route.target = target;
        route.links.assign(source_links.rbegin(), source_links.rend());
        route.links.insert(route.links.end(), target_links.begin(), target_links.end());
        route.walk.assign(3, {std::int64_t{1} << 40, {}, {}});
        unit.routes.push_back(std::move(route));
      }
    }
    if (!unit.routes.empty() && !unit.routes[0].links.empty()) unit.link = unit.routes[0].links[0];
  }

  /// A section's YAML, which must stay within its key.
  std::string section(const char* key) {
    const pugi::xml_node node = child_of(extension_, key);
    if (!node) {
      notes_.push_back(fmt::format("`{}` is not stated", key));
      return "";
    }
    const std::string value = node.text().get();
    for (std::size_t at = value.find('\n'); at != std::string::npos && at + 1 < value.size();
         at = value.find('\n', at + 1)) {
      if (value.compare(at + 1, 2, "  ") != 0)
        throw Error(fmt::format("the section `{}` does not stay within its key", key));
    }
    return fmt::format("{}:{}{}", key, value, value.ends_with('\n') ? "" : "\n");
  }

  std::string text() {
    const std::string numerics = section("numerics"), sync = section("sync"), isa = section("isa");
    const std::string head = yaml_head(a_), components = "components:" + yaml_components(a_);
    std::string result;
    for (std::string note : notes_) {
      std::replace(note.begin(), note.end(), '\n', ' ');
      result += fmt::format("# {}\n", note);
    }
    return result + head + numerics + components + sync + isa;
  }

  static constexpr std::size_t most_links = 64;
  static constexpr std::size_t most_steps = 1 << 20;  ///< from an interface to the next, of all ways
  static constexpr std::size_t most_guessed = 16;

  IpxactLibrary library_;
  Architecture a_;
  pugi::xml_node extension_;
  std::vector<Instance> instances_;
  std::map<std::string, std::size_t> by_name_;
  std::map<End, std::vector<End>> others_;
  std::vector<std::string> notes_;
  std::size_t steps_ = 0;
};

}  // namespace

std::string import_ipxact(const std::filesystem::path& catalog) { return Importer(catalog).covenant(); }

}  // namespace accord
