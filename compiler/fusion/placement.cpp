#include "compiler/fusion/placement.h"

#include <algorithm>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

bool overlap(const KeptTensor& a, const KeptTensor& b) { return a.birth <= b.death && b.birth <= a.death; }

class Placer {
 public:
  Placer(const Architecture& architecture, std::vector<KeptTensor>& tensors)
      : architecture_(architecture), tensors_(tensors) {}

  bool place(std::size_t t) {
    KeptTensor& tensor = tensors_[t];
    const auto taken = neighbours(t);
    const std::int64_t capacity = down(tensor, architecture_.memories[tensor.memory].capacity);
    const std::int64_t low = lowest(taken, tensor);
    const std::int64_t high = highest(taken, tensor, capacity);
    if (low + tensor.bytes > capacity || high < 0) return false;
    tensor.address = low;
    const std::int64_t with_low = narrowest(tensor, t);
    tensor.address = high;
    if (with_low >= narrowest(tensor, t)) tensor.address = low;
    return true;
  }

  /// The largest piece that is free during a slice.
  Region largest_gap(int memory, int slice, std::size_t placed) const {
    std::vector<Region> taken;
    for (std::size_t i = 0; i < placed; ++i) {
      const KeptTensor& t = tensors_[i];
      if (t.memory == memory && t.birth <= slice && slice <= t.death) taken.push_back({t.address, t.bytes});
    }
    std::sort(taken.begin(), taken.end(), [](const Region& a, const Region& b) { return a.base < b.base; });
    const std::int64_t word = architecture_.memories[memory].word;
    Region best;
    std::int64_t from = 0;
    const auto consider = [&](std::int64_t until) {
      from = round_up(from, word);
      if (until - from > best.bytes) best = {from, until - from};
    };
    for (const auto& region : taken) {
      consider(region.base);
      from = std::max(from, region.base + region.bytes);
    }
    consider(architecture_.memories[memory].capacity);
    return best;
  }

 private:
  /// Regions of tensors placed before that live at the same time, by address.
  std::vector<Region> neighbours(std::size_t t) const {
    std::vector<Region> taken;
    for (std::size_t i = 0; i < t; ++i) {
      if (tensors_[i].memory == tensors_[t].memory && overlap(tensors_[i], tensors_[t])) {
        taken.push_back({tensors_[i].address, tensors_[i].bytes});
      }
    }
    std::sort(taken.begin(), taken.end(), [](const Region& a, const Region& b) { return a.base < b.base; });
    return taken;
  }

  std::int64_t lowest(const std::vector<Region>& taken, const KeptTensor& tensor) const {
    std::int64_t at = 0;
    for (const auto& region : taken) {
      if (at + tensor.bytes <= region.base) break;
      at = std::max(at, down(tensor, region.base + region.bytes + word(tensor) - 1));
    }
    return at;
  }

  std::int64_t highest(const std::vector<Region>& taken, const KeptTensor& tensor, std::int64_t capacity) const {
    std::int64_t at = down(tensor, capacity - tensor.bytes);
    for (auto region = taken.rbegin(); region != taken.rend(); ++region) {
      if (region->base + region->bytes <= at) break;
      at = std::min(at, down(tensor, region->base - tensor.bytes));
    }
    return at;
  }

  std::int64_t word(const KeptTensor& tensor) const { return architecture_.memories[tensor.memory].word; }
  /// The word that the address lies in; below 0 stays below 0.
  std::int64_t down(const KeptTensor& tensor, std::int64_t at) const {
    return at < 0 ? -1 : at / word(tensor) * word(tensor);
  }

  /// The smallest of the largest gaps during the tensor's life.
  std::int64_t narrowest(const KeptTensor& tensor, std::size_t t) const {
    std::int64_t least = INT64_MAX;
    for (int slice = tensor.birth; slice <= tensor.death; ++slice) {
      least = std::min(least, largest_gap(tensor.memory, slice, t + 1).bytes);
    }
    return least;
  }

  const Architecture& architecture_;
  std::vector<KeptTensor>& tensors_;
};

}  // namespace

std::vector<std::map<int, Region>> place_kept(const Architecture& architecture, std::vector<KeptTensor>& tensors,
                                              int slices) {
  Placer placer(architecture, tensors);
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (!placer.place(t)) return {};
  }
  std::vector<std::map<int, Region>> regions(static_cast<std::size_t>(slices));
  for (int slice = 0; slice < slices; ++slice) {
    for (const auto& tensor : tensors) {
      if (tensor.birth > slice || tensor.death < slice) continue;
      regions[slice][tensor.memory] = placer.largest_gap(tensor.memory, slice, tensors.size());
    }
  }
  return regions;
}

}  // namespace accord
