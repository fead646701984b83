#include "compiler/fusion/partition.h"

#include <algorithm>
#include <limits>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

constexpr int longest_chain = 16;
constexpr std::array strip_counts = {1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 16, 28};
constexpr double worthwhile = 0.99;     // a chain must promise to save one part in a hundred
constexpr std::int64_t tile_share = 8;  // of a memory, 1 in so many bytes is thought to be enough for tiles

/// Estimates what a chain would cost.
class Estimate {
 public:
  Estimate(const FusionProblem& problem, const Chain& chain) : problem_(problem), chain_(chain) {}

  /// Nothing where tensors have no keeper or no room.
  std::optional<ChainCost> cost() const {
    for (int l = chain_.first; l < chain_.last; ++l) {
      if (inside(l) && problem_.keepers[facts(l).result].memory < 0) return std::nullopt;
    }
    for (int strip = 0; strip < chain_.strips(); ++strip) {
      if (!has_room(strip)) return std::nullopt;
    }
    double cycles = 0, bytes = 0;
    for (int l = chain_.first; l <= chain_.last; ++l) {
      const double times = repeats(l);
      const double moved = bytes_of(l, times);
      cycles += time_of(l, facts(l).inner_cycles * times, moved);
      bytes += moved;
    }
    cycles += start_up() * (chain_.strips() - 1) * (chain_.last - chain_.first + 1);
    return doubted(problem_, {cycles, bytes});
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

  /// The layer's time with other work and other bytes: what it spends beside the greater of the two stays.
  double time_of(int l, double inner_cycles, double bytes) const {
    const auto greater = [&](double inner, double moved) { return std::max(inner, moved / problem_.off_chip_width); };
    const double beside = facts(l).cycles - greater(facts(l).inner_cycles, facts(l).traffic.total());
    return greater(inner_cycles, bytes) + std::max(beside, 0.0);
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

/// The greatest numbers of strips that come out as different strips of `rows` rows.
std::vector<int> different_strips(std::int64_t rows) {
  std::vector<int> counts;
  std::int64_t last = 0;
  for (const int strips : strip_counts) {
    const std::int64_t each = ceil_div(rows, strips);
    if (strips <= rows && each != last) counts.push_back(strips);
    last = each;
  }
  return counts;
}

}  // namespace

Home stretch_home(const FusionProblem& problem, TensorId tensor, int index, Positions range) {
  const Tensor& whole = problem.network.tensors[tensor];
  const Keeper& keeper = problem.keepers[tensor];
  Home home;
  home.memory = keeper.memory;
  home.pitch = keeper.pitch;
  home.order = problem.homes[tensor].order;
  home.before = problem.homes[tensor].before;
  home.after = problem.homes[tensor].after;
  home.outside = problem.homes[tensor].outside;
  home.relied = problem.homes[tensor].relied;
  if (range.first > 0) home.before[index] = 0;
  if (range.last < whole.shape[index]) home.after[index] = 0;
  Shape shape = whole.shape;
  shape[index] = range.size();
  settle(home, shape, whole.type);
  return home;
}

Partitioner::Partitioner(const FusionProblem& problem) : problem_(problem) {
  for (const auto& facts : problem.layers) {
    chain_layers_.push_back({facts.work, nullptr, facts.assignments->empty() ? no_tensor : facts.result, true});
  }
}

double Partitioner::weighed(const ChainCost& cost) const {
  return weight_ * cost.cycles + cost.off_chip_bytes / problem_.off_chip_width;
}

ChainCost Partitioner::apart(int first, int last) const {
  ChainCost sum;
  for (int l = first; l <= last; ++l) {
    sum.cycles += problem_.layers[l].cycles;
    sum.off_chip_bytes += problem_.layers[l].traffic.total();
  }
  return sum;
}

double Partitioner::saving(const Chain& chain) {
  const auto cost = cost_of(key_of(chain));
  return cost ? weighed(apart(chain.first, chain.last)) - weighed(*cost) : 0;
}

std::optional<Chain> Partitioner::chain(const ChainKey& key) {
  const auto& [first, last, strips] = key;
  for (int l = first; l <= last; ++l) chain_layers_[l].leaves = problem_.layers[l].last_reader > last;
  return make_chain(chain_layers_, first, last, strips);
}

std::optional<ChainCost> Partitioner::cost_of(const ChainKey& key) {
  if (const auto known = settled_.find(key); known != settled_.end()) return known->second;
  if (closed_) return std::nullopt;
  if (const auto known = estimates_.find(key); known != estimates_.end()) return known->second;
  const auto made = chain(key);
  return estimates_[key] = made ? Estimate(problem_, *made).cost() : std::nullopt;
}

/// Dynamic programming over where chains end.
std::vector<Chain> Partitioner::chains() {
  for (auto& layer : chain_layers_) layer.home = layer.result == no_tensor ? nullptr : &problem_.homes[layer.result];
  const int count = static_cast<int>(problem_.layers.size());
  std::vector<double> best(static_cast<std::size_t>(count) + 1, 0);
  std::vector<std::optional<ChainKey>> ends(static_cast<std::size_t>(count) + 1);
  for (int end = 1; end <= count; ++end) {
    const int last = end - 1;
    best[end] = best[last] + weighed(apart(last, last));
    if (chain_layers_[last].result == no_tensor) continue;
    const auto strips = different_strips(outer_positions(chain_layers_[last]));
    for (int first = last - 1; first >= 0 && first > last - longest_chain; --first) {
      if (chain_layers_[first].result == no_tensor) break;
      for (const int number : strips) {
        const auto cost = cost_of({first, last, number});
        if (!cost || weighed(*cost) >= worthwhile * (best[end] - best[first])) continue;
        best[end] = best[first] + weighed(*cost);
        ends[end] = {first, last, number};
      }
    }
  }
  std::vector<Chain> chains;
  for (int end = count; end > 0;) {
    if (!ends[end]) {
      --end;
      continue;
    }
    chains.push_back(*chain(*ends[end]));
    end = chains.back().first;
  }
  std::reverse(chains.begin(), chains.end());
  return chains;
}

}  // namespace accord
