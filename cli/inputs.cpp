#include "cli/inputs.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "cli/files.h"
#include "compiler/frontends/seeded.h"
#include "compiler/network/npy.h"

namespace accord {

namespace {

Shape without_leading_ones(const Shape& shape) {
  return {std::find_if(shape.begin(), shape.end(), [](std::int64_t extent) { return extent != 1; }), shape.end()};
}

std::string names_of(const std::vector<TensorSlot>& slots) {
  std::vector<std::string> names;
  for (const auto& slot : slots) names.push_back(slot.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

struct Assignment {
  const TensorSlot& slot;
  std::string file;
};

/// A file name may hold '=', too: what stands before it must be a slot.
Assignment resolve(const std::string& text, const std::vector<TensorSlot>& slots) {
  for (const auto& slot : slots) {
    const auto start = slot.name.size() + 1;
    if (text.starts_with(slot.name + "=") && text.size() > start) return {slot, text.substr(start)};
  }
  if (slots.size() == 1 && (text.find('=') == std::string::npos || is_there(text))) {
    return {slots.front(), text};
  }
  throw Error(fmt::format("'{}': expected NAME=FILE.npy with NAME one of: {}", text, names_of(slots)));
}

Value converted(const Value& value, ElementType type) {
  Value result{type, value.shape, {}};
  const auto from = static_cast<std::size_t>(bytes(value.type));
  const auto to = static_cast<std::size_t>(bytes(type));
  const std::size_t count = value.data.size() / from;
  result.data.resize(count * to);
  for (std::size_t i = 0; i < count; ++i) {
    store_element(result.data.data() + i * to, type, load_element(value.data.data() + i * from, value.type));
  }
  return result;
}

Value read_slot(const Assignment& assignment) {
  Value value = load_npy(assignment.file);
  const auto& slot = assignment.slot;
  if (without_leading_ones(value.shape) != without_leading_ones(slot.shape)) {
    throw Error(fmt::format("{}: shape [{}], but '{}' has [{}]", assignment.file, fmt::join(value.shape, ", "),
                            slot.name, fmt::join(slot.shape, ", ")));
  }
  if (is_float(value.type) && !is_float(slot.type)) {
    throw Error(fmt::format("{}: floating point, but '{}' is {}", assignment.file, slot.name, name(slot.type)));
  }
  value.shape = slot.shape;
  return value.type == slot.type ? value : converted(value, slot.type);
}

/// Whether the operator hands on elements of its first input.
bool hands_on(const Operator& op) {
  static const std::set<std::string> types = {"Cast",      "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze",
                                              "Transpose", "Slice",    "Expand",  "Tile",    "Concat"};
  return types.contains(op.type);
}

/// The least of the dimensions that the operator's second input indexes.
std::int64_t indexed_by(const Network& network, const Operator& op) {
  const Shape& table = network.tensor(op.inputs[0]).shape;
  const auto rank = std::ssize(table);
  std::int64_t first = attribute(op, "axis", std::int64_t{0}), count = 1;
  if (op.type == "GatherND" || op.type == "ScatterND") {
    first = attribute(op, "batch_dims", std::int64_t{0});
    const Shape& indices = network.tensor(op.inputs[1]).shape;
    count = indices.empty() ? 0 : indices.back();
  }
  if (first < 0) first += rank;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t d = first; d < std::min(first + count, rank); ++d) least = std::min(least, table[d]);
  return std::max<std::int64_t>(least, 1);
}

/// What the input indexes, itself or reshaped, at least; the greatest number where it indexes nothing.
std::int64_t least_indexed(const Network& network, TensorId input) {
  static const std::set<std::string> lookups = {"Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"};
  std::set<TensorId> same = {input};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Operator& op : network.operators) {
    if (hands_on(op) && std::ranges::any_of(op.inputs, [&](TensorId id) { return same.contains(id); }))
      same.insert(op.outputs[0]);
    if (lookups.contains(op.type) && same.contains(op.inputs[1])) least = std::min(least, indexed_by(network, op));
  }
  return least;
}

}  // namespace

std::vector<TensorSlot> slots_of(const Network& network, const std::vector<TensorId>& ids) {
  std::vector<TensorSlot> slots;
  for (const auto id : ids) {
    const Tensor& tensor = network.tensor(id);
    TensorSlot& slot = slots.emplace_back(TensorSlot{tensor.name, tensor.type, tensor.shape});
    if (!is_float(tensor.type)) slot.most = std::min(slot.most, least_indexed(network, id));
  }
  return slots;
}

Values read_tensors(const std::vector<std::string>& assignments, const std::vector<TensorSlot>& slots) {
  Values values;
  for (const auto& text : assignments) {
    const auto assignment = resolve(text, slots);
    if (values.contains(assignment.slot.name)) throw Error(fmt::format("'{}' is given twice", assignment.slot.name));
    values[assignment.slot.name] = read_slot(assignment);
  }
  return values;
}

void fill_seeded(Values& values, const std::vector<TensorSlot>& slots, std::uint64_t seed) {
  for (const auto& slot : slots) {
    if (values.contains(slot.name)) continue;
    SeededValues stream(seed, slot.name);
    const auto count = count_of(slot.shape);
    const auto step = static_cast<std::size_t>(bytes(slot.type));
    Value value{slot.type, slot.shape, std::vector<std::byte>(count * step)};
    for (std::size_t i = 0; i < count; ++i) {
      const float element = is_float(slot.type) ? stream.normal() : stream.uniform(0, static_cast<float>(slot.most));
      store_element(value.data.data() + i * step, slot.type, element);
    }
    values.emplace(slot.name, std::move(value));
  }
}

Values seeded_inputs_of(const Network& network, std::uint64_t seed) {
  Values inputs;
  fill_seeded(inputs, slots_of(network, network.inputs), seed);
  return inputs;
}

}  // namespace accord
