#include "compiler/fusion/partition.h"

#include <algorithm>
#include <limits>

#include "archdsl/graph/rates.h"

namespace accord {
namespace {

constexpr int longest_chain = 16;
constexpr std::array strip_counts = {1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 16, 28};
constexpr double slack = 1.02;          // a chain may take a little more time than its layers apart, to save bytes
constexpr double worthwhile = 0.99;     // a chain must promise to save one part in a hundred
constexpr std::int64_t tile_share = 8;  // of a memory, 1 in so many bytes is thought to be enough for tiles

/// Estimates what a chain would cost.
class Estimate {
 public:
  Estimate(const FusionProblem& problem, const Chain& chain) : problem_(problem), chain_(chain) {}

  /// Nothing where tensors have no keeper or no room.
  std::optional<double> cost() const {
    for (int l = chain_.first; l < chain_.last; ++l) {
      if (inside(l) && problem_.keepers[facts(l).result].memory < 0) return std::nullopt;
    }
    for (int strip = 0; strip < chain_.strips(); ++strip) {
      if (!has_room(strip)) return std::nullopt;
    }
    double cycles = 0, bytes = 0;
    for (int l = chain_.first; l <= chain_.last; ++l) {
      const double times = repeats(l);
      cycles += facts(l).cycles * times;
      bytes += std::max(facts(l).traffic.constants, facts(l).constant_bytes * chain_.strips());
      for (const auto& [tensor, moved] : facts(l).traffic.tensors) {
        if (!kept(tensor)) bytes += moved * (tensor == facts(l).result ? 1 : times);
      }
    }
    cycles += start_up() * (chain_.strips() - 1) * (chain_.last - chain_.first + 1);
    if (!quick_enough(problem_, chain_, cycles)) return std::nullopt;
    return accord::cost(problem_, cycles, bytes);
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
    std::map<int, std::int64_t> peak;
    for (int now = chain_.first; now <= chain_.last; ++now) {
      std::map<int, std::int64_t> live;
      for (int l = chain_.first; l <= now && l < chain_.last; ++l) {
        if (!inside(l) || facts(l).last_reader < now) continue;
        const TensorId tensor = facts(l).result;
        const Home home = stretch_home(problem_, tensor, chain_.index, chain_.ranges[strip][l - chain_.first]);
        live[home.memory] += home.bytes;
      }
      for (const auto& [memory, bytes] : live) peak[memory] = std::max(peak[memory], bytes);
    }
    return std::all_of(peak.begin(), peak.end(), [&](const auto& entry) {
      const std::int64_t capacity = problem_.architecture.memories[entry.first].capacity;
      return entry.second <= capacity - capacity / tile_share;
    });
  }

  const FusionProblem& problem_;
  const Chain& chain_;
};

/// Dynamic programming over where chains end.
class Partitioner {
 public:
  Partitioner(const FusionProblem& problem, const std::set<ChainKey>& refused) : problem_(problem), refused_(refused) {
    for (const auto& facts : problem.layers) {
      const Home* home = facts.result == no_tensor ? nullptr : &problem.homes[facts.result];
      chain_layers_.push_back({facts.work, home, facts.assignments->empty() ? no_tensor : facts.result, true});
    }
  }

  std::vector<Chain> run() {
    const int count = static_cast<int>(problem_.layers.size());
    std::vector<double> best(static_cast<std::size_t>(count) + 1, 0);
    std::vector<std::optional<Chain>> ends(static_cast<std::size_t>(count) + 1);
    for (int end = 1; end <= count; ++end) {
      const LayerFacts& alone = problem_.layers[end - 1];
      best[end] = best[end - 1] + cost(problem_, alone.cycles, alone.traffic.total());
      for (int first = end - 2; first >= 0 && first > end - 1 - longest_chain; --first) {
        if (chain_layers_[first].result == no_tensor || chain_layers_[end - 1].result == no_tensor) break;
        for (const int strips : strip_counts) {
          const double before = best[first];
          if (auto found = cheaper(first, end - 1, strips, best[end] - before)) {
            best[end] = before + found->first;
            ends[end] = std::move(found->second);
          }
        }
      }
    }
    std::vector<Chain> chains;
    for (int end = count; end > 0;) {
      if (!ends[end]) {
        --end;
        continue;
      }
      chains.push_back(*ends[end]);
      end = chains.back().first;
    }
    std::reverse(chains.begin(), chains.end());
    return chains;
  }

 private:
  std::optional<std::pair<double, Chain>> cheaper(int first, int last, int strips, double limit) {
    if (refused_.contains({first, last, strips})) return std::nullopt;
    for (int l = first; l <= last; ++l) chain_layers_[l].leaves = problem_.layers[l].last_reader > last;
    auto chain = make_chain(chain_layers_, first, last, strips);
    if (!chain) return std::nullopt;
    const auto estimate = Estimate(problem_, *chain).cost();
    if (!estimate || *estimate >= worthwhile * limit) return std::nullopt;
    return std::pair(*estimate, std::move(*chain));
  }

  const FusionProblem& problem_;
  const std::set<ChainKey>& refused_;
  std::vector<ChainLayer> chain_layers_;
};

}  // namespace

double cost(const FusionProblem& problem, double cycles, double off_chip_bytes) {
  return cycles + off_chip_bytes / problem.off_chip_width;
}

bool quick_enough(const FusionProblem& problem, const Chain& chain, double cycles) {
  double apart = 0;
  for (int l = chain.first; l <= chain.last; ++l) apart += problem.layers[l].cycles;
  return cycles <= slack * apart;
}

Home stretch_home(const FusionProblem& problem, TensorId tensor, int index, Range range) {
  const Tensor& whole = problem.network.tensors[tensor];
  const Keeper& keeper = problem.keepers[tensor];
  Home home;
  home.memory = keeper.memory;
  home.pitch = keeper.pitch;
  home.order = problem.homes[tensor].order;
  home.before = problem.homes[tensor].before;
  home.after = problem.homes[tensor].after;
  home.outside = problem.homes[tensor].outside;
  if (range.first > 0) home.before[index] = 0;
  if (range.last < whole.shape[index]) home.after[index] = 0;
  Shape shape = whole.shape;
  shape[index] = range.size();
  settle(home, shape, whole.type);
  return home;
}

std::vector<Chain> partition(const FusionProblem& problem, const std::set<ChainKey>& refused) {
  return Partitioner(problem, refused).run();
}

}  // namespace accord
