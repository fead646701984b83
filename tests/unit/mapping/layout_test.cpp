#include "compiler/mapping/layout.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "compiler/compilation.h"
#include "compiler/mapping/geometry.h"
#include "tests/unit/mapping/small_layers.h"

using namespace accord;

namespace {

constexpr unsigned layout_seed = 99;
constexpr std::int64_t most_points = 200000;

/// Where the point lies on each axis of the layout: what an element of the tile is.
std::vector<std::int64_t> element_of(const Layout& layout, const Extents& point) {
  std::vector<std::int64_t> element;
  for (const auto& axis : layout.axes) {
    std::int64_t at = 0;
    for (const auto& [it, coefficient] : axis.terms) at += coefficient * point[static_cast<std::size_t>(it)];
    element.push_back(at);
  }
  return element;
}

/// Visits the points of the tile over the iterators that the use depends on; false where there are too many.
template <typename Fn>
bool for_each_point(const Use& use, const Extents& extents, Fn&& fn) {
  std::vector<std::size_t> moving;
  std::int64_t count = 1;
  for (std::size_t it = 0; it < extents.size(); ++it) {
    if (!depends(use.access, static_cast<int>(it))) continue;
    moving.push_back(it);
    count *= extents[it];
  }
  if (count > most_points) return false;
  Extents point(extents.size(), 0);
  for (;;) {
    fn(point);
    std::size_t m = moving.size();
    while (m > 0 && ++point[moving[m - 1]] == extents[moving[m - 1]]) point[moving[--m]] = 0;
    if (m == 0) return true;
  }
}

/// Elements lie apart from each other and inside the tile; points of one element lie together.
bool check_tile(const Layout& layout, const Use& use, const Extents& extents) {
  std::map<std::int64_t, std::vector<std::int64_t>> element_at;
  const std::int64_t size = bytes(use.type);
  bool inside = true, one_each = true, apart = true;
  const bool all = for_each_point(use, extents, [&](const Extents& point) {
    const std::int64_t offset = offset_of(layout, point);
    const auto element = element_of(layout, point);
    inside = inside && offset >= 0 && offset + size <= layout.bytes;
    const auto [it, fresh] = element_at.emplace(offset, element);
    one_each = one_each && (fresh || it->second == element);
    if (!fresh) return;
    apart = apart && (std::next(it) == element_at.end() || std::next(it)->first >= offset + size);
    apart = apart && (it == element_at.begin() || std::prev(it)->first + size <= offset);
  });
  CHECK(inside);
  CHECK(one_each);
  CHECK(apart);
  return all;
}

Extents smaller(const Extents& tile, std::mt19937& engine) {
  Extents result;
  for (const auto extent : tile) result.push_back(std::uniform_int_distribution<std::int64_t>(1, extent)(engine));
  return result;
}

int check_mapping(const Compilation& compilation, const LayerPlan& layer, const Mapping& mapping,
                  std::mt19937& engine) {
  Geometry geometry(compilation.machine, compilation.network, layer.work, compilation.homes, mapping);
  int tiles = 0;
  for (std::size_t u = 0; u < mapping.uses.size(); ++u) {
    const Use& use = mapping.uses[u];
    if (use.filled || (use.role == UseRole::accumulator && use.step != 0)) continue;
    for (int level = 0; level < use.depth; ++level) {
      if (use.role == UseRole::accumulator && level + 1 < use.depth) continue;
      const Extents& whole = mapping.tile[static_cast<std::size_t>(level)];
      for (const Extents& extents : {whole, smaller(whole, engine)}) {
        const Layout& layout = geometry.layout(static_cast<int>(u), level, extents);
        if (!layout.error.empty()) continue;
        CAPTURE(u);
        CAPTURE(level);
        if (check_tile(layout, use, extents)) ++tiles;
      }
    }
  }
  return tiles;
}

void check_layouts(const std::string& name) {
  const Architecture architecture = shipped(name);
  const Network network = small_layers(architecture);
  const CompileOptions options;
  Compilation compilation(architecture, network, options);
  group_pass(compilation);
  place_pass(compilation);
  map_pass(compilation);
  std::mt19937 engine(layout_seed);
  int tiles = 0;
  for (const auto& layer : compilation.layers) {
    for (const auto& mapping : layer.mappings) tiles += check_mapping(compilation, layer, mapping, engine);
  }
  CAPTURE(layout_seed);
  CHECK(tiles > 20);
}

}  // namespace

TEST_CASE("do the elements of a tile lie apart, inside the tile, on gemmini16") { check_layouts("gemmini16"); }
TEST_CASE("do the elements of a tile lie apart, inside the tile, on dnnweaver64") { check_layouts("dnnweaver64"); }
TEST_CASE("do the elements of a tile lie apart, inside the tile, on bf16npu") { check_layouts("bf16npu"); }
