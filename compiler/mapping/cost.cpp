#include "compiler/mapping/cost.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "archdsl/graph/rates.h"
#include "compiler/mapping/fills.h"
#include "compiler/mapping/in_order_cost.h"
#include "compiler/mapping/least_cost.h"
#include "compiler/mapping/tile_costs.h"
#include "compiler/mapping/timing.h"

namespace accord {
namespace {

/// Cycles that one stored instruction counts for on a machine with hardware loops, where code is a choice: its fetch
/// from off-chip memory, of which a packet hides most.
constexpr double code_weight = 0.1;

/// Of all units' cycles, and of instructions: between equals the one that keeps the others less busy.
constexpr double tie_weight = 0.002;

/// Puts the costs of tiles together as order and copies have it.
class Predictor {
 public:
  Predictor(const Machine& machine, const Work& work, const Mapping& mapping, const TileCosts& tiles)
      : machine_(machine), work_(work), mapping_(mapping), tiles_(tiles), fills_(mapping, tiles.fixed->depends) {}

  Cost run() {
    cost_.error = tiles_.error;
    if (!cost_.error.empty()) return cost_;
    const auto copies = [&](int use, int level) { return fills_.copies(use, level); };
    cost_.error = overfull(machine_, tiles_.fixed->rooms, footprint(machine_, mapping_, tiles_.bytes, copies));
    if (!cost_.error.empty()) return cost_;
    for (const auto& move : tiles_.moves) add_move(move);
    const double ports = port_cycles();
    cost_.link_cycles = std::max({busiest_link(), dram_cycles(), ports});
    double sum = 0;
    for (std::size_t s = 0; s < mapping_.steps.size(); ++s) {
      cost_.unit_cycles[mapping_.steps[s].match.unit] += tiles_.step_cycles[s];
    }
    for (const auto& unit : cost_.unit_cycles) sum += unit.value;
    crowding_ = std::max(ports / std::max(most_of(cost_.unit_cycles), 1.0), 1.0);
    cost_.instructions = code();
    const bool in_order = machine_.architecture.sync.kind == Sync::Kind::in_order;
    const bool loops = machine_.rolls;
    const double ties = tie_weight * sum + (loops ? code_weight : tie_weight) * cost_.instructions;
    if (in_order) {
      cost_.cycles = InOrderCost(machine_, mapping_, tiles_, fills_).cycles(cost_.unit_cycles) + ties;
      return cost_;
    }
    const double unhindered = std::max(busiest(), issued());
    const double ends = most_of(first_) + last_;
    cost_.cycles = std::max(unhindered, rounds()) + exposed(unhindered) + ends + ties;
    cost_.least = unhindered + ends + ties;
    return cost_;
  }

 private:
  void add_move(const TileCosts::Move& move);
  std::int64_t times(const Use& use, const TileCosts::Move& move) const;
  double busiest() const;
  double busiest_link() const;
  double dram_cycles() const;
  double port_cycles() const;
  void cross(const TileCosts::Move& move, double times);
  double rounds() const;
  double exposed(double unhindered) const;
  double issued() const;
  double code() const;

  /// The transfers of one tile over the whole work.
  struct Moved {
    int use = -1;
    int level = 0;
    double times = 0;
    double cycles = 0;   ///< all together
    double latency = 0;  ///< of one, beside its cycles, its mover idle before
  };

  /// What serves one request after another: a link, a direction of a duplex one, an end of a crossbar.
  struct Lane {
    int link = -1;
    int side = 0;
    int memory = -1;  ///< of a crossbar
    double cycles = 0;
  };
  void occupy(int link, int side, int memory, double cycles);

  const Machine& machine_;
  const Work& work_;
  const Mapping& mapping_;
  const TileCosts& tiles_;
  const Fills fills_;
  Cost cost_;
  ById<double> for_others_;  ///< per unit: cycles for parts that get its multicasts beside this one
  ById<double> first_;       ///< per unit: until the first tiles are there
  double crowding_ = 1;      ///< by which steps take longer, as units wait for each other at ports
  double last_ = 0;          ///< what is left when the main statement ends
  boost::container::small_vector<Moved, 8> moved_;
  boost::container::small_vector<Lane, 8> lanes_;
};

std::int64_t Predictor::times(const Use& use, const TileCosts::Move& move) const {
  if (starts_tiles(work_, use, move.level)) return different_tiles(work_, mapping_, tiles_, move);
  return fills_.of(move.use, move.box);
}

void Predictor::add_move(const TileCosts::Move& move) {
  const Use& use = mapping_.uses[move.use];
  const auto all = static_cast<double>(times(use, move));
  const SharedTiles& shared = shared_at(use, move.level);
  const double sharers = shared.receivers * shared.turns;
  cost_.unit_cycles[move.hop.unit] += move.cycles * all / sharers;
  for_others_[move.hop.unit] += move.cycles * all * (1 - 1 / sharers);
  cross(move, all);
  moved_.push_back({move.use, move.level, all, move.cycles * all, std::max(move.latency - move.hurry, 0.0)});
  const bool output = use.role == UseRole::output;
  if (output && move.level + 1 == use.depth) last_ += move.cycles;
  if (move.level == 0 && !output && use.step == 0) {
    first_[move.hop.unit] += move.cycles + static_cast<double>(latency_of(machine_.architecture.memories[use.home]));
  }
}

/// The unit or link that has most to do, for other parts of divided work, too.
double Predictor::busiest() const {
  double most = cost_.link_cycles;
  for (const auto& [unit, cycles] : cost_.unit_cycles) most = std::max(most, cycles + for_others_.of(unit));
  return most;
}

double Predictor::busiest_link() const {
  double most = 0;
  for (const Lane& lane : lanes_) most = std::max(most, lane.cycles);
  return most;
}

/// What all streams of the busiest DRAM take together.
double Predictor::dram_cycles() const {
  double most = 0;
  const auto& memories = machine_.architecture.memories;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (!memories[m].dram) continue;
    DramMix mix(memories[m]);
    const auto of = [&](int use) { return mapping_.uses[use].home == static_cast<int>(m); };
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      const auto& move = tiles_.moves[i];
      if (of(move.use)) mix.add(move.dram * moved_[i].times, mapping_.uses[move.use].role == UseRole::output);
    }
    for (std::size_t s = 0; s < mapping_.steps.size(); ++s) {
      const auto& operands = machine_.capability(mapping_.steps[s].match).operands;
      if (std::ranges::find(operands, static_cast<int>(m), &CapabilityOperand::memory) == operands.end()) continue;
      mix.add(tiles_.step_dram[s][0], false);
      mix.add(tiles_.step_dram[s][1], true);
    }
    most = std::max(most, mix.cycles());
  }
  return most;
}

/// What all units, those of other parts of divided work among them, ask together of a memory's ports, were their words
/// spread over the banks.
double Predictor::port_cycles() const {
  struct Words {
    double read = 0, written = 0;
  };
  ById<Words> by_memory;
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    const TileCosts::Move& move = tiles_.moves[i];
    const Route& route = machine_.architecture.units[move.hop.unit].routes[move.hop.route];
    by_memory[route.source].read += move.source_words * moved_[i].times;
    by_memory[route.target].written += move.target_words * moved_[i].times;
  }
  for (const MemoryWords& step : tiles_.step_words) {
    Words& words = by_memory[step.memory];
    words.read += step.read;
    words.written += step.written;
  }
  double most = 0;
  for (const auto& [id, words] : by_memory) {
    const Memory& memory = machine_.architecture.memories[id];
    if (memory.off_chip) continue;
    const double asked = memory.shared_ports
                             ? (words.read + words.written) / memory.read_ports
                             : std::max(words.read / memory.read_ports, words.written / memory.write_ports);
    const double users = machine_.memory_users.empty() ? 1 : static_cast<double>(machine_.memory_users[id]);
    most = std::max(most, users * asked / memory.banks * static_cast<double>(word_period(memory).cycles(1)));
  }
  return most;
}

/// Instructions in the program: all that are executed, of which hardware loops, as many as the machine nests, repeat
/// most. What a loop repeats stands there about three times, as kernel, prologue and epilogue; five times where two
/// copies of tiles from off-chip memory take turns.
double Predictor::code() const {
  const auto deep = static_cast<std::size_t>(mapping_.rolls ? machine_.architecture.controller.loop_depth : 0);
  double instructions = 0;
  for (const double executed : tiles_.step_instructions) instructions += executed;
  for (std::size_t m = 0; m < moved_.size(); ++m) instructions += tiles_.moves[m].pieces * moved_[m].times;
  boost::container::small_vector<double, 16> left;  // of the instructions, by loop
  for (int level = 0; level < mapping_.levels; ++level) {
    const double copies = level + 1 == mapping_.levels ? 3 : 5;
    for (const int it : mapping_.order[level]) {
      const std::int64_t turns = trips(mapping_, level, it);
      if (turns > 1) left.push_back(std::min(copies / static_cast<double>(turns), 1.0));
    }
  }
  std::sort(left.begin(), left.end());
  for (std::size_t l = 0; l < std::min(deep, left.size()); ++l) instructions *= left[l];
  return instructions;
}

/// Until the controller has issued everything.
double Predictor::issued() const {
  const Controller& controller = machine_.architecture.controller;
  return cost_.instructions / std::max(controller.issue_width, 1) * std::max(controller.issue_interval, 1);
}

/// A buffer is filled, used and emptied before its next turn: what that takes, over the copies that take turns.
double Predictor::rounds() const {
  double most = 0;
  const int target = target_use(mapping_);
  const double tiles = static_cast<double>(fills_.of(target, std::max(target_level(mapping_), 0)));
  double results = crowding_ * tiles_.step_cycles[0] + tiles * tiles_.fixed->step_latency[0];
  for (const auto& moved : moved_) {
    const Use& use = mapping_.uses[moved.use];
    const double transfers = moved.cycles + moved.times * moved.latency;
    if (use.role == UseRole::start && moved.level + 1 == use.depth) {
      results += transfers;
      continue;
    }
    if (moved.use == target) results += transfers;
    if (moved.use == target || moved.times <= 1) continue;
    const double used = crowding_ * tiles_.step_cycles[use.step] + moved.times * tiles_.fixed->step_latency[use.step];
    most = std::max(most, (transfers + used) / fills_.copies(moved.use, moved.level));
  }
  if (target_level(mapping_) < 0 || tiles <= 1) return most;
  for (std::size_t s = 1; s < mapping_.steps.size(); ++s) {
    results += crowding_ * tiles_.step_cycles[s] + tiles * tiles_.fixed->step_latency[s];
  }
  return std::max(most, results / fills_.copies(target, target_level(mapping_)));
}

double Predictor::exposed(double unhindered) const {
  double most = 0;
  for (const auto& moved : moved_) {
    if (moved.level == 0) most = std::max(most, fills_.exposed(moved.use, moved.times, moved.cycles, unhindered));
  }
  return most;
}

/// What the tile's requests take of the links of its way.
void Predictor::cross(const TileCosts::Move& move, double times) {
  const Use& use = mapping_.uses[move.use];
  const Hop& hop = hop_at(use, move.level);
  const Route& route = machine_.architecture.units[hop.unit].routes[hop.route];
  const bool inwards = machine_.architecture.memories[route.source].off_chip;
  for (const int index : route.links) {
    const Link& link = machine_.architecture.links[index];
    const double cycles = move.requests * request_beats(link, move.source_bytes / move.requests) * times;
    if (link.crossbar) {
      occupy(index, 0, route.source, cycles);
      occupy(index, 1, route.target, cycles);
    } else {
      occupy(index, link.duplex && inwards ? 1 : 0, -1, cycles);
    }
  }
}

void Predictor::occupy(int link, int side, int memory, double cycles) {
  const auto same = [&](const Lane& lane) { return lane.link == link && lane.side == side && lane.memory == memory; };
  auto lane = std::ranges::find_if(lanes_, same);
  if (lane == lanes_.end()) lane = lanes_.insert(lane, {link, side, memory, 0});
  lane->cycles += cycles;
}

}  // namespace

Cost predict(const Machine& machine, Geometry& geometry, const Work& work, const Mapping& mapping) {
  const TileCosts& tiles = geometry.tile_costs();
  return Predictor(machine, work, mapping, tiles).run();
}

}  // namespace accord
