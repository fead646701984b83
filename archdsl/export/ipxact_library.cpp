#include "archdsl/export/ipxact_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

#include "archdsl/export/ipxact_xml.h"
#include "archdsl/source/error.h"
#include "archdsl/source/grammar.h"

namespace accord {

namespace {

constexpr std::uintmax_t most_file_bytes = std::uintmax_t{64} << 20;
constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20;
constexpr std::size_t most_files = 100'000;

std::string identifier(const auto& get) {
  return fmt::format("{}:{}:{}:{}", get("vendor"), get("library"), get("name"), get("version"));
}

std::string own_identifier(pugi::xml_node root) {
  return identifier([&](const char* part) { return text_of(root, part); });
}

std::string named_identifier(pugi::xml_node reference) {
  return identifier([&](const char* part) { return std::string(reference.attribute(part).value()); });
}

std::string read_file(const std::filesystem::path& file, std::uintmax_t size) {
  std::ifstream in(file, std::ios::binary);
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(in.gcount()) != size) throw Error(fmt::format("{} cannot be read", file.string()));
  return text;
}

/// A file beside or below the catalog. Anything else a catalog has no business with.
std::filesystem::path checked_path(const std::string& text) {
  const std::filesystem::path path(text);
  const bool climbs = std::any_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
  if (path.empty() || path.is_absolute() || climbs || text.find("://") != std::string::npos) {
    throw Error(fmt::format("the catalog names `{}`, which is no file beside or below it", text));
  }
  return path;
}

void read_ports(IpxactType& type) {
  static const std::map<std::string_view, BusMode> modes = {{"master", BusMode::master},
                                                            {"slave", BusMode::slave},
                                                            {"mirroredMaster", BusMode::mirrored_master},
                                                            {"mirroredSlave", BusMode::mirrored_slave}};
  for (const pugi::xml_node port : children_of(child_of(type.root, "busInterfaces"), "busInterface")) {
    for (const pugi::xml_node part : port.children()) {
      const auto mode = modes.find(local_name(part));
      if (mode == modes.end()) continue;
      if (type.ports.emplace(text_of(port, "name"), mode->second).second) continue;
      throw Error(fmt::format("component {}: two bus interfaces are called `{}`", type.name, text_of(port, "name")));
    }
  }
}

void read_channels(IpxactType& type) {
  for (const pugi::xml_node channel : children_of(child_of(type.root, "channels"), "channel")) {
    std::vector<std::string> ports;
    for (const pugi::xml_node port : children_of(channel, "busInterfaceRef")) {
      ports.push_back(text_of(port, "localName"));
      if (type.ports.contains(ports.back()) && type.channel_of.emplace(ports.back(), type.channels.size()).second) {
        continue;
      }
      throw Error(fmt::format("component {}: a channel names `{}`, which is no bus interface or in another channel",
                              type.name, ports.back()));
    }
    type.channels.push_back(std::move(ports));
  }
}

void read_parameters(IpxactType& type) {
  for (const pugi::xml_node parameter : children_of(child_of(type.root, "parameters"), "parameter")) {
    std::string value(trimmed(text_of(parameter, "value")));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    type.parameters[text_of(parameter, "name")] = std::move(value);
  }
}

/// What the component is, from its own word, else from what it has.
void read_kind(IpxactType& type) {
  const auto declared = type.parameters.find("kind");
  if (declared != type.parameters.end()) {
    for (const PartKind kind :
         {PartKind::memory, PartKind::link, PartKind::mover, PartKind::compute, PartKind::controller}) {
      if (declared->second == describe(kind)) type.kind = kind;
    }
    type.declared = type.kind.has_value();
    if (type.declared) return;
  }
  const bool masters = std::any_of(type.ports.begin(), type.ports.end(),
                                   [](const auto& port) { return port.second == BusMode::master; });
  if (child_of(type.root, "cpus")) {
    type.kind = PartKind::controller;
  } else if (!type.channels.empty()) {
    type.kind = PartKind::link;
  } else if (masters) {
    type.kind = PartKind::mover;
  } else if (child_of(type.root, "memoryMaps")) {
    type.kind = PartKind::memory;
  }
}

IpxactType read_type(pugi::xml_node root) {
  IpxactType type;
  type.name = text_of(root, "name");
  type.root = root;
  read_ports(type);
  read_channels(type);
  read_parameters(type);
  read_kind(type);
  return type;
}

}  // namespace

std::string_view local_name(pugi::xml_node node) {
  const std::string_view name = node.name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

pugi::xml_node child_of(pugi::xml_node parent, std::string_view name) {
  for (const pugi::xml_node child : parent.children()) {
    if (local_name(child) == name) return child;
  }
  return {};
}

std::vector<pugi::xml_node> children_of(pugi::xml_node parent, std::string_view name) {
  std::vector<pugi::xml_node> result;
  for (const pugi::xml_node child : parent.children()) {
    if (local_name(child) == name) result.push_back(child);
  }
  return result;
}

std::string text_of(pugi::xml_node parent, std::string_view name) { return child_of(parent, name).text().get(); }

std::int64_t ipxact_integer(std::string_view text, const std::string& what, std::int64_t low, std::int64_t high) {
  std::string_view digits = trimmed(text);
  int base = 10;
  const std::size_t quote = digits.find("'h");
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (quote != std::string_view::npos) {
    base = 16;
    digits.remove_prefix(quote + 2);
  }
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (status != std::errc() || end != digits.data() + digits.size()) {
    throw Error(fmt::format("{}: `{:.60}` is not a whole number that can be read", what, text));
  }
  if (value < low || value > high) {
    throw Error(fmt::format("{} must be between {} and {}, not {}", what, low, high, value));
  }
  return value;
}

double ipxact_real(std::string_view text, const std::string& what) {
  const std::string_view digits = trimmed(text);
  double value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (status != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value) || value < 0) {
    throw Error(fmt::format("{}: `{:.60}` is not a number of at least 0", what, text));
  }
  return value;
}

std::int64_t IpxactType::integer(const std::string& parameter, std::int64_t otherwise, std::int64_t low,
                                 std::int64_t high) const {
  const auto found = parameters.find(parameter);
  if (found == parameters.end()) return otherwise;
  return ipxact_integer(found->second, fmt::format("component {}: {}", name, parameter), low, high);
}

double IpxactType::real(const std::string& parameter) const {
  const auto found = parameters.find(parameter);
  return found == parameters.end() ? 0 : ipxact_real(found->second, fmt::format("component {}: {}", name, parameter));
}

bool IpxactType::flag(const std::string& parameter) const {
  const auto found = parameters.find(parameter);
  if (found == parameters.end() || found->second == "0" || found->second == "false") return false;
  if (found->second == "1" || found->second == "true") return true;
  throw Error(fmt::format("component {}: {} is 0 or 1", name, parameter));
}

IpxactLibrary::IpxactLibrary(const std::filesystem::path& catalog) {
  const pugi::xml_node root = open(catalog, "catalog");
  const std::filesystem::path folder = catalog.parent_path();
  open_all(folder, root, "components", "component");
  open_all(folder, root, "designs", "design");
  in_file_of(root, [&] { find_machine(); });
}

std::string IpxactLibrary::file_of(pugi::xml_node node) const {
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    if (documents_[i]->root() == node.root()) return files_[i].string();
  }
  return {};
}

pugi::xml_node IpxactLibrary::open(const std::filesystem::path& file, std::string_view root) {
  std::error_code failed;
  const bool regular = std::filesystem::is_regular_file(file, failed);
  const std::uintmax_t size = regular ? std::filesystem::file_size(file, failed) : 0;
  if (!regular || failed) throw Error(fmt::format("{} cannot be read", file.string()));
  bytes_ += size;
  if (size > most_file_bytes || bytes_ > most_bytes || documents_.size() >= most_files) {
    throw Error(fmt::format("{}: more than {} MiB of IP-XACT, {} in one file, or {} files", file.string(),
                            most_bytes >> 20, most_file_bytes >> 20, most_files));
  }
  const std::string text = read_file(file, size);
  documents_.push_back(std::make_unique<pugi::xml_document>());
  files_.push_back(file);
  const auto result = documents_.back()->load_buffer(text.data(), text.size());
  if (!result) {
    throw Error(
        fmt::format("{}: no well-formed XML: {} at byte {}", file.string(), result.description(), result.offset));
  }
  const pugi::xml_node node = documents_.back()->document_element();
  const auto attributes = node.attributes();
  const bool ipxact = std::any_of(attributes.begin(), attributes.end(), [](const pugi::xml_attribute& attribute) {
    return std::string_view(attribute.value()) == ipxact_namespace;
  });
  if (!ipxact || local_name(node) != root) {
    throw Error(fmt::format("{}: the root is no `{}` of {}", file.string(), root, ipxact_namespace));
  }
  return node;
}

void IpxactLibrary::open_all(const std::filesystem::path& folder, pugi::xml_node catalog, std::string_view list,
                             std::string_view root) {
  for (const pugi::xml_node entry : children_of(child_of(catalog, list), "ipxactFile")) {
    const std::filesystem::path file =
        folder / in_file_of(catalog, [&] { return checked_path(text_of(entry, "name")); });
    const pugi::xml_node node = open(file, root);
    const std::string id = own_identifier(node);
    if (id != named_identifier(child_of(entry, "vlnv"))) {
      throw Error(fmt::format("{} is {}, not what the catalog says", file.string(), id));
    }
    if (root == "design") {
      designs_.push_back(node);
    } else if (!types_.emplace(id, in_file_of(node, [&] { return read_type(node); })).second) {
      throw Error(fmt::format("{}: the catalog names {} twice", file.string(), id));
    }
  }
}

/// The design of a component, else the only one.
void IpxactLibrary::find_machine() {
  for (const auto& [id, type] : types_) {
    for (const pugi::xml_node node :
         children_of(child_of(child_of(type.root, "model"), "instantiations"), "designInstantiation")) {
      for (const pugi::xml_node design : designs_) {
        if (own_identifier(design) != named_identifier(child_of(node, "designRef"))) continue;
        if (machine_ && machine_ != &type) throw Error("the catalog has designs of several components");
        machine_ = &type;
        design_ = design;
      }
    }
  }
  if (design_) return;
  if (designs_.size() != 1) throw Error(fmt::format("the catalog has {} designs, not one", designs_.size()));
  design_ = designs_[0];
}

const IpxactType& IpxactLibrary::type(pugi::xml_node reference) const {
  const std::string id = named_identifier(reference);
  const auto found = types_.find(id);
  if (found == types_.end()) throw Error(fmt::format("the catalog has no component {}", id));
  return found->second;
}

}  // namespace accord
