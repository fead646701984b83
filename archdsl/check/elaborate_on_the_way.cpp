#include "archdsl/check/elaborate_on_the_way.h"

#include <fmt/format.h>

#include <algorithm>

namespace accord {

namespace {

constexpr Range byte_values{-128, 255};
constexpr double exact_integers = 9007199254740992;  ///< 2^53

std::optional<ElementType> read_type(Scope& scope, const Node& node) {
  const auto text = scope.text(node, "type");
  const auto type = text ? parse_element_type(*text) : std::nullopt;
  if (text && !type) scope.reporter().report("wrong-value", node.place, fmt::format("`{}` is no element type", *text));
  return type;
}

bool check_value(Scope& scope, const Node& node, const Quantity& value, ElementType type) {
  const double low = std::max(lowest(type), type == ElementType::i64 ? -exact_integers : lowest(type));
  const double high = std::min(highest(type), type == ElementType::i64 ? exact_integers : highest(type));
  if (value.dimension != Dimension::none || (!is_float(type) && !value.integral)) {
    scope.reporter().report("wrong-value", node.place,
                            fmt::format("value is a plain{} number", is_float(type) ? "" : ", whole"));
    return false;
  }
  if (value.number() >= low && value.number() <= high) return true;
  scope.reporter().report("out-of-range", node.place,
                          fmt::format("{} is no {}: legal are {} to {}", value.number(), name(type), low, high));
  return false;
}

}  // namespace

std::optional<Padding> read_padding(Scope& scope, const Node& node) {
  if (node.is_scalar()) {
    const auto byte = scope.integer(node, "pad", byte_values);
    if (!byte) return std::nullopt;
    return Padding{*byte < 0 ? ElementType::i8 : ElementType::u8, static_cast<double>(*byte)};
  }
  const MapReader reader(scope, node, "pad", "pad");
  const Node* const value = reader.find("value");
  const Node* const type = reader.find("type");
  if (!value || !type) return std::nullopt;
  const auto element = read_type(scope, *type);
  const auto number = scope.quantity(*value, "value");
  if (!element || !number || !check_value(scope, *value, *number, *element)) return std::nullopt;
  return Padding{*element, number->number()};
}

std::optional<Gather> read_gather(Elaboration& elaboration, const Node& node, std::size_t dims, std::string& index) {
  Scope& scope = elaboration.scope;
  const MapReader reader(scope, node, "gather", "gather");
  const Node* const where = reader.find("index");
  if (!where) return std::nullopt;
  index = reader.text("index");
  Gather gather;
  gather.index = elaboration.resolve(ComponentKind::memory, index, where->place, "the list of indices");
  gather.type = parse_element_type(reader.word("type")).value_or(ElementType::i32);
  if (dims < 2) {
    scope.reporter().report("bad-walk", node.place, "a walk of one dimension has no steps to gather");
    return std::nullopt;
  }
  gather.dim = static_cast<int>(reader.integer("dim", {}, Range{1, static_cast<std::int64_t>(dims) - 1}));
  if (gather.index < 0) return std::nullopt;
  if (elaboration.architecture.memories[static_cast<std::size_t>(gather.index)].off_chip) {
    scope.reporter().report("wrong-component", where->place,
                            fmt::format("`{}` is off-chip: a list of indices lies on chip", index),
                            "copy the list to an on-chip memory first");
    return std::nullopt;
  }
  return gather;
}

}  // namespace accord
