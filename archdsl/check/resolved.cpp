#include "archdsl/check/resolved.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/parse.h"

namespace accord {

namespace {

using nlohmann::json;

json to_json(const Step& step) { return step.kind == Step::Kind::free ? json("free") : json(step.bytes); }

const std::string& clock_name(const Architecture& a, int clock) {
  return a.clocks[static_cast<std::size_t>(clock)].name;
}

json to_json(const ClockDomain& c) { return {{"name", c.name}, {"hz", c.hz}, {"crossing", c.crossing}}; }

json to_json(const Dram& d) {
  json dram = {
      {"clock", d.clock_hz}, {"window", d.window}, {"write_queue", d.write_queue}, {"interleave", name(d.interleave)}};
  for (const DramFigure& figure : dram_figures()) dram[figure.name] = d.*figure.value;
  return dram;
}

json to_json(const Architecture& a, const Memory& m) {
  json memory = {{"name", m.name},
                 {"clock", clock_name(a, m.clock)},
                 {"off_chip", m.off_chip},
                 {"capacity", m.capacity},
                 {"word", m.word},
                 {"banks", m.banks},
                 {"read_ports", m.read_ports},
                 {"write_ports", m.write_ports},
                 {"shared_ports", m.shared_ports},
                 {"latency", m.latency},
                 {"read_pj_per_byte", m.energy.read_pj},
                 {"write_pj_per_byte", m.energy.write_pj},
                 {"area_um2", m.silicon.area_um2},
                 {"static_pj_per_cycle", m.silicon.static_pj}};
  if (m.dram) memory["dram"] = to_json(*m.dram);
  return memory;
}

json to_json(const Architecture& a, const Link& l) {
  static constexpr std::array<std::string_view, 3> arbitrations = {"first_come", "round_robin", "priority"};
  const auto rate =
      states_bandwidth(a, l) ? std::pair("bytes_per_second", bandwidth_of(a, l)) : std::pair("width", l.width);
  return {{"name", l.name},
          {"clock", clock_name(a, l.clock)},
          {rate.first, rate.second},
          {"duplex", l.duplex},
          {"crossbar", l.crossbar},
          {"arbitration", arbitrations[static_cast<std::size_t>(l.arbitration)]},
          {"fifo", l.fifo},
          {"between", l.between},
          {"latency", l.latency},
          {"pj_per_byte", l.pj_per_byte},
          {"area_um2", l.silicon.area_um2},
          {"static_pj_per_cycle", l.silicon.static_pj}};
}

json name_or_null(const auto& list, int index) {
  return index < 0 ? json() : json(list[static_cast<std::size_t>(index)].name);
}

json to_json(const Architecture& a, const Route& r) {
  json walk = json::array();
  for (const WalkDim& dim : r.walk) {
    walk.push_back({{"max", dim.max}, {"source", to_json(dim.source)}, {"target", to_json(dim.target)}});
  }
  json targets = json::array({name_or_null(a.memories, r.target)}), links = json::array();
  for (const int target : r.also) targets.push_back(name_or_null(a.memories, target));
  for (const int link : r.links) links.push_back(name_or_null(a.links, link));
  json route = {{"from", name_or_null(a.memories, r.source)},
                {"to", std::move(targets)},
                {"links", std::move(links)},
                {"crossing", r.crossing},
                {"walk", std::move(walk)}};
  if (r.pad) route["pad"] = {{"type", name(r.pad->type)}, {"value", r.pad->value}};
  if (r.gather) {
    route["gather"] = {
        {"index", name_or_null(a.memories, r.gather->index)}, {"type", name(r.gather->type)}, {"dim", r.gather->dim}};
  }
  return route;
}

json to_json(const Architecture& a, const Capability& c) {
  json dims = json::array();
  for (const CapabilityDim& dim : c.dims) {
    dims.push_back({{"name", dim.name}, {"min", dim.minimum}, {"max", dim.maximum}, {"multiple", dim.multiple}});
  }
  json operands = json::array();
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    json steps = json::array();
    for (const Step& step : c.operands[i].steps) steps.push_back(to_json(step));
    operands.push_back({{"name", c.program.operands[i].name},
                        {"type", name(c.program.operands[i].type)},
                        {"rank", c.program.operands[i].rank},
                        {"in", name_or_null(a.memories, c.operands[i].memory)},
                        {"held", c.operands[i].held},
                        {"steps", std::move(steps)}});
  }
  return {{"name", c.name},
          {"does", statement_texts(c.program)},
          {"dims", std::move(dims)},
          {"operands", std::move(operands)},
          {"timing", {{"start", c.start.text()}, {"interval", c.interval.text()}, {"drain", c.drain.text()}}},
          {"pj_per_point", c.pj_per_point}};
}

json to_json(const Architecture& a, const Unit& u) {
  json unit = {{"name", u.name},
               {"kind", u.kind == UnitKind::mover ? "mover" : "compute"},
               {"clock", clock_name(a, u.clock)},
               {"queue", u.queue},
               {"area_um2", u.silicon.area_um2},
               {"static_pj_per_cycle", u.silicon.static_pj}};
  unit["capabilities"] = json::array();
  for (const Capability& capability : u.capabilities) unit["capabilities"].push_back(to_json(a, capability));
  if (u.kind != UnitKind::mover) return unit;
  unit["link"] = name_or_null(a.links, u.link);
  unit["request"] = u.request;
  unit["in_flight"] = u.in_flight;
  unit["setup"] = u.setup;
  unit["routes"] = json::array();
  for (const Route& route : u.routes) unit["routes"].push_back(to_json(a, route));
  return unit;
}

json to_json(const Sync& s) {
  switch (s.kind) {
    case Sync::Kind::semaphores: return {{"semaphores", {{"count", s.semaphores}, {"max", s.semaphore_max}}}};
    case Sync::Kind::interlock: return {{"interlock", {{"entries", s.entries}}}};
    default: return "in_order";
  }
}

json to_json(const Numerics& n) {
  json parameters = json::array();
  for (const auto& p : n.parameters) {
    parameters.push_back({{"name", p.name}, {"type", name(p.type)}, {"per", p.per_channel ? "channel" : "tensor"}});
  }
  return {{"integer", n.integer},       {"storage", name(n.storage)},
          {"weight", name(n.weight)},   {"accumulator", name(n.accumulator)},
          {"requantise", n.requantise}, {"parameters", std::move(parameters)}};
}

json to_json(const Binding& b) {
  return {{"base", static_cast<int>(b.base)},
          {"register", b.reg},
          {"index_field", b.index_field},
          {"field", b.field},
          {"unit", b.unit},
          {"bias", b.bias}};
}

json to_json(const Mnemonic& m) {
  static constexpr std::array<std::string_view, 8> meanings = {"set",  "add",  "transfer", "run",
                                                               "loop", "wait", "signal",   "fence"};
  json fields = json::array();
  for (const Field& f : m.fields) {
    fields.push_back({{"name", f.name}, {"offset", f.offset}, {"bits", f.bits}, {"signed", f.is_signed}});
  }
  json arguments = json::array();
  for (const Binding& binding : m.arguments) arguments.push_back(to_json(binding));
  json updates = json::array();
  for (const RegisterUpdate& u : m.updates) {
    updates.push_back({{"base", static_cast<int>(u.base)},
                       {"register", u.reg},
                       {"index_field", u.index_field},
                       {"amount", to_json(u.amount)}});
  }
  json elements = json::array();
  for (const ElementField& e : m.elements) {
    elements.push_back({{"field", e.field}, {"stride", e.stride}, {"count", e.count}});
  }
  return {{"name", m.name},
          {"opcode", m.opcode},
          {"means", meanings[static_cast<std::size_t>(m.meaning)]},
          {"unit", m.unit},
          {"units", m.units},
          {"elements", std::move(elements)},
          {"route", m.route},
          {"capability", m.capability},
          {"fields", std::move(fields)},
          {"arguments", std::move(arguments)},
          {"updates", std::move(updates)}};
}

json to_json(const Isa& isa) {
  json registers = json::array();
  for (const Register& r : isa.registers) {
    registers.push_back({{"name", r.name}, {"bits", r.bits}, {"signed", r.is_signed}, {"count", r.count}});
  }
  json mnemonics = json::array();
  for (const Mnemonic& m : isa.mnemonics) mnemonics.push_back(to_json(m));
  return {{"width", isa.width},
          {"opcode", {{"offset", isa.opcode_offset}, {"bits", isa.opcode_bits}}},
          {"registers", std::move(registers)},
          {"mnemonics", std::move(mnemonics)}};
}

}  // namespace

nlohmann::json resolved(const Architecture& a) {
  json result = {{"name", a.name},
                 {"clocks", json::array()},
                 {"controller",
                  {{"name", a.controller.name},
                   {"issue_width", a.controller.issue_width},
                   {"issue_interval", a.controller.issue_interval},
                   {"latency", a.controller.latency},
                   {"loop_depth", a.controller.loop_depth},
                   {"area_um2", a.controller.silicon.area_um2},
                   {"static_pj_per_cycle", a.controller.silicon.static_pj}}},
                 {"sync", to_json(a.sync)},
                 {"numerics", to_json(a.numerics)},
                 {"isa", to_json(a.isa)}};
  for (const char* const list : {"memories", "links", "units"}) result[list] = json::array();
  for (const ClockDomain& clock : a.clocks) result["clocks"].push_back(to_json(clock));
  for (const Memory& memory : a.memories) result["memories"].push_back(to_json(a, memory));
  for (const Link& link : a.links) result["links"].push_back(to_json(a, link));
  for (const Unit& unit : a.units) result["units"].push_back(to_json(a, unit));
  return result;
}

std::string hash_of(const Architecture& architecture) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : resolved(architecture).dump()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace accord
