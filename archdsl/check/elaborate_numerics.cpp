#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "archdsl/check/elaborate.h"
#include "archdsl/source/suggest.h"
#include "archdsl/tensor/parse.h"

namespace accord {

namespace {

ElementType read_type(Scope& scope, const Node* node, std::string_view what, ElementType otherwise) {
  if (!node) return otherwise;
  const auto text = scope.text(*node, what);
  if (!text) return otherwise;
  if (const auto type = parse_element_type(*text)) return *type;
  scope.reporter().report("wrong-value", node->place, fmt::format("{}: `{}` is no element type", what, *text),
                          "i4, i8, u8, i16, i32, i64, fp8e4m3, fp8e5m2, fp16, bf16, fp32");
  return otherwise;
}

Numerics::Parameter read_parameter(Scope& scope, const NodeEntry& entry) {
  Numerics::Parameter parameter;
  parameter.name = entry.key.text;
  parameter.per_channel = true;
  scope.check_name(parameter.name, entry.key.place, "parameter");
  if (parameter.name == "x" || parameter.name == "lo" || parameter.name == "hi") {
    scope.reporter().report("bad-name", entry.key.place,
                            fmt::format("`{}` always stands in a requantisation", parameter.name));
  }
  if (!entry.value.is_map()) {
    parameter.type = read_type(scope, &entry.value, parameter.name, ElementType::fp32);
    return parameter;
  }
  const MapReader reader(scope, entry.value, "parameter", fmt::format("parameter `{}`", parameter.name));
  parameter.type = read_type(scope, reader.find("type"), "type", ElementType::fp32);
  parameter.per_channel = reader.word("per") == "channel";
  return parameter;
}

void set_default_requantisation(Numerics& numerics) {
  const std::string_view storage = name(numerics.storage);
  numerics.requantise = numerics.integer ? fmt::format("{}(clamp(round(fp32(x) * scale), lo, hi))", storage)
                                         : fmt::format("{}(clamp(x, lo, hi))", storage);
}

/// The expression must parse over x, the parameters, lo and hi, and give the storage type. `node`: where it is given;
/// null: it is the default, which needs its scale among the parameters.
void check_requantisation(Elaboration& elaboration, const Numerics& numerics, const Node* node,
                          const Node* parameters) {
  const bool floats = !numerics.integer || std::any_of(numerics.parameters.begin(), numerics.parameters.end(),
                                                       [](const auto& p) { return is_float(p.type); });
  StatementContext context;
  for (const auto& parameter : numerics.parameters) context.operand_types[parameter.name] = parameter.type;
  context.operand_types["x"] = numerics.accumulator;
  context.operand_types["lo"] = context.operand_types["hi"] = floats ? ElementType::fp32 : numerics.accumulator;
  std::string target = "y";
  while (context.operand_types.contains(target) || numerics.requantise.find(target) != std::string::npos) target += "_";
  context.operand_types[target] = numerics.storage;
  const std::string prefix = target.append(" = ");
  const auto parsed = parse_statements({prefix + numerics.requantise}, context);
  const auto* const error = std::get_if<StatementError>(&parsed);
  if (!node) {
    if (!error) return;
    elaboration.scope.reporter().report(
        "bad-requantise", parameters->place,
        fmt::format("no `requantise`, and the default's parameter is not there: {}", error->message),
        fmt::format("a parameter `scale`, or `requantise` instead of `{}`", numerics.requantise));
    return;
  }
  const ResolvedText verbatim{numerics.requantise, {{0, 0, numerics.requantise.size(), true}}};
  if (error) {
    const std::size_t offset = error->offset < prefix.size() ? 0 : error->offset - prefix.size();
    elaboration.scope.reporter().report(
        "bad-requantise", elaboration.scope.place_of(*node, verbatim, offset, error->length), error->message);
    return;
  }
  const ElementType type = std::get<TensorProgram>(parsed).statements.at(0).value->type;
  if (type == numerics.storage) return;
  elaboration.scope.reporter().report(
      "bad-requantise", node->place,
      fmt::format("the requantisation gives {}, but storage is {}", name(type), name(numerics.storage)),
      fmt::format("wrap it in {}(...)", name(numerics.storage)));
}

/// Programs written by hand may use such a machine.
void check_signed(Scope& scope, ElementType type, const Node* node, std::string_view what) {
  if (!node || lowest(type) < 0) return;
  scope.reporter().report("unsigned-numerics", node->place,
                          fmt::format("{} is {}, and the compiler quantises symmetrically around 0: no network "
                                      "compiles for this machine",
                                      what, name(type)),
                          "a signed type");
}

/// Integers are summed exactly, or up to what a float counts to, and have signs; floats are summed in floats.
void check_sums(Scope& scope, const Numerics& numerics, const Node* node) {
  const ElementType sums = numerics.accumulator;
  if (!node || (lowest(sums) < 0 && (numerics.integer || is_float(sums)))) return;
  scope.reporter().report("bad-accumulator", node->place,
                          fmt::format("{} has no sums of products of {}", name(sums), name(numerics.storage)),
                          numerics.integer ? "a signed type, as a rule i32" : "a float, as a rule fp32");
}

/// The compiler finds values for a scale, or for a mult and a shift, or for one of these.
void check_roles(Scope& scope, const Numerics& numerics, const std::vector<Place>& places) {
  using Role = Numerics::Role;
  std::set<Role> before;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const Role role = numerics.parameters[p].role();
    const bool fits = numerics.integer ? role != Role::unknown : role == Role::scale;
    const bool beside =
        before.contains(role) || (!before.empty() && (role == Role::scale || before.contains(Role::scale)));
    before.insert(role);
    if (fits && !beside) continue;
    scope.reporter().report("unknown-parameter", places[p],
                            fmt::format("the compiler finds no values for `{}`{}: no network compiles for this machine",
                                        numerics.parameters[p].name, fits ? " beside those before" : ""),
                            numerics.integer
                                ? "a float that is called `scale`, or integers that are called `mult` and `shift`; a "
                                  "bias stands in the capability alone"
                                : "a float that is called `scale`; a bias stands in the capability alone");
  }
}

}  // namespace

Numerics read_numerics(Elaboration& elaboration, const Node* node) {
  Scope& scope = elaboration.scope;
  Node none;
  none.kind = Node::Kind::map;
  const MapReader reader(scope, node ? *node : none, "numerics", "numerics");
  const std::size_t errors = scope.reporter().errors();
  Numerics numerics;
  numerics.storage = read_type(scope, reader.find("storage"), "storage", ElementType::i8);
  numerics.integer = !is_float(numerics.storage);
  numerics.weight = read_type(scope, reader.find("weight"), "weight", numerics.storage);
  check_signed(scope, numerics.storage, reader.find("storage"), "storage");
  check_signed(scope, numerics.weight, reader.find("weight"), "weight");
  const ElementType accumulator = numerics.integer ? ElementType::i32 : ElementType::fp32;
  const Node* const given = reader.find("accumulator");
  numerics.accumulator = read_type(scope, given, "accumulator", accumulator);
  if (given) elaboration.accumulator_place = given->place;
  check_sums(scope, numerics, given);
  set_default_requantisation(numerics);
  const Node* const requantise = reader.find("requantise");
  if (requantise) numerics.requantise = scope.text(*requantise, "requantise").value_or(numerics.requantise);
  const Node* const parameters = reader.find("parameters");
  if (parameters) {
    std::vector<Place> places;
    for (const NodeEntry& entry : scope.entries(parameters, "parameters", 16)) {
      numerics.parameters.push_back(read_parameter(scope, entry));
      places.push_back(entry.key.place);
    }
    if (scope.reporter().errors() == errors) check_roles(scope, numerics, places);
  } else if (numerics.integer) {
    numerics.parameters = {{"scale", ElementType::fp32, true}};
  }
  if (scope.reporter().errors() == errors) check_requantisation(elaboration, numerics, requantise, parameters);
  return numerics;
}

}  // namespace accord
