#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/topology.h"

namespace accord {

namespace {

/// A mistake at a place of the file.
[[noreturn]] void reject(const YAML::Mark& mark, const std::string& message) {
  throw Error(fmt::format("line {}, column {}: {}", mark.line + 1, mark.column + 1, message));
}

std::int64_t integer(const YAML::Node& node, const std::string& key) {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  std::int64_t value = 0;  // decimal, as in covenants: 010 is ten
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) {
    reject(node.Mark(), fmt::format("'{}' must be a decimal integer", key));
  }
  return value;
}

void read_stride(const YAML::Node& node, TopologyLayer& layer) {
  if (node.IsSequence() && node.size() == 2) {
    layer.stride_h = integer(node[0], "stride");
    layer.stride_w = integer(node[1], "stride");
  } else {
    layer.stride_h = layer.stride_w = integer(node, "stride");
  }
}

using Fields = std::map<std::string, std::int64_t TopologyLayer::*>;

const Fields& conv_fields() {
  static const Fields fields = {{"n", &TopologyLayer::n},      {"c", &TopologyLayer::c},
                                {"h", &TopologyLayer::h},      {"w", &TopologyLayer::w},
                                {"k", &TopologyLayer::k},      {"r", &TopologyLayer::r},
                                {"s", &TopologyLayer::s},      {"ph", &TopologyLayer::pad_h},
                                {"pw", &TopologyLayer::pad_w}, {"groups", &TopologyLayer::groups}};
  return fields;
}

const Fields& gemm_fields() {
  static const Fields fields = {{"m", &TopologyLayer::m}, {"k", &TopologyLayer::k}, {"n", &TopologyLayer::n}};
  return fields;
}

std::string names_of(const Fields& fields) {
  std::string names;
  for (const auto& [name, member] : fields) names += (names.empty() ? "" : ", ") + name;
  return names;
}

std::string text(const YAML::Node& node, const char* what) {
  if (!node.IsScalar()) reject(node.Mark(), fmt::format("'{}' must be text", what));
  return node.Scalar();
}

void check_required(const YAML::Node& node, const TopologyLayer& layer, const std::set<std::string>& seen) {
  const bool conv = layer.kind == TopologyLayer::Kind::conv;
  const std::vector<std::string> required = conv ? std::vector<std::string>{"name", "c", "h", "w", "k", "r", "s"}
                                                 : std::vector<std::string>{"name", "m", "k", "n"};
  for (const auto& key : required) {
    if (!seen.contains(key)) reject(node.Mark(), fmt::format("the layer lacks '{}'", key));
  }
}

TopologyLayer::Kind kind_of(const YAML::Node& node) {
  const auto op = node["op"];
  if (!op) reject(node.Mark(), "the layer lacks 'op' (conv or gemm)");
  const auto name = text(op, "op");
  if (name == "conv") return TopologyLayer::Kind::conv;
  if (name == "gemm") return TopologyLayer::Kind::gemm;
  reject(op.Mark(), fmt::format("op '{}' is not known; it is conv or gemm", name));
}

TopologyLayer read_layer(const YAML::Node& node) {
  if (!node.IsMap()) reject(node.Mark(), "a layer must be a map");
  TopologyLayer layer;
  layer.kind = kind_of(node);
  const bool conv = layer.kind == TopologyLayer::Kind::conv;
  const auto& fields = conv ? conv_fields() : gemm_fields();
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const auto key = text(entry.first, "key");
    if (!seen.insert(key).second) reject(entry.first.Mark(), fmt::format("'{}' occurs twice", key));
    if (key == "op") continue;
    if (key == "name")
      layer.name = text(entry.second, "name");
    else if (key == "stride" && conv)
      read_stride(entry.second, layer);
    else if (const auto field = fields.find(key); field != fields.end())
      layer.*field->second = integer(entry.second, key);
    else
      reject(entry.first.Mark(), fmt::format("unknown key '{}'; known are: op, name, {}", key, names_of(fields)));
  }
  check_required(node, layer, seen);
  return layer;
}

std::vector<TopologyLayer> read_layers(const YAML::Node& root) {
  if (!root.IsMap() || !root["layers"] || !root["layers"].IsSequence()) {
    const bool covenant = root.IsMap() && root["components"];
    throw Error(fmt::format("expected a list under the key 'layers'{}",
                            covenant ? "; this is a covenant, which --arch takes" : ""));
  }
  for (const auto& entry : root) {
    const auto key = text(entry.first, "key");
    if (key != "layers") reject(entry.first.Mark(), fmt::format("unknown key '{}'; known is: layers", key));
  }
  std::vector<TopologyLayer> layers;
  for (const auto& node : root["layers"]) layers.push_back(read_layer(node));
  return layers;
}

constexpr std::uintmax_t max_file_size = 16 << 20;

YAML::Node parse(const std::filesystem::path& path) {
  std::error_code code;
  if (std::filesystem::file_size(path, code) > max_file_size || code)
    throw Error("cannot read the file, or it is too large");
  std::ifstream stream(path);
  try {
    return YAML::Load(stream);
  } catch (const YAML::Exception& error) {
    reject(error.mark, error.msg);
  }
}

}  // namespace

Network import_layer_list(const std::filesystem::path& path, std::uint64_t seed) {
  try {
    return build_topology(path.stem().string(), read_layers(parse(path)), seed);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace accord
