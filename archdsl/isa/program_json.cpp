#include "archdsl/isa/program_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "archdsl/isa/int128.h"
#include "archdsl/source/error.h"

namespace accord {
namespace {

using nlohmann::json;

constexpr int deepest_nesting = 16;
constexpr std::size_t most_values = 2'000'000;  ///< of one JSON text: bounds the memory that parsing takes
constexpr std::array<std::string_view, 4> role_names{"input", "output", "constant", "intermediate"};

[[noreturn]] void fail(const std::string& key, const std::string& expected) {
  throw Error(fmt::format("`{}`: {} expected", key, expected));
}

/// Takes an object apart key by key.
class ObjectReader {
 public:
  explicit ObjectReader(const json& object) : object_(object) {
    if (!object.is_object()) throw Error("a JSON object was expected");
  }

  /// Throws on keys that no `take` asked for.
  void finish() const {
    if (taken_ == object_.size()) return;
    for (const auto& [key, value] : object_.items()) {
      if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) throw Error(fmt::format("unknown key `{}`", key));
    }
  }

  template <typename T, typename Convert>
  void take(const char* key, T& to, const Convert& convert) {
    keys_.emplace_back(key);
    const auto found = object_.find(key);
    if (found == object_.end()) return;
    ++taken_;
    to = convert(*found, key);
  }

 private:
  const json& object_;
  std::vector<std::string_view> keys_;
  std::size_t taken_ = 0;
};

std::string text(const json& value, const std::string& key) {
  if (!value.is_string()) fail(key, "a string");
  return value.get<std::string>();
}

std::int64_t integer(const json& value, const std::string& key) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > most) fail(key, "a 64-bit integer");
  if (!value.is_number_integer()) fail(key, "an integer");
  return value.get<std::int64_t>();
}

int small_integer(const json& value, const std::string& key) {
  const std::int64_t result = integer(value, key);
  if (result < std::numeric_limits<int>::min() || result > std::numeric_limits<int>::max()) fail(key, "an index");
  return static_cast<int>(result);
}

bool boolean(const json& value, const std::string& key) {
  if (!value.is_boolean()) fail(key, "true or false");
  return value.get<bool>();
}

json from_double(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number(const json& value, const std::string& key) {
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (!value.is_number()) fail(key, "a number, \"inf\" or \"-inf\"");
  return value.get<double>();
}

ElementType element_type(const json& value, const std::string& key) {
  const std::optional<ElementType> type = parse_element_type(text(value, key));
  if (!type) fail(key, "an element type (i8, fp32, ...)");
  return *type;
}

template <typename Convert>
auto list_of(const Convert& convert) {
  return [convert](const json& value, const std::string& key) {
    if (!value.is_array()) fail(key, "a list");
    std::vector<decltype(convert(value, key))> result;
    result.reserve(value.size());
    for (const json& element : value) result.push_back(convert(element, key));
    return result;
  };
}

json to_json(const HostOperand& operand) {
  json result{{"name", operand.name}, {"type", std::string(name(operand.type))}};
  if (!operand.symbol.empty()) result["symbol"] = operand.symbol;
  if (!operand.shape.empty()) result["shape"] = operand.shape;
  if (operand.outside != 0 || std::signbit(operand.outside)) result["outside"] = from_double(operand.outside);
  return result;
}

HostOperand operand_from_json(const json& value, const std::string&) {
  HostOperand operand;
  ObjectReader reader(value);
  reader.take("name", operand.name, text);
  reader.take("type", operand.type, element_type);
  reader.take("symbol", operand.symbol, text);
  reader.take("shape", operand.shape, list_of(integer));
  reader.take("outside", operand.outside, number);
  reader.finish();
  return operand;
}

Iterator iterator_from_json(const json& value, const std::string& key) {
  if (!value.is_array() || value.size() != 2) fail(key, "[name, extent]");
  return {text(value[0], key), integer(value[1], key)};
}

void put(json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

void put(json& object, const char* key, std::int64_t value) {
  if (value != 0) object[key] = value;
}

void check_size(const std::string& what, const Shape& shape) {
  Int128 elements = 1;
  for (const std::int64_t extent : shape) {
    elements *= extent;
    if (extent < 0 || elements > (Int128{1} << 48)) throw Error(fmt::format("{} has an absurd shape", what));
  }
}

/// The host takes about a nanosecond for each.
void check_points(const std::vector<Iterator>& iterators) {
  Int128 points = 1;
  for (const Iterator& iterator : iterators) {
    if (iterator.extent < 0) throw Error(fmt::format("host iterator `{}` counts {}", iterator.name, iterator.extent));
    points *= iterator.extent;
    if (points > (Int128{1} << 40)) throw Error("host work that takes more than 2^40 steps");
  }
}

void check_layer(const Program& program, int layer) {
  if (layer < -1 || layer >= static_cast<std::int64_t>(program.layers.size())) {
    throw Error(fmt::format("layer {} does not exist", layer));
  }
}

void check_range(std::int64_t first, std::int64_t count) {
  if (first < 0 || count < 0 || first > std::numeric_limits<std::int64_t>::max() - count) {
    throw Error(fmt::format("{} instructions from {} on make no sense", count, first));
  }
}

}  // namespace

json to_json(const Layer& layer) {
  json result = json::object();
  put(result, "name", layer.name);
  put(result, "op", layer.op);
  put(result, "placed_on", layer.placed_on);
  put(result, "capability", layer.capability);
  put(result, "reason", layer.reason);
  put(result, "macs", layer.macs);
  put(result, "bound_cycles", layer.bound_cycles);
  put(result, "compute_cycles", layer.compute_cycles);
  put(result, "compulsory_bytes", layer.compulsory_bytes);
  put(result, "fusion", layer.fusion);
  if (!layer.outputs.empty()) result["outputs"] = layer.outputs;
  return result;
}

Layer layer_from_json(const json& object) {
  Layer layer;
  ObjectReader reader(object);
  reader.take("name", layer.name, text);
  reader.take("op", layer.op, text);
  reader.take("placed_on", layer.placed_on, text);
  reader.take("capability", layer.capability, text);
  reader.take("reason", layer.reason, text);
  reader.take("macs", layer.macs, integer);
  reader.take("bound_cycles", layer.bound_cycles, integer);
  reader.take("compute_cycles", layer.compute_cycles, integer);
  reader.take("compulsory_bytes", layer.compulsory_bytes, integer);
  reader.take("fusion", layer.fusion, text);
  reader.take("outputs", layer.outputs, list_of(text));
  reader.finish();
  return layer;
}

json to_json(const Stage& stage) {
  json result = json::object();
  if (stage.layer != -1) result["layer"] = stage.layer;
  if (stage.host) result["host"] = true;
  put(result, "first", stage.first);
  put(result, "count", stage.count);
  if (!stage.work.statements.empty()) result["statements"] = stage.work.statements;
  for (const HostOperand& operand : stage.work.operands) result["operands"].push_back(to_json(operand));
  for (const Iterator& iterator : stage.work.iterators) {
    result["iterators"].push_back(json::array({iterator.name, iterator.extent}));
  }
  return result;
}

Stage stage_from_json(const json& object) {
  Stage stage;
  ObjectReader reader(object);
  reader.take("layer", stage.layer, small_integer);
  reader.take("host", stage.host, boolean);
  reader.take("first", stage.first, integer);
  reader.take("count", stage.count, integer);
  reader.take("statements", stage.work.statements, list_of(text));
  reader.take("operands", stage.work.operands, list_of(operand_from_json));
  reader.take("iterators", stage.work.iterators, list_of(iterator_from_json));
  reader.finish();
  return stage;
}

json to_json(const Symbol& symbol) {
  json result = {{"name", symbol.name},
                 {"memory", symbol.memory},
                 {"address", symbol.address},
                 {"type", std::string(name(symbol.type))},
                 {"shape", symbol.shape},
                 {"strides", symbol.strides},
                 {"role", std::string(name(symbol.role))}};
  if (!symbol.split.empty()) result["split"] = symbol.split;
  if (!symbol.whole.empty()) {
    result["whole"] = symbol.whole;
    result["origin"] = symbol.origin;
  }
  return result;
}

Symbol symbol_from_json(const json& object) {
  Symbol symbol;
  ObjectReader reader(object);
  reader.take("name", symbol.name, text);
  reader.take("memory", symbol.memory, text);
  reader.take("address", symbol.address, integer);
  reader.take("type", symbol.type, element_type);
  reader.take("shape", symbol.shape, list_of(integer));
  reader.take("strides", symbol.strides, list_of(integer));
  reader.take("role", symbol.role, [](const json& value, const std::string& key) {
    const std::optional<Symbol::Role> role = parse_role(text(value, key));
    if (!role) fail(key, "input, output, constant or intermediate");
    return *role;
  });
  reader.take("whole", symbol.whole, text);
  reader.take("origin", symbol.origin, list_of(integer));
  reader.take("split", symbol.split, list_of(integer));
  reader.finish();
  return symbol;
}

json parse_json(std::string_view text) {
  std::size_t values = 0;
  const json::parser_callback_t limit = [&values](int depth, json::parse_event_t, json&) {
    if (depth > deepest_nesting) throw Error("JSON is nested too deeply");
    if (++values > most_values) throw Error("JSON holds too many values");
    return true;
  };
  try {
    return json::parse(text, limit);
  } catch (const json::parse_error& problem) {
    throw Error(fmt::format("no well-formed JSON, from byte {} on", problem.byte));
  } catch (const json::exception&) {
    throw Error("JSON holds a number beyond all bounds");
  }
}

namespace {

/// As `parse_json` counts them.
std::size_t values_in(const json& value) {
  if (!value.is_structured()) return 1;
  std::size_t count = 2;
  for (const json& inner : value) count += values_in(inner);
  return count + (value.is_object() ? value.size() : 0);
}

}  // namespace

void count_values(const json& value, std::size_t& values) {
  values += values_in(value);
  if (values > most_values) throw Error("the program has too many symbols, layers or stages for its file");
}

std::string print_json(const json& value) {
  try {
    return value.dump();
  } catch (const json::exception&) {
    throw Error("a name in the program is not UTF-8");
  }
}

std::string_view name(Symbol::Role role) { return role_names[static_cast<std::size_t>(role)]; }

std::optional<Symbol::Role> parse_role(std::string_view text) {
  for (std::size_t i = 0; i < role_names.size(); ++i) {
    if (role_names[i] == text) return static_cast<Symbol::Role>(i);
  }
  return std::nullopt;
}

bool splits(const Shape& split, const Shape& shape) {
  std::size_t next = 0;
  for (const std::int64_t extent : shape) {
    std::int64_t product = 1;
    do {
      if (next == split.size() || split[next] < 0 || (split[next] > 0 && product > extent / split[next])) return false;
      product *= split[next++];
    } while (product != 0 && product < extent);
    if (product != extent) return false;
  }
  return next == split.size();
}

void check_consistency(const Program& program) {
  for (const Symbol& symbol : program.symbols) {
    if (!symbol.split.empty() && !splits(symbol.split, symbol.shape)) {
      throw Error(fmt::format("symbol `{}` is split into other dimensions than its shape's", symbol.name));
    }
    if (symbol.strides.size() != symbol.extents().size()) {
      throw Error(fmt::format("symbol `{}` has {} strides for {} dimensions", symbol.name, symbol.strides.size(),
                              symbol.extents().size()));
    }
    if (symbol.origin.size() != (symbol.whole.empty() ? 0 : symbol.shape.size())) {
      throw Error(fmt::format("symbol `{}` has an origin of {} indices for {} dimensions", symbol.name,
                              symbol.origin.size(), symbol.shape.size()));
    }
    check_size(fmt::format("symbol `{}`", symbol.name), symbol.shape);
  }
  for (const Stage& stage : program.stages) {
    check_layer(program, stage.layer);
    check_range(stage.first, stage.count);
    check_points(stage.work.iterators);
    for (const HostOperand& operand : stage.work.operands) {
      check_size(fmt::format("host operand `{}`", operand.name), operand.shape);
    }
  }
  std::int64_t last = 0;
  for (const MapEntry& entry : program.map) {
    check_layer(program, entry.layer);
    check_range(entry.first, entry.count);
    if (entry.first < last) throw Error("the instruction map does not ascend");
    last = entry.first;
  }
  for (const Image& image : program.images) {
    if (image.address < 0) throw Error(fmt::format("an image of `{}` has a negative address", image.memory));
    if (image.zeros < 0 || (image.zeros > 0 && !image.bytes.empty())) {
      throw Error(fmt::format("an image of `{}` has both bytes and zeros", image.memory));
    }
  }
}

}  // namespace accord
