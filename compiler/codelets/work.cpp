#include "compiler/codelets/work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/parse.h"
#include "compiler/codelets/expand.h"
#include "compiler/codelets/variables.h"
#include "compiler/network/canonicalise.h"
#include "compiler/network/operator_error.h"

namespace accord {
namespace {

constexpr double largest_literal = 9007199254740992.0;  ///< of integers: 2^53

std::string number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  // Whole numbers that an integer literal could not hold are written as floats.
  return std::abs(value) < largest_literal ? fmt::format("{:.17g}", value) : fmt::format("{:.17e}", value);
}

/// The element of a constant that has one, where a literal can say it.
std::optional<double> number_of(const Tensor& tensor) {
  if (!tensor.is_constant() || element_count(tensor.shape) != 1) return std::nullopt;
  const double value = load_element(tensor.data->data(), tensor.type);
  const bool is_beyond = !is_float(tensor.type) && std::abs(value) >= largest_literal;
  return std::isnan(value) || is_beyond ? std::nullopt : std::optional(value);
}

/// `lowest`, an attribute of the operator, which may be absent, or a number.
double outside_value(const Operator& op, const std::string& text, ElementType type) {
  if (text == "lowest") return lowest(type);
  return std::isalpha(static_cast<unsigned char>(text[0])) != 0 ? attribute(op, text, 0.0) : std::stod(text);
}

std::string lowest_text(ElementType type) { return is_float(type) ? "-inf" : number(lowest(type)); }

/// Errors of `fn` are those of a codelet's file.
template <typename Fn>
void at_place(const std::string& where, Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", where, error.what()));
  }
}

/// Puts one operator after another into a common program.
class Builder {
 public:
  Builder(const Network& network, const CodeletLibrary& library) : network_(network), library_(library) {
    context_.lookups = true;
  }

  void append(int op_index) {
    const Operator& op = network_.operators[op_index];
    const std::size_t before = texts_.size();
    if (!append_generated(op)) append_codelet(op);
    work_.operators.push_back(op_index);
    for (std::size_t i = before; i < texts_.size(); ++i) {
      work_.operator_of.push_back(static_cast<int>(work_.operators.size()) - 1);
    }
  }

  Work finish(bool keeps_ones);

 private:
  bool append_generated(const Operator& op);
  void append_codelet(const Operator& op);
  std::string operand_name(TensorId tensor);
  std::string declare(const std::string& name, ElementType type, WorkOperand operand);
  void set_index(const Codelet& codelet, const Operator& op);
  void add_literals(const Codelet& codelet, const Operator& op, Expansion& expansion);
  void add_variables(const Codelet& codelet, const Operator& op, const Expansion& expansion, Variables& variables);
  void add_counted(const Codelet& codelet, const Operator& op, Expansion& expansion);
  std::string with_numbers(std::string text, const Expansion& expansion) const;
  std::string expanded(const Operator& op, const std::string& statement, const Expansion& expansion) const;
  void add_text(std::string text, std::string where = "") {
    texts_.push_back(std::move(text));
    places_.push_back(std::move(where));
  }
  void iterator(const std::string& name, std::int64_t extent);

  const Network& network_;
  const CodeletLibrary& library_;
  Work work_;
  std::vector<std::string> texts_;
  std::vector<std::string> places_;  ///< of texts that come from a codelet's file
  std::vector<std::string> index_;
  std::map<TensorId, TensorId> alias_;
  std::set<TensorId> written_;  ///< by the operators so far
  std::map<std::string, std::pair<ElementType, WorkOperand>> declared_;
  StatementContext context_;
  std::map<std::string, std::int64_t> extents_;
  int temporaries_ = 0;
};

void Builder::iterator(const std::string& name, std::int64_t extent) {
  if (extents_.emplace(name, extent).second) context_.iterator_order.push_back(name);
}

std::string Builder::declare(const std::string& name, ElementType type, WorkOperand operand) {
  context_.operand_types[name] = type;
  declared_[name] = {type, std::move(operand)};
  return name;
}

std::string Builder::operand_name(TensorId tensor) {
  if (const auto it = alias_.find(tensor); it != alias_.end()) tensor = it->second;
  const std::string name = fmt::format("t{}", tensor);
  if (declared_.count(name) == 0) {
    const Tensor& known = network_.tensors[tensor];
    declare(name, known.type, {tensor, known.shape, 0, known.is_constant(), number_of(known)});
  }
  return name;
}

/// The first operator's output index is everybody's.
void Builder::set_index(const Codelet& codelet, const Operator& op) {
  if (!index_.empty()) return;
  const Shape& shape = network_.tensors[op.outputs[0]].shape;
  const std::size_t named = codelet.index.empty() ? 0 : codelet.index.size();
  if (codelet.index.empty() || codelet.index[0].starts_with("@outer")) {
    const std::size_t fixed = named == 0 ? 0 : named - 1;
    const std::size_t leading = shape.size() - std::min(fixed, shape.size());
    for (std::size_t i = 0; i < leading; ++i) {
      iterator(fmt::format("d{}", i), shape[i]);
      index_.push_back(fmt::format("d{}", i));
    }
  }
  for (const auto& text : codelet.index) {
    if (!text.starts_with("@")) index_.push_back(text);
  }
  if (index_.size() != shape.size()) {
    throw OperatorError(
        op, fmt::format("the codelet is for results of rank {}, this one has {}", index_.size(), shape.size()));
  }
}

void Builder::add_literals(const Codelet& codelet, const Operator& op, Expansion& expansion) {
  const ElementType type = network_.tensors[op.outputs[0]].type;
  expansion.literals["acc"] = expansion.literals["TYPE"] = std::string(name(type));
  expansion.literals["LOWEST"] = lowest_text(type);
  auto add = [&](const std::string& key, const std::vector<double>& values) {
    std::string upper = key;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    if (values.size() == 1) expansion.literals[upper] = number(values[0]);
  };
  for (const auto& [key, values] : codelet.defaults) add(key, values);
  for (const auto& [key, value] : op.attributes) add(key, attribute_numbers(value));
}

void Builder::add_variables(const Codelet& codelet, const Operator& op, const Expansion& expansion,
                            Variables& variables) {
  for (const auto& [key, tensor] : expansion.tensors) variables.add_shape(key, network_.tensors[tensor].shape);
  auto add = [&](const std::string& key, const std::vector<double>& values) {
    if (values.size() == 1) variables.add(key, static_cast<std::int64_t>(values[0]));
    for (std::size_t i = 0; i < values.size(); ++i) {
      variables.add(fmt::format("{}_{}", key, i), static_cast<std::int64_t>(values[i]));
    }
  };
  for (const auto& [key, values] : codelet.defaults) {
    if (op.attributes.count(key) == 0) add(key, values);
  }
  for (const auto& [key, value] : op.attributes) add(key, attribute_numbers(value));
}

/// A tensor of ones over the input's plane, so that sums of it count the positions inside.
void Builder::add_counted(const Codelet& codelet, const Operator& op, Expansion& expansion) {
  if (codelet.counted.empty()) return;
  const Shape& shape = network_.tensors[expansion.tensors.at(codelet.counted)].shape;
  const bool all = attribute(op, "count_include_pad", std::int64_t{0}) != 0;
  const std::string ones = declare(fmt::format("inside{}", temporaries_++), ElementType::fp32,
                                   {no_tensor, {shape[2], shape[3]}, all ? 1.0 : 0.0, false});
  expansion.names["inside"] = ones;
  iterator("in_p", shape[2]);
  iterator("in_q", shape[3]);
  add_text(ones + "[in_p, in_q] = 1");
}

/// A constant of one element that broadcasts (`b[@b]`) is a number: scalar arguments of capabilities can take it.
std::string Builder::with_numbers(std::string text, const Expansion& expansion) const {
  for (const auto& [key, tensor] : expansion.tensors) {
    const auto value = number_of(network_.tensors[tensor]);
    if (!value) continue;
    const std::string access = fmt::format("{0}[@{0}]", key);
    for (auto at = text.find(access); at != std::string::npos; at = text.find(access)) {
      text.replace(at, access.size(), fmt::format("({})", number(*value)));
    }
  }
  return text;
}

/// Without statements where the operator has a codelet, or nothing.
Generated generate(const Network& network, const Operator& op) {
  Generated generated = movement_statements(network, op);
  if (generated.statements.empty()) generated = reduction_statements(network, op);
  if (generated.statements.empty()) generated = selection_statements(network, op);
  return generated;
}

bool Builder::append_generated(const Operator& op) {
  Generated generated = generate(network_, op);
  if (generated.statements.empty()) return false;
  written_.insert(op.outputs.begin(), op.outputs.end());
  Expansion expansion;
  for (const auto& it : generated.iterators) iterator(it.name, it.extent);
  for (const auto& [key, tensor] : generated.tensors) expansion.names[key] = operand_name(tensor);
  for (const auto& [key, value] : generated.outside) declared_[expansion.names.at(key)].second.outside = value;
  for (const auto& key : generated.temporaries) {
    expansion.names[key] = declare(fmt::format("{}{}", key, temporaries_++), generated.temporary_type, {});
  }
  for (const auto& text : generated.statements) add_text(expand(text, expansion));
  return true;
}

void Builder::append_codelet(const Operator& op) {
  const Codelet* codelet = library_.find(op.type);
  if (codelet == nullptr) {
    const auto why = canonical_obstacle(network_, op);
    throw OperatorError(op, "it has no codelet" + (why.empty() ? "" : ": " + why));
  }
  Expansion expansion{&network_, &op, {}, {}, {}, {}, -1};
  auto inputs = codelet->inputs;
  if (codelet->parameters) {
    const auto names = attribute(op, "parameters", std::string());
    for (std::size_t at = 0; at < names.size();) {
      const auto comma = std::min(names.find(',', at), names.size());
      inputs.push_back(names.substr(at, comma - at));
      at = comma + 1;
    }
  }
  if (op.inputs.size() > inputs.size()) {
    throw OperatorError(op, fmt::format("it has {} inputs, its codelet {}", op.inputs.size(), inputs.size()));
  }
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] != no_tensor) expansion.tensors[inputs[i]] = op.inputs[i];
  }
  for (std::size_t i = 0; i < codelet->outputs.size(); ++i) expansion.tensors[codelet->outputs[i]] = op.outputs[i];
  std::vector<std::string> copies;
  for (const auto& [output, input] : codelet->in_place) {
    const TensorId source = expansion.tensors.at(input);
    if (written_.count(source) == 0) {
      copies.push_back(fmt::format("{0}[@] = {1}[@{1}]", output, input));
      continue;
    }
    const auto it = alias_.find(source);
    const TensorId first = it == alias_.end() ? source : it->second, result = expansion.tensors.at(output);
    alias_[result] = first;
    declared_.at(operand_name(first)).second.tensor = result;  // what came before it is overwritten
  }
  written_.insert(op.outputs.begin(), op.outputs.end());
  for (const auto& [key, tensor] : expansion.tensors) expansion.names[key] = operand_name(tensor);

  set_index(*codelet, op);
  expansion.index = index_;
  const int rank = static_cast<int>(index_.size());
  const auto axis_default = codelet->defaults.count("axis") ? static_cast<std::int64_t>(codelet->defaults.at("axis")[0])
                                                            : std::min(rank - 1, 1);
  expansion.axis = static_cast<int>(attribute(op, "axis", axis_default));
  if (expansion.axis < 0) expansion.axis += rank;
  if (rank > 0 && expansion.axis >= rank)
    throw Error(fmt::format("{}: axis {} of rank {}", op.name, expansion.axis, rank));

  add_literals(*codelet, op, expansion);
  Variables variables;
  add_variables(*codelet, op, expansion, variables);
  at_place(codelet->where, [&] {
    for (const auto& [key, text] : codelet->iterators) iterator(key, variables.extent(key, text));
    for (const auto& [key, text] : codelet->constants) context_.constants[key] = variables.evaluate(text);
  });
  for (const auto& key : codelet->temporaries) {
    expansion.names[key] = declare(fmt::format("{}{}", key, temporaries_++), ElementType::fp32, {});
  }
  add_counted(*codelet, op, expansion);
  for (const auto& [key, text] : codelet->outside) {
    declared_[expansion.names.at(key)].second.outside =
        outside_value(op, text, network_.tensors[expansion.tensors.at(key)].type);
  }
  for (const std::string& copy : copies) add_text(expand(copy, expansion));
  const auto given = [&](const std::string& key) {
    return expansion.tensors.contains(key) || op.attributes.contains(key);
  };
  for (const auto& statement : codelet->statements) {
    if (!statement.when.empty() && !given(statement.when)) continue;
    if (!statement.unless.empty() && given(statement.unless)) continue;
    at_place(statement.where, [&] { add_text(expanded(op, statement.text, expansion), statement.where); });
  }
}

/// A statement's text; of one with `EXPRESSION`, with the operator's expression in its place.
std::string Builder::expanded(const Operator& op, const std::string& statement, const Expansion& expansion) const {
  std::string text = with_numbers(statement, expansion);
  const auto at = text.find("EXPRESSION");
  if (at == std::string::npos) return expand(text, expansion);
  Expansion inner = expansion;
  for (const char* bound : {"lo", "hi"}) inner.literals[bound] = number(attribute(op, bound, 0.0));
  for (auto& [key, as] : inner.names) {
    as += key == "x" ? "[@]" : "[@axis]";
    Expansion renamed = expansion;
    const auto bracket = as.find('[');
    renamed.tensors[as.substr(0, bracket)] = expansion.tensors.at(key);
    renamed.names.clear();
    as = expand(as, renamed);
  }
  text.replace(at, 10, "\x01");
  text = expand(text, expansion);
  return text.replace(text.find('\x01'), 1, expand(attribute(op, "expression", std::string()), inner));
}

/// `keeps_ones`: of an index of nothing else, the last one stays: the channel, not its group.
void drop_unit_iterators(TensorProgram& program, bool keeps_ones) {
  const auto counts_one = [&](const auto& term) { return program.iterators[term.first].extent == 1; };
  auto clean = [&](Access& access) {
    for (auto& index : access.indices) {
      if (index.terms.empty()) continue;
      const bool keeps = keeps_ones && std::ranges::all_of(index.terms, counts_one);
      const auto last = index.terms.back();
      std::erase_if(index.terms, counts_one);
      if (keeps) index.terms.push_back(last);
    }
  };
  for (auto& statement : program.statements) {
    clean(statement.target);
    for (auto& access : statement.accesses) clean(access);
  }
}

/// Temporaries take the shape that their target's index spans.
void shape_temporaries(const TensorProgram& program, std::vector<WorkOperand>& operands) {
  for (const auto& statement : program.statements) {
    WorkOperand& operand = operands[statement.target.operand];
    if (operand.tensor != no_tensor || !operand.shape.empty()) continue;
    for (const auto& index : statement.target.indices) {
      std::int64_t extent = 1 + index.offset;
      for (const auto& [it, coefficient] : index.terms) extent += coefficient * (program.iterators[it].extent - 1);
      operand.shape.push_back(extent);
    }
  }
}

Work Builder::finish(bool keeps_ones) {
  auto parsed = parse_statements(texts_, context_);
  if (const auto* error = std::get_if<StatementError>(&parsed)) {
    const std::string& where = places_.at(error->statement);
    throw Error(fmt::format("{}{}codelet statement \"{}\", column {}: {}", where, where.empty() ? "" : ": ",
                            texts_.at(error->statement), error->offset + 1, error->message));
  }
  work_.program = std::get<TensorProgram>(std::move(parsed));
  for (auto& it : work_.program.iterators) {
    const auto extent = extents_.find(it.name);
    if (extent == extents_.end()) throw Error(fmt::format("codelet iterator {} has no extent", it.name));
    it.extent = extent->second;
  }
  drop_unit_iterators(work_.program, keeps_ones);
  for (const auto& operand : work_.program.operands) work_.operands.push_back(declared_.at(operand.name).second);
  shape_temporaries(work_.program, work_.operands);
  return std::move(work_);
}

}  // namespace

bool has_statements(const Network& network, const Operator& op, const CodeletLibrary& library) {
  return library.find(op.type) != nullptr || !generate(network, op).statements.empty();
}

Work instantiate(const Network& network, const std::vector<int>& operators, const CodeletLibrary& library,
                 bool keeps_ones) {
  Builder builder(network, library);
  for (const int op : operators) builder.append(op);
  return builder.finish(keeps_ones);
}

std::string unused_name(const TensorProgram& program, std::string name) {
  while (std::ranges::find(program.iterators, name, &Iterator::name) != program.iterators.end()) name += "_";
  return name;
}

int add_iterator(TensorProgram& program, std::string name, std::int64_t extent) {
  program.iterators.push_back({unused_name(program, std::move(name)), extent});
  return static_cast<int>(program.iterators.size()) - 1;
}

}  // namespace accord
