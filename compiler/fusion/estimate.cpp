#include "compiler/fusion/estimate.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "archdsl/graph/rates.h"

namespace accord {
namespace {

constexpr std::int64_t tile_share = 8;  // of a memory, 1 in so many bytes is thought to be enough for tiles

/// Estimates what a chain would cost.
class Estimate {
 public:
  Estimate(const FusionProblem& problem, const Chain& chain) : problem_(problem), chain_(chain) {}

  /// Nothing where tensors have no keeper or no room.
  std::optional<ChainEstimate> cost() const {
    for (int l = chain_.first; l < chain_.last; ++l) {
      if (inside(l) && problem_.keepers[facts(l).result].memory < 0) return std::nullopt;
    }
    for (int strip = 0; strip < chain_.strips(); ++strip) {
      if (!has_room(strip)) return std::nullopt;
    }
    ChainEstimate sum;
    for (int l = chain_.first; l <= chain_.last; ++l) {
      const double times = repeats(l);
      const double moved = bytes_of(l, times);
      sum.cycles.push_back(time_of(l, facts(l).inner_cycles * times, moved) + start_up() * (chain_.strips() - 1));
      sum.off_chip_bytes += moved;
    }
    return sum;
  }

 private:
  const LayerFacts& facts(int layer) const { return problem_.layers[layer]; }
  bool inside(int layer) const { return layer < chain_.last && facts(layer).last_reader <= chain_.last; }
  bool kept(TensorId tensor) const {
    for (int l = chain_.first; l < chain_.last; ++l) {
      if (facts(l).result == tensor) return inside(l);
    }
    return false;
  }

  /// The layer's time with other work and other bytes. What it spends beside the greater of the two is waits for what
  /// is off chip, and shrinks with it.
  double time_of(int l, double inner_cycles, double bytes) const {
    const auto greater = [&](double inner, double moved) { return std::max(inner, moved / problem_.off_chip_width); };
    const double before = facts(l).traffic.total();
    const double beside = facts(l).cycles - greater(facts(l).inner_cycles, before);
    return greater(inner_cycles, bytes) + std::max(beside, 0.0) * std::min(1.0, bytes / std::max(before, 1.0));
  }

  double bytes_of(int l, double times) const {
    double bytes = std::max(facts(l).traffic.constants, facts(l).constant_bytes * chain_.strips());
    for (const auto& [tensor, moved] : facts(l).traffic.tensors) {
      if (!kept(tensor)) bytes += moved * (tensor == facts(l).result ? 1 : times);
    }
    return bytes;
  }

  /// Positions that all strips compute over those of the result.
  double repeats(int layer) const {
    std::int64_t computed = 0;
    for (const auto& ranges : chain_.ranges) computed += ranges[layer - chain_.first].size();
    const Shape& shape = problem_.network.tensors[facts(layer).result].shape;
    return static_cast<double>(computed) / static_cast<double>(shape[chain_.index]);
  }

  /// A further slice waits for its first tiles and for its last results.
  double start_up() const {
    std::int64_t latency = 0;
    for (const auto& memory : problem_.architecture.memories) {
      if (memory.off_chip) latency = std::max(latency, latency_of(memory));
    }
    return 2.0 * static_cast<double>(latency);
  }

  bool has_room(int strip) const {
    std::vector<Room> kept;
    for (int l = chain_.first; l < chain_.last; ++l) {
      if (!inside(l)) continue;
      const TensorId tensor = facts(l).result;
      const Home home = stretch_home(problem_, tensor, chain_.index, chain_.ranges[strip][l - chain_.first]);
      kept.push_back({l, facts(l).last_reader, home.memory, home.bytes});
    }
    for (int now = chain_.first; now <= chain_.last; ++now) {
      std::map<int, std::int64_t> live;
      for (const Room& room : kept) {
        if (room.from <= now && now <= room.to) live[room.memory] += room.bytes;
      }
      for (const auto& [memory, bytes] : live) {
        const std::int64_t capacity = problem_.architecture.memories[memory].capacity;
        if (bytes > capacity - capacity / tile_share) return false;
      }
    }
    return true;
  }

  /// What a tensor takes of its memory while the layers `from`..`to` run.
  struct Room {
    int from = 0, to = 0;
    int memory = -1;
    std::int64_t bytes = 0;
  };

  const FusionProblem& problem_;
  const Chain& chain_;
};

/// Rows longer than a word begin with one, so that units read no more words of them than there are; shorter ones lie
/// as close as addresses allow.
std::int64_t pitch_of(const Home& home, std::int64_t row, ElementType type, std::int64_t unit, std::int64_t word) {
  const std::size_t innermost = home.order.back();
  const std::int64_t run = (home.before[innermost] + row + home.after[innermost]) * bytes(type);
  return run > word ? std::lcm(unit, word) : unit;
}

}  // namespace

Home stretch_home(const FusionProblem& problem, TensorId tensor, int index, Positions range) {
  const Tensor& whole = problem.network.tensors[tensor];
  const Keeper& keeper = problem.keepers[tensor];
  Home home;
  home.memory = keeper.memory;
  home.order = problem.homes[tensor].order;
  home.before = problem.homes[tensor].before;
  home.after = problem.homes[tensor].after;
  home.outside = problem.homes[tensor].outside;
  home.relied = problem.homes[tensor].relied;
  if (range.first > 0) home.before[index] = 0;
  if (range.last < whole.shape[index]) home.after[index] = 0;
  Shape shape = whole.shape;
  shape[index] = range.size();
  home.pitch = pitch_of(home, shape[home.order.back()], whole.type, keeper.pitch,
                        problem.architecture.memories[keeper.memory].word);
  settle(home, shape, whole.type);
  return home;
}

std::optional<ChainEstimate> estimate_chain(const FusionProblem& problem, const Chain& chain) {
  return Estimate(problem, chain).cost();
}

}  // namespace accord
