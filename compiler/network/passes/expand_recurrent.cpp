// LSTM, GRU and RNN: one product gives what all steps' inputs add to the gates; step by step a product of the state and
// element-wise operators follow. All steps of a direction multiply by the same constant.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

#include "compiler/network/constants.h"
#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"
#include "compiler/network/passes/sequence_lengths.h"

namespace accord {

namespace {

constexpr std::int64_t most_steps = 8192;  ///< of one operator: each becomes about ten operators

/// ONNX's gate orders.
enum LstmGate { lstm_input, lstm_output, lstm_forget, lstm_cell, lstm_gates };
enum GruGate { gru_update, gru_reset, gru_candidate, gru_gates };

std::int64_t gates_of(const std::string& type) { return type == "LSTM" ? lstm_gates : type == "GRU" ? gru_gates : 1; }

/// Inputs in ONNX's order.
enum Input : std::size_t { in_x, in_w, in_r, in_b, in_lengths, in_h, in_c, in_peepholes };

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto comma = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return words;
}

/// One LSTM, GRU or RNN.
class RecurrentExpansion {
 public:
  RecurrentExpansion(Network& network, const Operator& op, std::vector<Operator>& operators)
      : network_(network), op_(op), list_(network, op.name, operators) {
    const auto& x = network.tensor(op.inputs[in_x]).shape;
    steps_ = x[0];
    batch_ = x[1];
    width_ = x[2];
    gates_ = gates_of(op.type);
    hidden_ = network.tensor(op.inputs[in_r]).shape[2];
    directions_ = network.tensor(op.inputs[in_w]).shape[0];
  }

  /// Why it cannot be expanded; empty if it can.
  std::string obstacle() const {
    if (attribute(op_, "clip", 0.0) != 0) return "clip is not supported";
    if (attribute(op_, "input_forget", std::int64_t{0}) != 0) return "input_forget is not supported";
    if (steps_ > most_steps) return fmt::format("{} steps are more than {}", steps_, most_steps);
    for (const auto input : {in_w, in_r, in_b, in_peepholes}) {
      if (has(input) && !network_.tensor(op_.inputs[input]).is_constant()) {
        return fmt::format("'{}' is computed", network_.tensor(op_.inputs[input]).name);
      }
    }
    for (std::int64_t d = 0; d < directions_; ++d) {
      for (const auto& name : activations(d)) {
        if (name != "Sigmoid" && name != "Tanh" && name != "Relu") {
          return name.empty() ? "there are too few activations" : "activation " + name + " is not supported";
        }
      }
    }
    return "";
  }

  void run() {
    std::vector<Run> runs;
    if (has(in_lengths)) present_ = sequences_present(network_, list_, op_.inputs[in_lengths], steps_);
    for (std::int64_t d = 0; d < directions_; ++d) runs.push_back(direction(d));
    std::vector<TensorId> all, h, c;
    for (const auto& run : runs) {
      all.push_back(run.all);
      h.push_back(run.h);
      c.push_back(run.c);
    }
    deliver(0, "y", all, {steps_, 1, batch_, hidden_}, 1);
    deliver(1, "y_h", h, {1, batch_, hidden_}, 0);
    deliver(2, "y_c", c, {1, batch_, hidden_}, 0);
  }

 private:
  /// What a direction gives: all steps' states [steps, batch, hidden], and the last ones [batch, hidden].
  struct Run {
    TensorId all = no_tensor, h = no_tensor, c = no_tensor;
  };

  /// One direction while its steps are emitted. `h` and `c` are no_tensor while they are zero.
  struct Direction {
    std::int64_t index = 0;
    std::string name;
    std::vector<std::string> activations;
    std::vector<TensorId> weights;  ///< of the state, [rows, hidden]; GRU: gates, candidate
    TensorId candidate_bias = no_tensor;
    std::array<TensorId, 3> peepholes = {no_tensor, no_tensor, no_tensor};  ///< in, out, forget
    TensorId h = no_tensor, c = no_tensor;
  };

  bool has(std::size_t input) const { return op_.inputs.size() > input && op_.inputs[input] != no_tensor; }

  /// `value` where the sequence has the step, else `otherwise` (0 if that is no_tensor).
  TensorId where(const std::string& what, TensorId present, TensorId value, TensorId otherwise) {
    if (present == no_tensor) return value;
    if (otherwise == no_tensor) otherwise = list_.scalar(what + ".zero", 0);
    return list_.add("Where", what, {present, value, otherwise}, {batch_, hidden_});
  }

  const float* data(std::size_t input) const { return constant_data<float>(network_.tensor(op_.inputs[input])); }

  TensorId constant(const std::string& what, std::size_t input, std::int64_t first, Shape shape) {
    const auto* begin = data(input) + first;
    return list_.constant(what, shape, {begin, begin + element_count(shape)});
  }

  /// Names as ONNX writes them, empty where the operator lacks one.
  std::vector<std::string> activations(std::int64_t direction) const {
    std::vector<std::string> names;
    if (op_.type == "LSTM") names = {"Sigmoid", "Tanh", "Tanh"};
    if (op_.type == "GRU") names = {"Sigmoid", "Tanh"};
    if (op_.type == "RNN") names = {"Tanh"};
    const auto given = split(attribute(op_, "activations", std::string()));
    const auto first = given.size() > names.size() ? static_cast<std::size_t>(direction) * names.size() : 0;
    for (std::size_t i = 0; i < names.size() && !given.empty(); ++i) {
      names[i] = first + i < given.size() ? given[first + i] : "";
      std::ranges::transform(names[i], names[i].begin(),
                             [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (!names[i].empty()) names[i][0] = static_cast<char>(std::toupper(static_cast<unsigned char>(names[i][0])));
    }
    return names;
  }

  std::string label(const Direction& d, const std::string& what) const {
    return d.name.empty() ? what : d.name + "." + what;
  }

  /// What the inputs of all steps add to the gates, biases included: [steps, batch, gates * hidden].
  TensorId project(const Direction& d) {
    const std::int64_t rows = gates_ * hidden_;
    std::vector<TensorId> inputs = {op_.inputs[in_x],
                                    constant(label(d, "w"), in_w, d.index * rows * width_, {rows, width_})};
    if (has(in_b)) {
      const auto* bias = data(in_b) + d.index * 2 * rows;
      std::vector<float> sum(bias, bias + rows);
      const std::int64_t added = d.candidate_bias == no_tensor ? rows : gru_candidate * hidden_;
      for (std::int64_t i = 0; i < added; ++i) sum[static_cast<std::size_t>(i)] += bias[rows + i];
      inputs.push_back(list_.constant(label(d, "b"), {rows}, sum));
    }
    return list_.add("Gemm", label(d, "x"), inputs, {steps_, batch_, rows}, {{"transB", std::int64_t{1}}});
  }

  /// The state that the operator begins with; none if it is zero.
  TensorId initial(const Direction& d, std::size_t input, const char* what) {
    if (!has(input)) return no_tensor;
    const auto& given = network_.tensor(op_.inputs[input]);
    const std::int64_t size = batch_ * hidden_;
    if (given.is_constant()) {
      const auto* values = data(input) + d.index * size;
      if (std::all_of(values, values + size, [](float v) { return v == 0; })) return no_tensor;
      return constant(label(d, what), input, d.index * size, {batch_, hidden_});
    }
    const auto part = list_.slice(label(d, what) + ".part", op_.inputs[input], 0, d.index, 1);
    return list_.reshape(label(d, what), part, {batch_, hidden_});
  }

  Direction begin(std::int64_t index) {
    Direction d;
    d.index = index;
    if (directions_ == 2) d.name = index == 0 ? "forward" : "reverse";
    d.activations = activations(index);
    const std::int64_t rows = gates_ * hidden_, first = index * rows * hidden_;
    if (op_.type == "GRU") {
      const std::int64_t gate_rows = gru_candidate * hidden_;
      d.weights = {constant(label(d, "r"), in_r, first, {gate_rows, hidden_}),
                   constant(label(d, "r_candidate"), in_r, first + gate_rows * hidden_, {hidden_, hidden_})};
      if (has(in_b) && attribute(op_, "linear_before_reset", std::int64_t{0}) != 0) {
        d.candidate_bias =
            constant(label(d, "r_bias"), in_b, index * 2 * rows + rows + gru_candidate * hidden_, {hidden_});
      }
    } else {
      d.weights = {constant(label(d, "r"), in_r, first, {rows, hidden_})};
    }
    if (has(in_peepholes)) {
      for (std::size_t g = 0; g < d.peepholes.size(); ++g) {
        const auto at = (index * 3 + static_cast<std::int64_t>(g)) * hidden_;
        d.peepholes[g] = constant(label(d, fmt::format("p{}", g)), in_peepholes, at, {hidden_});
      }
    }
    d.h = initial(d, in_h, "h");
    d.c = initial(d, in_c, "c");
    return d;
  }

  Run direction(std::int64_t index) {
    Direction d = begin(index);
    const auto x = project(d);
    const bool reverse = index == 1 || attribute(op_, "direction", std::string("forward")) == "reverse";
    std::vector<TensorId> states(static_cast<std::size_t>(steps_));
    for (std::int64_t s = 0; s < steps_; ++s) {
      const std::int64_t t = reverse ? steps_ - 1 - s : s;
      states[static_cast<std::size_t>(t)] = list_.reshape(at(d, t, "h.row"), step(d, x, t), {1, batch_, hidden_});
    }
    const auto all =
        list_.add("Concat", label(d, "states"), states, {steps_, batch_, hidden_}, {{"axis", std::int64_t{0}}});
    return {all, d.h, d.c};
  }

  std::string at(const Direction& d, std::int64_t t, const std::string& what) const {
    return fmt::format("{}.{}", label(d, fmt::format("t{}", t)), what);
  }

  /// The step's result; sequences that have ended (or, in reverse, not begun) keep their state and give 0.
  TensorId step(Direction& d, TensorId x, std::int64_t t) {
    const auto h = d.h, c = d.c;
    const OneStep now{*this, d, x, t};
    if (op_.type == "LSTM") now.lstm();
    if (op_.type == "GRU") now.gru();
    if (op_.type == "RNN") now.rnn();
    const auto present = present_.empty() ? no_tensor : present_[static_cast<std::size_t>(t)];
    const auto result = where(at(d, t, "y"), present, d.h, no_tensor);
    d.h = where(at(d, t, "h.held"), present, d.h, h);
    if (op_.type == "LSTM") d.c = where(at(d, t, "c.held"), present, d.c, c);
    return result;
  }

  /// Emits one step of a direction.
  struct OneStep {
    RecurrentExpansion& all;
    Direction& d;
    TensorId x;
    std::int64_t t;

    std::string name(const std::string& what) const { return all.at(d, t, what); }
    OperatorList& list() const { return all.list_; }

    /// What the step's input adds to `count` gates from `first` on: [batch, count * hidden].
    TensorId input(const std::string& what, std::int64_t first, std::int64_t count) const {
      const auto row = list().slice(name(what + ".row"), x, 0, t, 1);
      const auto part = list().slice(name(what + ".part"), row, 2, first * all.hidden_, count * all.hidden_);
      return list().reshape(name(what), part, {all.batch_, count * all.hidden_});
    }

    TensorId product(const std::string& what, std::size_t weights, TensorId state, TensorId bias = no_tensor) const {
      if (all.network_.tensor(state).is_constant()) return constant_product(what, d.weights[weights], state, bias);
      std::vector<TensorId> inputs = {state, d.weights[weights]};
      if (bias != no_tensor) inputs.push_back(bias);
      return list().add("Gemm", name(what), inputs, {all.batch_, list().shape(d.weights[weights])[0]},
                        {{"transB", std::int64_t{1}}});
    }

    /// [batch, hidden] times [rows, hidden], which are constants: that of a state which the model gives.
    TensorId constant_product(const std::string& what, TensorId weights, TensorId state, TensorId bias) const {
      const auto w = numbers_of(all.network_.tensor(weights)), h = numbers_of(all.network_.tensor(state));
      const Shape shape = {all.batch_, list().shape(weights)[0]};
      const auto start = bias == no_tensor ? std::vector<double>(count_of(shape))
                                           : broadcast_numbers(all.network_.tensor(bias), shape);
      std::vector<float> sums;
      for (std::int64_t n = 0; n < shape[0]; ++n) {
        for (std::int64_t row = 0; row < shape[1]; ++row) {
          const auto* from = h.data() + n * all.hidden_;
          const double sum = start[static_cast<std::size_t>(n * shape[1] + row)];
          sums.push_back(
              static_cast<float>(std::inner_product(from, from + all.hidden_, w.data() + row * all.hidden_, sum)));
        }
      }
      return list().constant(name(what), shape, sums);
    }

    /// Gates before their activation.
    TensorId sum(std::int64_t count) const {
      const auto from_x = input("x", 0, count);
      if (d.h == no_tensor) return from_x;
      return list().binary("Add", name("gates"), product("h.product", 0, d.h), from_x);
    }

    TensorId activate(std::size_t which, const std::string& what, TensorId value) const {
      return list().unary(d.activations[which], name(what), value);
    }

    TensorId gate(const std::string& what, TensorId gates, std::int64_t index, std::int64_t count = 1) const {
      return list().slice(name(what), gates, 1, index * all.hidden_, count * all.hidden_);
    }

    /// value + state * peephole
    TensorId peep(const std::string& what, TensorId value, std::size_t peephole, TensorId state) const {
      if (d.peepholes[peephole] == no_tensor || state == no_tensor) return value;
      const auto seen = list().binary("Mul", name(what + ".seen"), state, d.peepholes[peephole]);
      return list().binary("Add", name(what + ".peep"), value, seen);
    }

    TensorId peeping_gate(const std::string& what, TensorId gates, std::int64_t index, std::size_t peephole,
                          TensorId state) const {
      return activate(0, what, peep(what, gate(what + ".in", gates, index), peephole, state));
    }

    void lstm() const {
      const auto gates = sum(lstm_gates);
      TensorId in, forget = no_tensor, out = no_tensor;
      const bool peeps = d.peepholes[0] != no_tensor;
      if (peeps) {
        in = peeping_gate("i", gates, lstm_input, 0, d.c);
        if (d.c != no_tensor) forget = peeping_gate("f", gates, lstm_forget, 2, d.c);
      } else {
        const auto open = activate(0, "iof", gate("iof.in", gates, lstm_input, 3));
        in = gate("i", open, lstm_input);
        out = gate("o", open, lstm_output);
        forget = gate("f", open, lstm_forget);
      }
      const auto candidate = activate(1, "g", gate("g.in", gates, lstm_cell));
      const auto fresh = list().binary("Mul", name("c.new"), in, candidate);
      if (d.c == no_tensor) {
        d.c = fresh;
      } else {
        d.c = list().binary("Add", name("c"), list().binary("Mul", name("c.kept"), forget, d.c), fresh);
      }
      if (peeps) out = peeping_gate("o", gates, lstm_output, 1, d.c);
      d.h = list().binary("Mul", name("h"), out, activate(2, "c.out", d.c));
    }

    /// h = candidate + update * (h - candidate)
    void gru() const {
      const auto gates = activate(0, "zr", sum(gru_candidate));
      const auto update = gate("z", gates, gru_update), reset = gate("r", gates, gru_reset);
      const auto candidate = activate(1, "n", gru_candidate_sum(reset));
      if (d.h == no_tensor) {
        d.h = list().binary("Sub", name("h"), candidate, list().binary("Mul", name("n.faded"), update, candidate));
        return;
      }
      const auto change = list().binary("Sub", name("h.change"), d.h, candidate);
      d.h = list().binary("Add", name("h"), candidate, list().binary("Mul", name("h.kept"), update, change));
    }

    TensorId gru_candidate_sum(TensorId reset) const {
      const auto from_x = input("x_n", accord::gru_candidate, 1);
      const bool after = attribute(all.op_, "linear_before_reset", std::int64_t{0}) != 0;
      if (d.h == no_tensor) {
        if (d.candidate_bias == no_tensor) return from_x;
        return list().binary("Add", name("n.in"), from_x,
                             list().binary("Mul", name("n.reset"), reset, d.candidate_bias));
      }
      if (!after) {
        const auto kept = list().binary("Mul", name("h.reset"), reset, d.h);
        return list().binary("Add", name("n.in"), product("n.product", 1, kept), from_x);
      }
      const auto kept = list().binary("Mul", name("n.reset"), reset, product("n.product", 1, d.h, d.candidate_bias));
      return list().binary("Add", name("n.in"), from_x, kept);
    }

    void rnn() const { d.h = activate(0, "h", sum(1)); }
  };

  /// Joins the directions' results along `axis` into an output of the operator, if it is wanted.
  void deliver(std::size_t output, const std::string& what, const std::vector<TensorId>& parts, const Shape& shape,
               std::int64_t axis) {
    if (op_.outputs.size() <= output || op_.outputs[output] == no_tensor) return;
    const auto result = op_.outputs[output];
    if (parts.size() == 1) {
      list_.reshape(what, parts[0], shape, result);
      return;
    }
    std::vector<TensorId> shaped;
    for (const auto part : parts) shaped.push_back(list_.reshape(what + ".part", part, shape));
    list_.add("Concat", what, shaped, network_.tensor(result).shape, {{"axis", axis}}, result);
  }

  Network& network_;
  const Operator& op_;
  OperatorList list_;
  std::vector<TensorId> present_;  ///< by step, where the operator has lengths
  std::int64_t steps_ = 0, batch_ = 0, width_ = 0, hidden_ = 0, gates_ = 0, directions_ = 0;
};

bool is_recurrent(const Operator& op) { return op.type == "LSTM" || op.type == "GRU" || op.type == "RNN"; }

}  // namespace

std::string recurrent_obstacle(const Network& network, const Operator& op) {
  if (!is_recurrent(op)) return "";
  if (op.inputs.size() <= in_r) return "inputs are missing";
  Network unchanged = network;
  std::vector<Operator> none;
  return RecurrentExpansion(unchanged, op, none).obstacle();
}

void expand_recurrent(Network& network) {
  std::vector<Operator> operators;
  for (const auto& op : network.operators) {
    if (is_recurrent(op) && op.inputs.size() > in_r) {
      RecurrentExpansion expansion(network, op, operators);
      if (expansion.obstacle().empty()) {
        expansion.run();
        continue;
      }
    }
    operators.push_back(op);
  }
  network.operators = std::move(operators);
}

}  // namespace accord
