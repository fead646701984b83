#include "compiler/fusion/partition.h"

#include <algorithm>
#include <limits>

#include "archdsl/graph/rates.h"
#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

constexpr int longest_chain = 16;
constexpr std::array strip_counts = {1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 16, 28};
constexpr double worthwhile = 0.99;  // a chain must promise to save one part in a hundred
constexpr double far_off = 4.0;      // times what was estimated is not for the number of strips

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

Partitioner::Partitioner(const FusionProblem& problem) : problem_(problem), learnt_(problem.layers.size()) {
  std::map<TensorId, int> maker_of;
  for (int l = 0; l < std::ssize(problem.layers); ++l) maker_of.emplace(problem.layers[l].result, l);
  for (const auto& facts : problem.layers) {
    chain_layers_.push_back({facts.work, nullptr, facts.assignments->empty() ? no_tensor : facts.result, true});
    auto& makers = makers_.emplace_back();
    for (const auto& operand : facts.work->operands) {
      const auto maker = maker_of.find(operand.tensor);
      if (operand.tensor != no_tensor && maker != maker_of.end()) makers.push_back(maker->second);
    }
  }
}

bool Partitioner::keeps(int layer, int first, int last) const {
  return layer >= first && layer < last && problem_.layers[layer].last_reader <= last;
}

/// What of the layer stays on chip in a chain of these layers.
Partitioner::Kept Partitioner::kept(int layer, int first, int last) const {
  Kept kept = {keeps(layer, first, last)};
  for (const int maker : makers_[layer]) kept.push_back(keeps(maker, first, last));
  return kept;
}

void Partitioner::learn(const Chain& chain, int layer, double cycles, double rows) {
  const auto& estimate = estimates_.at(key_of(chain));
  const double expected = estimate->cycles[layer - chain.first] * rows;
  learnt_[layer][kept(layer, chain.first, chain.last)][chain.strips()] = cycles / std::max(expected, 1.0);
}

/// More strips are no better than those that were looked into.
double Partitioner::correction(int layer, const ChainKey& key) const {
  const auto& [first, last, strips] = key;
  const auto& learnt = learnt_[layer];
  if (learnt.empty()) return 1;
  const auto known = learnt.find(kept(layer, first, last));
  if (known == learnt.end()) return 1;
  double factor = 1;
  for (const auto& [number, ratio] : known->second) {
    if (number <= strips || ratio > far_off) factor = ratio;
  }
  return factor;
}

std::optional<ChainCost> Partitioner::corrected(const ChainEstimate& estimate, const ChainKey& key) const {
  ChainCost cost{0, estimate.off_chip_bytes};
  for (std::size_t i = 0; i < estimate.cycles.size(); ++i) {
    cost.cycles += estimate.cycles[i] * correction(key[0] + static_cast<int>(i), key);
  }
  if (cost.cycles == std::numeric_limits<double>::infinity()) return std::nullopt;
  return doubted(problem_, cost);
}

double Partitioner::weighed(const ChainCost& cost) const {
  return weight_ * cost.cycles + cost.off_chip_bytes / problem_.off_chip_width;
}

ChainCost Partitioner::apart(int first, int last) const {
  ChainCost sum;
  for (int l = first; l <= last; ++l) {
    sum.cycles += problem_.layers[l].alone_cycles;
    sum.off_chip_bytes += problem_.layers[l].alone_bytes;
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
  auto known = estimates_.find(key);
  if (known == estimates_.end()) {
    const auto made = chain(key);
    known = estimates_.emplace(key, made ? estimate_chain(problem_, *made) : std::nullopt).first;
  }
  return known->second ? corrected(*known->second, key) : std::nullopt;
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
