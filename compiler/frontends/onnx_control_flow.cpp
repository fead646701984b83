#include "compiler/frontends/onnx_control_flow.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_bodies.h"
#include "compiler/frontends/onnx_node.h"
#include "compiler/network/constants.h"

namespace accord {
namespace {

const onnx::GraphProto& graph_of(const onnx::NodeProto& node, const char* name) {
  const auto* attribute = find_attribute(node.attribute(), name);
  if (attribute == nullptr || !attribute->has_g()) throw Error(fmt::format("no graph `{}`", name));
  return attribute->g();
}

onnx::NodeProto integer_node(const std::string& output, std::int64_t value, const Shape& shape = {}) {
  onnx::TensorProto tensor;
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_int64_data(value);
  for (const auto size : shape) tensor.add_dims(size);
  return constant_node(output, std::move(tensor));
}

onnx::NodeProto axis_node(const char* op, const std::vector<std::string>& inputs, const std::string& output,
                          std::int64_t axis) {
  onnx::NodeProto node = make_node(op, inputs, output);
  add_attribute(node, "axis", onnx::AttributeProto::INT).set_i(axis);
  return node;
}

/// A body whose steps stand one after another.
class Unrolling {
 public:
  Unrolling(const onnx::NodeProto& node, std::string name, const GraphAround& around)
      : node_(node), name_(std::move(name)), around_(around) {}

  void branch() {
    if (node_.input_size() != 1) throw Error("an If has one input");
    const auto condition = known(node_.input(0));
    if (!condition) return both_branches();
    const auto results = take_branch(*condition != 0 ? "then_branch" : "else_branch");
    for (int i = 0; i < node_.output_size(); ++i) copy(results[static_cast<std::size_t>(i)], node_.output(i));
  }

  void loop() {
    const auto& body = graph_of(node_, "body");
    const int states = body.input_size() - 2;
    if (states < 0 || node_.input_size() != 2 + states || body.output_size() < 1 + states ||
        node_.output_size() > body.output_size() - 1) {
      throw Error("the inputs and outputs of its body do not fit its own");
    }
    const std::int64_t most = trips(node_.input(0));
    std::string condition = node_.input(1);
    start({node_.input().begin() + 2, node_.input().end()}, body.output_size() - 1 - states);
    BodyNames shared = constants(body, name_ + ":");
    const bool counts_alone = condition.empty();  // what its body makes of the condition is then ignored
    for (std::int64_t i = 0; i < most && goes_on(condition); ++i) {
      BodyNames names = begin_step(shared, i);
      bind_number(names, body.input(0).name(), i);
      if (condition.empty())
        bind_number(names, body.input(1).name(), 1);
      else
        names.bind(body.input(1).name(), condition);
      finish_step(body, names, 2, 1);
      if (!counts_alone) condition = names(body.output(0).name());
    }
    gather(std::vector<std::int64_t>(rows_.size(), 0), std::vector<bool>(rows_.size(), false));
  }

  void scan() {
    if (around_.opset < 9) throw Error("Scan before opset 9 is not supported");
    const auto& body = graph_of(node_, "body");
    const auto* scanned = find_attribute(node_.attribute(), "num_scan_inputs");
    const int inputs = body.input_size();
    if (scanned == nullptr || scanned->i() < 1 || scanned->i() > inputs || node_.input_size() != inputs) {
      throw Error("the inputs of its body do not fit its own");
    }
    const int rows = static_cast<int>(scanned->i()), states = inputs - rows;
    if (body.output_size() < states || node_.output_size() > body.output_size()) {
      throw Error("the outputs of its body do not fit its own");
    }
    const std::size_t results = static_cast<std::size_t>(body.output_size() - states);
    const auto in_axes = list("scan_input_axes", static_cast<std::size_t>(rows));
    const auto in_backwards = list("scan_input_directions", static_cast<std::size_t>(rows));
    const std::int64_t steps = length_of(states, in_axes);
    start({node_.input().begin(), node_.input().begin() + states}, static_cast<int>(results));
    BodyNames shared = constants(body, name_ + ":");
    for (std::int64_t i = 0; i < steps; ++i) {
      BodyNames names = begin_step(shared, i);
      for (int r = 0; r < rows; ++r) {
        const auto at = static_cast<std::size_t>(r);
        take_row(names, body.input(states + r).name(), node_.input(states + r), in_axes[at],
                 in_backwards[at] != 0 ? steps - 1 - i : i);
      }
      finish_step(body, names, 0, 0);
    }
    const auto backwards = list("scan_output_directions", results);
    gather(list("scan_output_axes", results), {backwards.begin(), backwards.end()});
  }

 private:
  /// Names of its results.
  std::vector<std::string> take_branch(const char* which) const {
    const auto& body = graph_of(node_, which);
    if (body.output_size() != node_.output_size())
      throw Error(fmt::format("the outputs of `{}` are not its own", which));
    BodyNames names = constants(body, fmt::format("{}:{}:", name_, which));
    step(body, names);
    std::vector<std::string> results;
    for (const auto& output : body.output()) results.push_back(names(output.name()));
    return results;
  }

  /// Which one is taken the model's inputs say: both are computed, and one is chosen.
  void both_branches() const {
    const auto yes = take_branch("then_branch"), no = take_branch("else_branch");
    around_.warn(fmt::format("'{}': its condition depends on the model's inputs; both branches are computed", name_));
    for (int i = 0; i < node_.output_size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (around_.tensor(yes[at]).shape != around_.tensor(no[at]).shape) {
        throw Error("its condition depends on the model's inputs, and its branches give different shapes");
      }
      around_.import({make_node("Where", {node_.input(0), yes[at], no[at]}, node_.output(i))});
    }
  }

  std::optional<std::int64_t> known(const std::string& tensor) const {
    const Tensor& found = around_.tensor(tensor);
    if (!found.is_constant() || element_count(found.shape) != 1) return std::nullopt;
    return integers_of(found).front();
  }

  std::int64_t trips(const std::string& tensor) const {
    if (tensor.empty()) return std::numeric_limits<std::int64_t>::max();
    const auto count = known(tensor);
    if (!count) throw Error("its number of steps depends on the model's inputs");
    return *count;
  }

  bool goes_on(const std::string& condition) const {
    if (condition.empty()) return true;
    const auto value = known(condition);
    if (!value) throw Error("its condition depends on the model's inputs");
    return *value != 0;
  }

  /// All rows are as many.
  std::int64_t length_of(int states, const std::vector<std::int64_t>& axes) const {
    std::optional<std::int64_t> length;
    for (std::size_t r = 0; r < axes.size(); ++r) {
      const Shape& shape = around_.tensor(node_.input(states + static_cast<int>(r))).shape;
      const auto size = shape[static_cast<std::size_t>(normalise_axis(axes[r], shape.size()))];
      if (length.value_or(size) != size) throw Error("its inputs have different lengths");
      length = size;
    }
    return *length;
  }

  std::vector<std::int64_t> list(const char* attribute, std::size_t count) const {
    const auto* given = find_attribute(node_.attribute(), attribute);
    if (given == nullptr || given->ints().empty()) return std::vector<std::int64_t>(count, 0);
    if (static_cast<std::size_t>(given->ints_size()) != count) {
      throw Error(fmt::format("{} numbers in `{}` where {} are needed", given->ints_size(), attribute, count));
    }
    return {given->ints().begin(), given->ints().end()};
  }

  void start(std::vector<std::string> states, int results) {
    states_ = std::move(states);
    rows_.resize(static_cast<std::size_t>(results));
  }

  /// Its initialisers, once for all steps, and the names that know them.
  BodyNames constants(const onnx::GraphProto& body, const std::string& prefix) const {
    BodyNames names(prefix);
    around_.import(constants_of(body, names));
    return names;
  }

  BodyNames begin_step(const BodyNames& shared, std::int64_t i) const {
    BodyNames names = shared;
    names.set_prefix(fmt::format("{}:{}:", name_, i));
    return names;
  }

  void bind_number(BodyNames& names, const std::string& inner, std::int64_t value) const {
    names.define(inner);
    around_.import({integer_node(names(inner), value)});
  }

  void take_row(BodyNames& names, const std::string& inner, const std::string& table, std::int64_t axis,
                std::int64_t row) const {
    names.define(inner);
    const std::string index = names(inner) + ":at";
    around_.import({integer_node(index, row), axis_node("Gather", {table, index}, names(inner), axis)});
  }

  /// The states go in from input `first_in` on, and come out from output `first_out` on; results behind them.
  void finish_step(const onnx::GraphProto& body, BodyNames& names, int first_in, int first_out) {
    for (std::size_t s = 0; s < states_.size(); ++s) {
      names.bind(body.input(first_in + static_cast<int>(s)).name(), states_[s]);
    }
    step(body, names);
    int output = first_out;
    for (auto& state : states_) state = names(body.output(output++).name());
    for (auto& rows : rows_) rows.push_back(names(body.output(output++).name()));
  }

  void step(const onnx::GraphProto& body, BodyNames& names) const {
    std::vector<onnx::NodeProto> nodes;
    names.define_all(body.node());
    for (const auto& node : body.node()) nodes.push_back(names.rename(node));
    for (const auto& output : body.output()) around_.use(names(output.name()));
    around_.import(nodes);
  }

  void copy(const std::string& from, const std::string& to) const {
    if (!to.empty()) around_.import({make_node("Identity", {from}, to)});
  }

  /// The last states, and each result's rows in one tensor.
  void gather(const std::vector<std::int64_t>& axes, const std::vector<bool>& backwards) {
    const auto states = static_cast<int>(states_.size());
    for (int o = 0; o < node_.output_size(); ++o) {
      if (o < states)
        copy(states_[static_cast<std::size_t>(o)], node_.output(o));
      else if (!node_.output(o).empty())
        join(static_cast<std::size_t>(o - states), node_.output(o), axes, backwards);
    }
  }

  void join(std::size_t result, const std::string& output, const std::vector<std::int64_t>& axes,
            const std::vector<bool>& backwards) {
    auto rows = rows_[result];
    if (rows.empty()) throw Error(fmt::format("its result '{}' is empty", output));
    if (backwards[result]) std::reverse(rows.begin(), rows.end());
    const std::int64_t axis = normalise_axis(axes[result], around_.tensor(rows.front()).shape.size(), true);
    std::vector<onnx::NodeProto> nodes;
    const std::string axes_name = output + ":axes";
    if (around_.opset >= 13) nodes.push_back(integer_node(axes_name, axis, {1}));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string row = fmt::format("{}:{}", output, i);
      nodes.push_back(unsqueeze_node(rows[i], axes_name, row, axis));
      rows[i] = row;
    }
    nodes.push_back(axis_node("Concat", rows, output, axis));
    around_.import(nodes);
  }

  onnx::NodeProto unsqueeze_node(const std::string& input, const std::string& axes_name, const std::string& output,
                                 std::int64_t axis) const {
    if (around_.opset >= 13) return make_node("Unsqueeze", {input, axes_name}, output);
    onnx::NodeProto node = make_node("Unsqueeze", {input}, output);
    add_attribute(node, "axes", onnx::AttributeProto::INTS).add_ints(axis);
    return node;
  }

  const onnx::NodeProto& node_;
  const std::string name_;
  const GraphAround& around_;
  std::vector<std::string> states_;             ///< names of the loop-carried values now
  std::vector<std::vector<std::string>> rows_;  ///< of each result a name per step
};

}  // namespace

bool is_control_flow(const onnx::NodeProto& node) {
  const auto& type = node.op_type();
  return (node.domain().empty() || node.domain() == "ai.onnx") && (type == "If" || type == "Loop" || type == "Scan");
}

void inline_control_flow(const onnx::NodeProto& node, const std::string& name, const GraphAround& around) {
  Unrolling unrolling(node, name, around);
  if (node.op_type() == "If") return unrolling.branch();
  if (node.op_type() == "Loop") return unrolling.loop();
  unrolling.scan();
}

}  // namespace accord
