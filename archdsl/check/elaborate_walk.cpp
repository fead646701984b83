#include <fmt/format.h>

#include "archdsl/check/elaborate.h"

namespace accord {

namespace {

constexpr std::size_t most_walk_dims = 8;
constexpr std::int64_t unlimited = std::int64_t{1} << 40;  ///< extent of a walk that declares no limit

std::vector<WalkDim> default_walk() { return {{unlimited, {}, {}}, {unlimited, {}, {}}, {unlimited, {}, {}}}; }

/// One step of a walk. Absent: dense, that is the bytes which the dimensions before it span.
class WalkReader {
 public:
  explicit WalkReader(Scope& scope) : scope_(scope) {}

  std::vector<WalkDim> read(const Node& node) {
    if (!node.is_sequence() || node.items.empty() || node.items.size() > most_walk_dims) {
      scope_.reporter().report("wrong-form", node.place,
                               fmt::format("a walk is a list of 1 to {} dimensions, innermost first", most_walk_dims));
      return default_walk();
    }
    std::vector<WalkDim> walk;
    for (const Node& item : node.items) walk.push_back(read_dim(item, walk));
    return walk;
  }

 private:
  WalkDim read_dim(const Node& node, const std::vector<WalkDim>& before) {
    const bool innermost = before.empty();
    const MapReader reader(scope_, node, "walk",
                           innermost ? "the innermost dimension of a walk" : "a dimension of a walk");
    WalkDim dim;
    dim.max = unlimited;
    if (const Node* const max = reader.find("max")) {
      const Range legal{1, unlimited};
      dim.max = (innermost ? scope_.bytes(*max, "max", legal) : scope_.integer(*max, "max", legal)).value_or(unlimited);
    }
    if (innermost) {
      dim.source = dim.target = {Step::Kind::fixed, 1};
    } else if (reader.valid()) {
      dim.source = read_step(reader, "source", before, &WalkDim::source);
      dim.target = read_step(reader, "target", before, &WalkDim::target);
    }
    if (innermost && (reader.find("source") || reader.find("target"))) {
      scope_.reporter().report("bad-walk", node.place, "the innermost dimension is contiguous on both sides",
                               "steps belong to the dimensions after it");
    }
    return dim;
  }

  Step read_step(const MapReader& reader, std::string_view key, const std::vector<WalkDim>& before,
                 Step WalkDim::*side) {
    if (const Node* const node = reader.find(key)) {
      if (node->is_scalar() && node->text == "free") return {};
      return {Step::Kind::fixed, scope_.bytes(*node, key, {0, unlimited}).value_or(0)};
    }
    const WalkDim& inner = before.back();
    const Step& step = inner.*side;
    std::int64_t dense = 0;
    const bool overflow = __builtin_mul_overflow(step.bytes, inner.max, &dense) || dense >= unlimited;
    if (step.kind == Step::Kind::fixed && !overflow) return {Step::Kind::fixed, dense};
    scope_.reporter().report("bad-walk", reader.node().place,
                             fmt::format("the step on the {} side does not follow from the dimension before it", key),
                             fmt::format("say `{}: free` or `{}: N B`", key, key));
    return {};
  }

  Scope& scope_;
};

}  // namespace

std::vector<WalkDim> read_walk(Elaboration& elaboration, const Node* node) {
  return node ? WalkReader(elaboration.scope).read(*node) : default_walk();
}

}  // namespace accord
