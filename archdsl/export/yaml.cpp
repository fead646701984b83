#include "archdsl/export/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "archdsl/export/names.h"

namespace accord {

namespace {

bool needs_resolved(const Architecture& a) {
  const auto hierarchical = [](const auto& component) { return !is_identifier(component.name); };
  return std::any_of(a.memories.begin(), a.memories.end(), hierarchical) ||
         std::any_of(a.links.begin(), a.links.end(), hierarchical) ||
         std::any_of(a.units.begin(), a.units.end(), hierarchical) || hierarchical(a.controller);
}

}  // namespace

std::string yaml_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': result += "\\\""; break;
      case '\\': result += "\\\\"; break;
      case '\n': result += "\\n"; break;
      case '\t': result += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          result += c;
        }
    }
  }
  return result + '"';
}

std::string yaml_scalar(std::string_view text) {
  static constexpr std::array<std::string_view, 9> reserved = {"null", "Null",  "NULL",  "true", "True",
                                                               "TRUE", "false", "False", "FALSE"};
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos) return std::string(text);
  const bool plain = is_identifier(text) && std::find(reserved.begin(), reserved.end(), text) == reserved.end();
  return plain ? std::string(text) : yaml_quoted(text);
}

std::string yaml_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string yaml_clocks(const Architecture& a) {
  std::vector<std::string> clocks;
  for (const ClockDomain& c : a.clocks) {
    clocks.push_back(
        fmt::format("{}: {{frequency: {} Hz, crossing: {}}}", yaml_scalar(c.name), yaml_number(c.hz), c.crossing));
  }
  return fmt::format(" {{{}}}\n", fmt::join(clocks, ", "));
}

std::string yaml_numerics(const Numerics& n) {
  std::string text = "\n";
  text += fmt::format("  storage: {}\n  weight: {}\n  accumulator: {}\n", name(n.storage), name(n.weight),
                      name(n.accumulator));
  text += fmt::format("  requantise: {}\n", yaml_quoted(n.requantise));
  std::vector<std::string> parameters;
  for (const auto& p : n.parameters) {
    parameters.push_back(fmt::format("{}: {{type: {}, per: {}}}", yaml_scalar(p.name), name(p.type),
                                     p.per_channel ? "channel" : "tensor"));
  }
  return text + fmt::format("  parameters: {{{}}}\n", fmt::join(parameters, ", "));
}

std::string yaml_sync(const Sync& sync) {
  switch (sync.kind) {
    case Sync::Kind::semaphores:
      return fmt::format(" {{semaphores: {{count: {}, max: {}}}}}\n", sync.semaphores, sync.semaphore_max);
    case Sync::Kind::interlock: return fmt::format(" {{interlock: {{entries: {}}}}}\n", sync.entries);
    case Sync::Kind::in_order: break;
  }
  return " in_order\n";
}

std::string yaml_head(const Architecture& a) {
  std::string text = "accord: 1\n";
  if (needs_resolved(a)) text += "resolved: true\n";
  text += fmt::format("name: {}\n", yaml_scalar(a.name));
  if (!a.source.empty()) text += fmt::format("source: {}\n", yaml_quoted(a.source));
  return text + "clocks:" + yaml_clocks(a);
}

std::string to_yaml(const Architecture& a) {
  return yaml_head(a) + "numerics:" + yaml_numerics(a.numerics) + "components:" + yaml_components(a) +
         "sync:" + yaml_sync(a.sync) + "isa:" + yaml_isa(a);
}

}  // namespace accord
