#include "archdsl/export/ipxact_capability.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "archdsl/export/ipxact_library.h"
#include "archdsl/source/error.h"
#include "archdsl/tensor/parse.h"

namespace accord {

namespace {

constexpr std::int64_t greatest_extent = std::int64_t{1} << 40;
constexpr std::size_t most_entries = 4096;
constexpr std::size_t longest_text = 4096;

class UnitReader {
 public:
  UnitReader(const BusWays& ways, Unit& unit) : ways_(ways), unit_(unit) {}

  void read(pugi::xml_node extension) {
    for (const pugi::xml_node node : children_of(extension, "route")) read_route(node);
    for (const pugi::xml_node node : children_of(extension, "capability")) read_capability(node);
    const bool found = std::string_view(extension.attribute("routing").value()) == "found";
    if (!unit_.routes.empty()) {
      if (!found && !unit_.routes[0].links.empty()) unit_.link = unit_.routes[0].links[0];
    } else if (unit_.kind == UnitKind::mover) {
      for (const auto& [port, list] : ways_) {
        if (list.size() == 1 && !list[0].links.empty()) unit_.link = list[0].links[0];
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw Error(fmt::format("{}: {}", unit_.name, message)); }

  const BusWay& way(const std::string& port) const {
    const auto found = ways_.find(port);
    if (found == ways_.end() || found->second.size() != 1) {
      fail(fmt::format("the bus interface `{}` does not lead to exactly one memory", port));
    }
    return found->second[0];
  }

  std::int64_t integer(pugi::xml_node node, const char* attribute, std::int64_t low, std::int64_t high) const {
    return ipxact_integer(node.attribute(attribute).value(), fmt::format("{}: {}", unit_.name, attribute), low, high);
  }

  Step step(std::string_view text) const {
    if (text == "free") return {};
    return {Step::Kind::fixed, ipxact_integer(text, fmt::format("{}: a step", unit_.name), 0, greatest_extent)};
  }

  ElementType element_type(pugi::xml_node node, const char* attribute) const {
    const auto type = parse_element_type(node.attribute(attribute).value());
    if (!type) fail(fmt::format("`{}` is no element type", node.attribute(attribute).value()));
    return *type;
  }

  double signed_real(std::string_view text) const {
    const bool negative = text.starts_with('-');
    const double size = ipxact_real(text.substr(negative ? 1 : 0), unit_.name + ": padValue");
    return negative ? -size : size;
  }

  void read_route(pugi::xml_node node) {
    if (unit_.routes.size() >= most_entries) fail(fmt::format("more than {} routes", most_entries));
    Route route;
    const BusWay& source = way(node.attribute("source").value());
    route.source = source.memory;
    route.links.assign(source.links.rbegin(), source.links.rend());
    std::istringstream targets(node.attribute("target").value());
    for (std::string port; targets >> port;) {
      const BusWay& target = way(port);
      if (route.target < 0) {
        route.target = target.memory;
        route.links.insert(route.links.end(), target.links.begin(), target.links.end());
      } else {
        route.also.push_back(target.memory);
      }
    }
    if (route.target < 0) fail("a route without target");
    if (node.attribute("padType")) {
      route.pad = Padding{element_type(node, "padType"), signed_real(node.attribute("padValue").value())};
    }
    if (node.attribute("gatherIndex")) {
      route.gather = Gather{way(node.attribute("gatherIndex").value()).memory, element_type(node, "gatherType"),
                            static_cast<int>(integer(node, "gatherDim", 0, 7))};
    }
    for (const pugi::xml_node walk : children_of(node, "walk")) {
      route.walk.push_back({integer(walk, "max", 1, greatest_extent), step(walk.attribute("source").value()),
                            step(walk.attribute("target").value())});
    }
    if (route.walk.empty() || route.walk.size() > 8) fail("a walk has 1 to 8 dimensions");
    unit_.routes.push_back(std::move(route));
  }

  void read_capability(pugi::xml_node node) {
    if (unit_.capabilities.size() >= most_entries) fail(fmt::format("more than {} capabilities", most_entries));
    Capability c;
    c.name = node.attribute("name").value();
    c.pj_per_point = ipxact_real(node.attribute("pjPerPoint").value(), unit_.name + ": pjPerPoint");
    StatementContext context;
    for (const pugi::xml_node dim : children_of(node, "dim")) {
      c.dims.push_back({dim.attribute("name").value(), integer(dim, "min", 1, greatest_extent),
                        integer(dim, "max", 1, greatest_extent), integer(dim, "multiple", 1, greatest_extent)});
      context.iterator_order.push_back(c.dims.back().name);
    }
    const auto operands = children_of(node, "operand");
    for (const pugi::xml_node operand : operands) {
      context.operand_types[operand.attribute("name").value()] = element_type(operand, "type");
    }
    if (c.dims.size() > 32 || operands.size() > 64) fail("a capability has at most 32 dimensions and 64 operands");
    c.program = parse(children_of(node, "does"), context);
    if (c.program.iterators.size() != c.dims.size()) fail("a statement uses an iterator that is no dimension");
    c.operands.resize(c.program.operands.size());
    for (const pugi::xml_node operand : operands) read_operand(operand, c);
    read_timing(child_of(node, "timing"), c);
    unit_.capabilities.push_back(std::move(c));
  }

  TensorProgram parse(const std::vector<pugi::xml_node>& nodes, const StatementContext& context) const {
    std::vector<std::string> texts;
    for (const pugi::xml_node node : nodes) {
      texts.push_back(node.text().get());
      if (texts.back().size() > longest_text) fail("a statement of more than 4096 characters");
    }
    if (texts.empty() || texts.size() > 64) fail("a capability has 1 to 64 statements");
    auto parsed = parse_statements(texts, context);
    if (const auto* const error = std::get_if<StatementError>(&parsed)) {
      fail(fmt::format("`{:.60}`: {}", texts[std::min(error->statement, texts.size() - 1)], error->message));
    }
    return std::get<TensorProgram>(std::move(parsed));
  }

  void read_operand(pugi::xml_node node, Capability& c) const {
    const std::string name = node.attribute("name").value();
    const auto found = std::find_if(c.program.operands.begin(), c.program.operands.end(),
                                    [&](const Operand& operand) { return operand.name == name; });
    if (found == c.program.operands.end()) fail(fmt::format("no statement uses the operand `{}`", name));
    CapabilityOperand& operand = c.operands[static_cast<std::size_t>(found - c.program.operands.begin())];
    const std::string port = node.attribute("busInterface").value();
    if (port.empty() && found->rank > 0) fail(fmt::format("the operand `{}` lies in no memory", name));
    if (port.empty()) return;
    operand.memory = way(port).memory;
    operand.held = std::string_view(node.attribute("held").value()) == "true";
    for (const pugi::xml_node s : children_of(node, "step")) operand.steps.push_back(step(s.text().get()));
    if (static_cast<int>(operand.steps.size()) != found->rank)
      fail(fmt::format("`{}` needs a step for each index", name));
  }

  void read_timing(pugi::xml_node node, Capability& c) const {
    std::vector<std::string> variables;
    for (const CapabilityDim& dim : c.dims) variables.push_back(dim.name);
    for (std::size_t i = 0; i < c.operands.size(); ++i) {
      if (c.operands[i].held) variables.push_back(c.program.operands[i].name + ".load");
    }
    const auto read = [&](const char* key, Formula& formula) {
      const std::string text = node.attribute(key).value();
      if (text.size() > longest_text) fail("a formula of more than 4096 characters");
      if (!text.empty()) formula = Formula(text, variables);
    };
    read("start", c.start);
    read("interval", c.interval);
    read("drain", c.drain);
  }

  const BusWays& ways_;
  Unit& unit_;
};

}  // namespace

void read_unit_extension(pugi::xml_node extension, const BusWays& ways, Unit& unit) {
  UnitReader(ways, unit).read(extension);
}

}  // namespace accord
