#include "compiler/lowering/contention.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"
#include "compiler/mapping/timing.h"

namespace accord {
namespace {

constexpr int most_stretches = 8;

/// What serves one request after another.
struct LaneKey {
  enum class Kind : std::uint8_t { link, crossbar_source, crossbar_target, ports, dram };
  Kind kind = Kind::link;
  int id = -1;             ///< link or memory
  int side = 0;            ///< of a link: the direction; of ports: 1 where they write; of a crossbar: the memory
  std::int64_t width = 1;  ///< bytes of a beat
  double beat = 1;         ///< reference cycles
  bool writes = false;     ///< into DRAM

  auto key() const { return std::tuple(kind, id, side); }
  bool operator<(const LaneKey& other) const { return key() < other.key(); }
};

using LaneList = std::vector<LaneKey>;

/// Lists the lanes that an operation passes.
class LaneFinder {
 public:
  explicit LaneFinder(const Architecture& architecture) : architecture_(architecture) {}

  LaneList of(const Route& route) const {
    LaneList list;
    const bool outward = architecture_.memories[route.target].off_chip;
    for (std::size_t l = 0; l < route.links.size(); ++l) {
      add_link(list, route.links[l], backward(route, l, outward), route.source, route.target);
    }
    add_ports(list, route.source, false);
    add_ports(list, route.target, true);
    return list;
  }

  /// A mover's capability: its operands off chip pass the way of the mover's capabilities.
  LaneList of(const Unit& unit, const Capability& capability) const {
    LaneList list;
    const int target = capability.program.statements.back().target.operand;
    for (std::size_t o = 0; o < capability.operands.size(); ++o) {
      const int memory = capability.operands[o].memory;
      if (memory < 0 || !architecture_.memories[memory].off_chip) continue;
      const bool writes = static_cast<int>(o) == target;
      add_ports(list, memory, writes);
      add_capability_links(list, unit, memory, writes);
    }
    return list;
  }

 private:
  bool has_ends(int link) const { return !architecture_.links[link].between.empty(); }
  bool backward(const Route& route, std::size_t l, bool outward) const {
    return has_ends(route.links[l]) ? route.backward[l] : outward;
  }

  void add_capability_links(LaneList& list, const Unit& unit, int memory, bool writes) const {
    if (const Route* const like = capability_route(unit)) {
      const bool turned = against_route(architecture_, *like, writes);
      for (std::size_t l = 0; l < like->links.size(); ++l) {
        const int link = like->links[l];
        add_link(list, link, backward(*like, l, writes) != (turned && has_ends(link)), memory, memory);
      }
      return;
    }
    std::vector<int> links;
    if (unit.link >= 0) {
      links = {unit.link};
    } else if (!unit.routes.empty()) {
      links = unit.routes.front().links;
    }
    for (const int link : links) add_link(list, link, writes, memory, memory);
  }

  void add_link(LaneList& list, int index, bool backward, int source, int target) const {
    const Link& link = architecture_.links[index];
    const double beat = static_cast<double>(link.period.numerator) / static_cast<double>(link.period.denominator);
    if (!link.crossbar) {
      list.push_back({LaneKey::Kind::link, index, link.duplex && backward ? 1 : 0, link.width, beat});
      return;
    }
    list.push_back({LaneKey::Kind::crossbar_source, index, source, link.width, beat});
    list.push_back({LaneKey::Kind::crossbar_target, index, target, link.width, beat});
  }

  void add_ports(LaneList& list, int index, bool writes) const {
    const Memory& memory = architecture_.memories[index];
    if (!memory.off_chip) return;
    const int ports = writes ? memory.write_ports : memory.read_ports;
    if (memory.dram) {
      list.push_back({LaneKey::Kind::dram, index, 0, 1, 1, writes});
      return;
    }
    const double rate = memory.banks * ports * per_reference_cycle(memory.word, memory.period);
    const double beat = static_cast<double>(memory.word) / rate;
    list.push_back({LaneKey::Kind::ports, index, writes && !memory.shared_ports ? 1 : 0, memory.word, beat});
  }

  const Architecture& architecture_;
};

}  // namespace

Contention::Contention(const Architecture& architecture, const OpList& list)
    : architecture_(architecture), in_step_(list.divided) {
  for (const LowOp& op : list.ops) {
    if (op.link > 0) least_in_flight_ = std::min(least_in_flight_, in_flight(op));
  }
  const LaneFinder finder(architecture);
  std::vector<std::vector<LaneList>> routes, capabilities;
  std::map<LaneKey, std::set<std::size_t>> users;
  for (std::size_t u = 0; u < architecture.units.size(); ++u) {
    const Unit& unit = architecture.units[u];
    auto& of_routes = routes.emplace_back();
    auto& of_capabilities = capabilities.emplace_back();
    if (unit.kind != UnitKind::mover) continue;
    for (const Route& route : unit.routes) of_routes.push_back(finder.of(route));
    for (const Capability& capability : unit.capabilities) of_capabilities.push_back(finder.of(unit, capability));
    for (const auto* lists : {&of_routes, &of_capabilities}) {
      for (const LaneList& lanes : *lists) {
        for (const LaneKey& lane : lanes) users[lane].insert(u);
      }
    }
  }
  std::map<LaneKey, std::size_t> numbers;
  for (const auto& [lane, units] : users) {
    if (units.size() > 1) numbers.emplace(lane, numbers.size());
  }
  lanes_.resize(numbers.size());
  served_.resize(numbers.size());
  const auto ways = [&](const std::vector<std::vector<LaneList>>& lists) {
    std::vector<std::vector<Way>> result(lists.size());
    for (std::size_t u = 0; u < lists.size(); ++u) {
      for (const LaneList& lanes : lists[u]) {
        Way& way = result[u].emplace_back();
        for (const LaneKey& lane : lanes) {
          const auto number = numbers.find(lane);
          if (number != numbers.end())
            way.push_back({number->second, lane.width, lane.beat, lane.kind < LaneKey::Kind::ports,
                           lane.kind == LaneKey::Kind::dram ? &architecture_.memories[lane.id] : nullptr, lane.writes});
        }
      }
    }
    return result;
  };
  routes_ = ways(routes);
  capabilities_ = ways(capabilities);
  std::int64_t most = 0;
  for (const LowOp& op : list.ops) most = std::max(most, turns(op));
  grain_ = std::max(ceil_div(most, most_stretches), std::int64_t{1});
}

const Contention::Way& Contention::way_of(const LowOp& op) const {
  const Mnemonic& mnemonic = architecture_.isa.mnemonics[static_cast<std::size_t>(op.mnemonic)];
  if (mnemonic.meaning == Meaning::transfer) return routes_[op.unit][mnemonic.route];
  return capabilities_[op.unit][mnemonic.capability];
}

double Contention::Crossed::cycles(const LowOp& op) const {
  const double one = static_cast<double>(ceil_div(op.request, width)) * beat;
  return op.requests * (rounded ? std::ceil(one) : one);
}

double Contention::Crossed::posted() const {
  if (dram == nullptr || !writes) return 0;
  const double burst = static_cast<double>(dram->word * dram->banks) / peak_rate(*dram);
  return static_cast<double>(dram->dram->write_queue) * burst;
}

int Contention::in_flight(const LowOp& op) const { return std::max(architecture_.units[op.unit].in_flight, 1); }

std::int64_t Contention::turns(const LowOp& op) const {
  if (op.link <= 0 || way_of(op).empty()) return 0;
  const int at_once = in_step_ ? std::max(in_flight(op) / least_in_flight_, 1) : in_flight(op);
  return ceil_div(std::max(op.requests, 1), std::int64_t{at_once});
}

int Contention::stretches(const LowOp& op) const { return static_cast<int>(ceil_div(turns(op), grain_)); }

std::int64_t Contention::pass(const LowOp& op, int stretches, std::int64_t from) {
  const Way& way = way_of(op);
  const auto earliest = static_cast<double>(from);
  double wait = 0;
  for (const Crossed& crossed : way) wait = std::max(wait, lanes_[crossed.lane].wait(earliest) - crossed.posted());
  for (const Crossed& crossed : way) {
    const double cycles = crossed.dram != nullptr ? met(crossed, op, stretches) : crossed.cycles(op) / stretches;
    if (cycles > 0) lanes_[crossed.lane].take(earliest, cycles);
  }
  return static_cast<std::int64_t>(std::ceil(wait));
}

double Contention::met(const Crossed& crossed, const LowOp& op, int stretches) {
  const Mnemonic& mnemonic = architecture_.isa.mnemonics[static_cast<std::size_t>(op.mnemonic)];
  const bool transfer = mnemonic.meaning == Meaning::transfer;
  const Stream stream{transfer ? mnemonic.route : -1 - mnemonic.capability, op.image != 0, crossed.writes};
  const double exposure = exposed(*crossed.dram, crossed.writes, op.request, in_flight(op));
  return served_[crossed.lane].meet(*crossed.dram, stream, op.unit, static_cast<double>(op.dram) / stretches,
                                    static_cast<double>(op.batches) / stretches, exposure);
}

double Contention::Served::meet(const Memory& memory, const Stream& stream, int unit, double cycles, double batches,
                                double exposure) {
  auto& alike = units[stream.writes ? 1 : 0];
  alike.insert(unit);
  const auto last = std::ranges::find(streams, stream);
  const double row = reopening(memory, static_cast<double>(last - streams.begin())) / static_cast<double>(alike.size());
  const bool first = stream.writes && !streams.empty() && !streams.front().writes;
  if (last != streams.end()) streams.erase(last);
  streams.insert(streams.begin(), stream);
  cycles += std::min(batches, 1.0) * row * exposure;
  if (!stream.writes) return cycles;
  turns |= first;
  waiting += cycles;
  due += batches;
  if (due < 1) return 0;
  const double all = waiting + (turns ? turnarounds(memory) : 0);
  due -= std::floor(due);
  waiting = 0;
  turns = false;
  return all;
}

}  // namespace accord
