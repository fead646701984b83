#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "archdsl/check/elaborate.h"
#include "archdsl/source/error.h"
#include "archdsl/source/suggest.h"
#include "archdsl/tensor/parse.h"

namespace accord {

namespace {

constexpr std::int64_t greatest_extent = std::int64_t{1} << 40;
constexpr std::size_t most_statements = 64;
constexpr std::size_t longest_statement = 4096;

/// Reads one entry of `capabilities`.
class CapabilityReader {
 public:
  CapabilityReader(Elaboration& elaboration, const NodeEntry& entry, const Unit& unit)
      : elaboration_(elaboration),
        scope_(elaboration.scope),
        entry_(entry),
        unit_(unit),
        reader_(scope_, entry.value, "capability", fmt::format("capability `{}`", entry.key.text)) {}

  Capability read() {
    capability_.name = entry_.key.text;
    capability_.where = elaboration_.where(entry_.key.place);
    scope_.check_name(capability_.name, entry_.key.place, "capability");
    const Node* const does = reader_.find("does");
    const Node* const types = reader_.find("types");
    read_dims(reader_.find("dims"));
    const Node* const operands = reader_.find("operands");
    const Node* const timing = reader_.find("timing");
    capability_.pj_per_point = reader_.energy("energy");
    if (does && types && read_program(*does, *types)) {
      check_dims_used(*does);
      read_operands(operands);
      read_timing(timing);
    }
    return std::move(capability_);
  }

  /// False where an operand's memory is itself broken, which was reported there.
  bool operands_known() const { return operands_known_; }

 private:
  void report(std::string_view code, const Place& place, std::string message, std::string hint = {}) {
    scope_.reporter().report(code, place, std::move(message), std::move(hint));
  }

  void read_dims(const Node* node) {
    for (const NodeEntry& entry : scope_.entries(node, "dims", 32)) {
      if (!scope_.check_name(entry.key.text, entry.key.place, "dimension")) continue;
      capability_.dims.push_back(read_dim(entry));
      dim_places_.push_back(entry.key.place);
    }
  }

  CapabilityDim read_dim(const NodeEntry& entry) {
    CapabilityDim dim;
    dim.name = entry.key.text;
    if (entry.value.is_map()) {
      const MapReader reader(scope_, entry.value, "dimension", fmt::format("dimension `{}`", dim.name));
      dim.maximum = reader.integer("max");
      dim.multiple = reader.integer("multiple");
      dim.minimum = reader.integer("min", dim.multiple);
    } else if (const auto text = scope_.text(entry.value, fmt::format("dimension `{}`", dim.name))) {
      read_interval(entry.value, *text, dim);
    }
    if (dim.minimum > dim.maximum || dim.minimum % dim.multiple != 0 || dim.maximum % dim.multiple != 0) {
      report("bad-dimension", entry.value.place,
             fmt::format("dimension `{}`: {}..{} in multiples of {} is no range", dim.name, dim.minimum, dim.maximum,
                         dim.multiple));
    }
    return dim;
  }

  void read_interval(const Node& node, const std::string& text, CapabilityDim& dim) {
    const std::size_t dots = text.find("..");
    const auto end = [&](std::string_view part) -> std::optional<std::int64_t> {
      while (part.starts_with(' ')) part.remove_prefix(1);
      while (part.ends_with(' ')) part.remove_suffix(1);
      const auto value = parse_quantity(part);
      const bool legal = value && value->dimension == Dimension::none && value->integral && value->integer >= 1 &&
                         value->integer <= greatest_extent;
      return legal ? std::optional(value->integer) : std::nullopt;
    };
    const auto low = end(std::string_view(text).substr(0, dots));
    const auto high = dots == std::string::npos ? low : end(std::string_view(text).substr(dots + 2));
    if (!low || !high) {
      report("bad-dimension", node.place,
             fmt::format("dimension `{}`: `{}` is no range of whole numbers from 1 to 2^40", dim.name, text),
             "`16`, `1..16` or `{min: 8, max: 64, multiple: 8}`");
      return;
    }
    dim.minimum = *low;
    dim.maximum = *high;
  }

  bool read_types(const Node& node, StatementContext& context) {
    for (const NodeEntry& entry : scope_.entries(&node, "types", 64)) {
      const auto text = scope_.text(entry.value, fmt::format("type of `{}`", entry.key.text));
      const auto type = text ? parse_element_type(*text) : std::nullopt;
      scope_.check_name(entry.key.text, entry.key.place, "operand");
      context.operand_types[entry.key.text] = type.value_or(ElementType::i32);
      if (text && !type) {
        report("wrong-value", entry.value.place, fmt::format("`{}` is no element type", *text),
               "i4, i8, u8, i16, i32, i64, fp8e4m3, fp8e5m2, fp16, bf16, fp32");
      }
      for (std::size_t d = 0; d < capability_.dims.size(); ++d) {
        if (capability_.dims[d].name != entry.key.text) continue;
        report("duplicate-name", entry.key.place, fmt::format("`{}` is a dimension and an operand", entry.key.text));
      }
    }
    return node.is_map();
  }

  /// Parses the statements, up to the first mistake.
  bool read_program(const Node& does, const Node& types) {
    const std::size_t errors = scope_.reporter().errors();
    StatementContext context;
    if (!read_types(types, context)) return false;
    for (const CapabilityDim& dim : capability_.dims) context.iterator_order.push_back(dim.name);
    const std::vector<const Node*> items = items_of(does);
    if (items.empty() || items.size() > most_statements) {
      report("wrong-form", does.place, fmt::format("does is 1 to {} statements", most_statements));
      return false;
    }
    std::vector<std::string> texts;
    std::vector<ResolvedText> sources;
    for (const Node* const item : items) {
      if (!item->is_scalar()) {
        report("wrong-form", item->place, fmt::format("a statement is a single value, not {}", describe(item->kind)));
        return false;
      }
      auto resolved = scope_.resolve(*item);
      if (!resolved) return false;
      if (resolved->text.size() > longest_statement) {
        report("bad-statement", item->place, fmt::format("longer than {} characters", longest_statement));
        return false;
      }
      texts.push_back(resolved->text);
      sources.push_back(*std::move(resolved));
    }
    auto parsed = parse_statements(texts, context);
    if (const auto* const error = std::get_if<StatementError>(&parsed)) {
      const std::size_t s = error->statement;
      report("bad-statement", scope_.place_of(*items[s], sources[s], error->offset, error->length), error->message);
      return false;
    }
    capability_.program = std::get<TensorProgram>(std::move(parsed));
    check_types_used(types);
    for (std::size_t i = 0; i < items.size(); ++i) {
      check_assignment(scope_.place_of(*items[i], sources[i], 0, 1), capability_.program.statements[i]);
    }
    return scope_.reporter().errors() == errors;
  }

  /// `=` keeps one value where several are made.
  void check_assignment(const Place& place, const Statement& statement) {
    if (statement.reduction != Reduction::assign) return;
    std::set<int> kept;
    for (const AffineIndex& index : statement.target.indices) {
      for (const auto& [iterator, coefficient] : index.terms) kept.insert(iterator);
    }
    for (const int iterator : iterators_of(statement)) {
      const bool declared = iterator < std::ssize(capability_.dims);  // else that is the mistake
      if (kept.contains(iterator) || !declared) continue;
      const std::string& name = capability_.program.iterators[iterator].name;
      report("lost-sum", place, fmt::format("`=` keeps what the last `{}` gives: the target has no `{}`", name, name),
             "`+=`, `max=` or `min=` combine what all give");
    }
  }

  void check_types_used(const Node& types) {
    for (const NodeEntry& entry : types.entries) {
      if (operand(entry.key.text) < 0) {
        report("bad-operand", entry.key.place, fmt::format("no statement uses the operand `{}`", entry.key.text));
      }
    }
  }

  void check_dims_used(const Node& does) {
    std::set<int> used;
    for (const Statement& statement : capability_.program.statements) {
      for (const int iterator : iterators_of(statement)) used.insert(iterator);
    }
    const auto& iterators = capability_.program.iterators;
    for (std::size_t i = 0; i < iterators.size(); ++i) {
      if (i >= capability_.dims.size()) {
        report("bad-dimension", does.place,
               fmt::format("`{}` is neither an operand nor a dimension", iterators[i].name),
               fmt::format("give it a range: dims: {{{}: 1..16}}", iterators[i].name));
        CapabilityDim dim;
        dim.name = iterators[i].name;
        capability_.dims.push_back(dim);
      } else if (!used.contains(static_cast<int>(i))) {
        report("bad-dimension", dim_places_[i], fmt::format("no statement uses the dimension `{}`", iterators[i].name));
      }
    }
  }

  int operand(std::string_view name) const {
    const auto& operands = capability_.program.operands;
    const auto found = std::find_if(operands.begin(), operands.end(), [&](const Operand& o) { return o.name == name; });
    return found == operands.end() ? -1 : static_cast<int>(found - operands.begin());
  }

  void read_operands(const Node* node) {
    const auto& operands = capability_.program.operands;
    capability_.operands.resize(operands.size());
    std::vector<std::string> names;
    for (const Operand& o : operands) names.push_back(o.name);
    for (const NodeEntry& entry : scope_.entries(node, "operands", 64)) {
      const int index = operand(entry.key.text);
      if (index < 0) {
        report("unknown-name", entry.key.place, fmt::format("the statements have no operand `{}`", entry.key.text),
               did_you_mean(entry.key.text, names));
        continue;
      }
      const auto i = static_cast<std::size_t>(index);
      capability_.operands[i] = read_operand(entry, operands[i]);
      operands_known_ = operands_known_ && capability_.operands[i].memory >= 0;
    }
    for (const Operand& o : operands) {
      if (o.rank > 0 && !(node && node->find(o.name))) {
        report("bad-operand", entry_.key.place,
               fmt::format("operand `{}` of `{}` lies in no memory", o.name, capability_.name),
               fmt::format("operands: {{{}: MEMORY}}", o.name));
      }
    }
  }

  CapabilityOperand read_operand(const NodeEntry& entry, const Operand& operand) {
    CapabilityOperand result;
    result.steps.resize(static_cast<std::size_t>(operand.rank));
    const std::string what = fmt::format("operand `{}`", entry.key.text);
    if (!entry.value.is_map()) {
      const auto memory = scope_.text(entry.value, what);
      if (memory) result.memory = elaboration_.resolve(ComponentKind::memory, *memory, entry.value.place, what);
      return result;
    }
    const MapReader reader(scope_, entry.value, "operand", what);
    if (const Node* const in = reader.find("in")) {
      const auto memory = scope_.text(*in, "in");
      if (memory) result.memory = elaboration_.resolve(ComponentKind::memory, *memory, in->place, what);
    }
    result.held = reader.flag("held");
    if (const Node* const steps = reader.find("steps")) read_steps(*steps, operand, result.steps);
    return result;
  }

  void read_steps(const Node& node, const Operand& operand, std::vector<Step>& steps) {
    const std::vector<const Node*> items = items_of(node);
    if (items.size() != steps.size()) {
      report("bad-operand", node.place,
             fmt::format("operand `{}` has rank {} but {} steps", operand.name, steps.size(), items.size()));
      return;
    }
    const std::int64_t element = bytes(operand.type);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i]->is_scalar() && items[i]->text == "free") continue;
      steps[i] = {Step::Kind::fixed, scope_.bytes(*items[i], "a step", {0, greatest_extent}).value_or(0)};
      if (steps[i].bytes <= 0 || steps[i].bytes >= element) continue;
      report("bad-operand", items[i]->place,
             fmt::format("elements of `{}` take {} B, but lie {} B apart", operand.name, element, steps[i].bytes),
             fmt::format("{} B where they lie side by side, 0 B where all are the same", element));
    }
  }

  void read_timing(const Node* node) {
    std::vector<std::string> variables;
    for (const CapabilityDim& dim : capability_.dims) variables.push_back(dim.name);
    for (std::size_t i = 0; i < capability_.operands.size(); ++i) {
      if (capability_.operands[i].held)
        variables.push_back(fmt::format("{}.load", capability_.program.operands[i].name));
    }
    if (unit_.kind == UnitKind::compute) capability_.interval = Formula("1", variables);
    if (!node) return;
    const MapReader reader(scope_, *node, "timing", "timing");
    read_formula(reader.find("start"), variables, capability_.start);
    read_formula(reader.find("interval"), variables, capability_.interval);
    read_formula(reader.find("drain"), variables, capability_.drain);
  }

  void read_formula(const Node* node, const std::vector<std::string>& variables, Formula& formula) {
    if (!node) return;
    if (!node->is_scalar()) {
      report("wrong-form", node->place, fmt::format("a formula is a single value, not {}", describe(node->kind)));
      return;
    }
    const auto resolved = scope_.resolve(*node);
    if (!resolved) return;
    try {
      formula = Formula(resolved->text, variables);
    } catch (const Error& error) {
      const std::string_view message = error.what();
      std::size_t offset = 0;
      const auto end = std::from_chars(message.data() + 1, message.data() + message.size(), offset).ptr;
      const auto text = message.substr(static_cast<std::size_t>(end - message.data()) + 2);
      report("bad-formula", scope_.place_of(*node, *resolved, offset, 1), std::string(text), unheld(text));
    }
  }

  /// A hint where the message is of an operand's load that is not held.
  std::string unheld(std::string_view message) const {
    for (const Operand& operand : capability_.program.operands) {
      if (message.find(fmt::format("`{}.load`", operand.name)) == std::string_view::npos) continue;
      return fmt::format("`{0}.load` is 1 where an instruction loads `{0}`, which needs `held: true`", operand.name);
    }
    return {};
  }

  Elaboration& elaboration_;
  Scope& scope_;
  const NodeEntry& entry_;
  const Unit& unit_;
  MapReader reader_;
  Capability capability_;
  std::vector<Place> dim_places_;
  bool operands_known_ = true;
};

}  // namespace

void read_capabilities(Elaboration& elaboration, const Node* node, Unit& unit, UnitSource& source) {
  for (const NodeEntry& entry : elaboration.scope.entries(node, "capabilities", 256)) {
    const std::size_t errors = elaboration.scope.reporter().errors();
    CapabilityReader reader(elaboration, entry, unit);
    unit.capabilities.push_back(reader.read());
    source.capability_places.push_back(entry.key.place);
    source.capability_sound.push_back(reader.operands_known() && elaboration.scope.reporter().errors() == errors);
  }
}

}  // namespace accord
