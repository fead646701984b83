#include "compiler/fusion/placement.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace accord;

namespace {

Architecture two_memories() {
  Architecture architecture;
  for (const std::int64_t word : {1, 48}) {
    Memory memory;
    memory.capacity = 10000;
    memory.word = word;
    architecture.memories.push_back(memory);
  }
  return architecture;
}

bool meet(const Region& a, const Region& b) {
  return a.base < b.base + b.bytes && b.base < a.base + a.bytes && a.bytes > 0 && b.bytes > 0;
}

}  // namespace

TEST_CASE("tensors that live at the same time, and the tiles beside them, lie apart") {
  const Architecture architecture = two_memories();
  int placed = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const int slices = 1 + static_cast<int>(random() % 12);
    std::vector<KeptTensor> tensors(1 + random() % 10);
    for (auto& tensor : tensors) {
      tensor.memory = static_cast<int>(random() % 2);
      tensor.bytes = 1 + static_cast<std::int64_t>(random() % 4000);
      tensor.birth = static_cast<int>(random() % static_cast<std::uint64_t>(slices));
      tensor.death = std::min(tensor.birth + static_cast<int>(random() % 5), slices - 1);
    }
    const auto regions = place_kept(architecture, tensors, slices);
    if (regions.empty()) continue;
    ++placed;
    REQUIRE(regions.size() == static_cast<std::size_t>(slices));
    for (int slice = 0; slice < slices; ++slice) {
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        const KeptTensor& a = tensors[i];
        if (slice < a.birth || slice > a.death) continue;
        CHECK(a.address >= 0);
        CHECK(a.address % architecture.memories[a.memory].word == 0);
        CHECK(a.address + a.bytes <= architecture.memories[a.memory].capacity);
        REQUIRE(regions[slice].contains(a.memory));
        CHECK_FALSE(meet(regions[slice].at(a.memory), {a.address, a.bytes}));
        for (std::size_t j = 0; j < i; ++j) {
          const KeptTensor& b = tensors[j];
          if (b.memory != a.memory || slice < b.birth || slice > b.death) continue;
          CHECK_FALSE(meet({a.address, a.bytes}, {b.address, b.bytes}));
        }
      }
    }
  }
  CHECK(placed > 100);
}

TEST_CASE("tensors that together exceed the memory are refused, one after the other they fit") {
  const Architecture architecture = two_memories();
  std::vector<KeptTensor> together = {{0, 6000, 0, 1, -1}, {0, 6000, 1, 2, -1}};
  CHECK(place_kept(architecture, together, 3).empty());
  std::vector<KeptTensor> apart = {{0, 6000, 0, 0, -1}, {0, 6000, 1, 2, -1}};
  CHECK_FALSE(place_kept(architecture, apart, 3).empty());
}
