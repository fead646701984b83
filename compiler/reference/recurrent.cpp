// LSTM, GRU and RNN as ONNX defines them (layout 0).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/reference/elements.h"

namespace accord::reference {
namespace {

using Vector = std::vector<float>;
using Activation = std::function<float(float)>;

Activation make_activation(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name == "sigmoid") return [](float x) { return 1.0f / (1.0f + std::exp(-x)); };
  if (name == "tanh") return [](float x) { return std::tanh(x); };
  if (name == "relu") return [](float x) { return std::max(x, 0.0f); };
  throw Error("activation " + name + " is not supported");
}

/// Sizes, inputs and options of one operator.
struct Cell {
  std::int64_t steps = 0, batch = 0, input = 0, hidden = 0, gates = 0;
  Vector x, w, r, b, h, c, peephole;  ///< empty where absent
  std::vector<std::int64_t> lengths;
  float clip = 0;
  bool linear_before_reset = false;
};

/// State of one direction and one member of the batch.
struct State {
  Vector h, c;
};

Cell make_cell(const OperatorCall& call, std::int64_t gates) {
  Cell cell;
  const Shape& x = call.inputs[0].shape;
  if (x.size() != 3 || call.inputs[1].shape.size() != 3) throw Error("ranks must be 3");
  cell.steps = x[0], cell.batch = x[1], cell.input = x[2], cell.gates = gates;
  cell.hidden = call.inputs[1].shape[1] / gates;
  auto optional = [&](std::size_t i) { return call.has_input(i) ? load_as<float>(call.inputs[i]) : Vector{}; };
  cell.x = optional(0), cell.w = optional(1), cell.r = optional(2), cell.b = optional(3);
  cell.h = optional(5), cell.c = optional(6), cell.peephole = optional(7);
  if (call.has_input(4)) cell.lengths = load_as<std::int64_t>(call.inputs[4]);
  cell.clip = static_cast<float>(attribute(call.op, "clip", 0.0));
  cell.linear_before_reset = attribute(call.op, "linear_before_reset", std::int64_t{0}) != 0;
  return cell;
}

/// start + matrix * vector for `rows` rows from `first` on; `start` may be null.
Vector affine(const Vector& matrix, std::int64_t first, std::int64_t rows, const float* vector, std::int64_t length,
              const float* start) {
  Vector result(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* weights = matrix.data() + (first + row) * length;
    float sum = start ? start[row] : 0.0f;
    for (std::int64_t i = 0; i < length; ++i) sum += weights[i] * vector[i];
    result[static_cast<std::size_t>(row)] = sum;
  }
  return result;
}

/// Pre-activations of a direction at one step, from the input and from the state apart: GRU needs them so.
struct Gates {
  Vector from_x, from_h;
};

class Direction {
 public:
  Direction(const Cell& cell, std::int64_t index, std::array<Activation, 3> activations)
      : cell_(cell), index_(index), activations_(std::move(activations)) {}

  Gates gates(const float* x, const State& state) const {
    const std::int64_t rows = cell_.gates * cell_.hidden;
    const float* bias = cell_.b.empty() ? nullptr : cell_.b.data() + index_ * 2 * rows;
    return {affine(cell_.w, index_ * rows, rows, x, cell_.input, bias),
            affine(cell_.r, index_ * rows, rows, state.h.data(), cell_.hidden, bias ? bias + rows : nullptr)};
  }

  /// f, g or h of ONNX, after clipping.
  float activate(std::size_t which, float value) const {
    if (cell_.clip > 0) value = std::clamp(value, -cell_.clip, cell_.clip);
    return activations_[which](value);
  }

  float peephole(std::int64_t gate, std::size_t i) const {
    return cell_.peephole.empty() ? 0.0f
                                  : cell_.peephole[static_cast<std::size_t>((index_ * 3 + gate) * cell_.hidden) + i];
  }

  /// Reset gate inside or outside the recurrent product.
  Vector gru_candidate(const Gates& g, const State& state, const Vector& reset) const {
    const auto hidden = static_cast<std::size_t>(cell_.hidden);
    Vector recurrent(hidden);
    if (cell_.linear_before_reset) {
      for (std::size_t i = 0; i < hidden; ++i) recurrent[i] = reset[i] * g.from_h[2 * hidden + i];
      return recurrent;
    }
    Vector gated(hidden);
    for (std::size_t i = 0; i < hidden; ++i) gated[i] = reset[i] * state.h[i];
    const float* bias = cell_.b.empty() ? nullptr : cell_.b.data() + (index_ * 6 + 5) * cell_.hidden;
    return affine(cell_.r, (index_ * 3 + 2) * cell_.hidden, cell_.hidden, gated.data(), cell_.hidden, bias);
  }

 private:
  const Cell& cell_;
  std::int64_t index_;
  std::array<Activation, 3> activations_;
};

void step_rnn(const Direction& d, const Gates& g, State& state) {
  for (std::size_t i = 0; i < state.h.size(); ++i) state.h[i] = d.activate(0, g.from_x[i] + g.from_h[i]);
}

/// Gate order i, o, f, c.
void step_lstm(const Direction& d, const Gates& g, State& state) {
  const std::size_t hidden = state.h.size();
  auto sum = [&](std::size_t gate, std::size_t i) { return g.from_x[gate * hidden + i] + g.from_h[gate * hidden + i]; };
  for (std::size_t i = 0; i < hidden; ++i) {
    const float before = state.c[i];
    const float in = d.activate(0, sum(0, i) + d.peephole(0, i) * before);
    const float forget = d.activate(0, sum(2, i) + d.peephole(2, i) * before);
    state.c[i] = forget * before + in * d.activate(1, sum(3, i));
    const float out = d.activate(0, sum(1, i) + d.peephole(1, i) * state.c[i]);
    state.h[i] = out * d.activate(2, state.c[i]);
  }
}

/// Gate order z, r, h.
void step_gru(const Direction& d, const Gates& g, State& state) {
  const std::size_t hidden = state.h.size();
  Vector update(hidden), reset(hidden);
  for (std::size_t i = 0; i < hidden; ++i) {
    update[i] = d.activate(0, g.from_x[i] + g.from_h[i]);
    reset[i] = d.activate(0, g.from_x[hidden + i] + g.from_h[hidden + i]);
  }
  const Vector recurrent = d.gru_candidate(g, state, reset);
  for (std::size_t i = 0; i < hidden; ++i) {
    const float candidate = d.activate(1, g.from_x[2 * hidden + i] + recurrent[i]);
    state.h[i] = (1.0f - update[i]) * candidate + update[i] * state.h[i];
  }
}

using Step = void (*)(const Direction&, const Gates&, State&);

Vector slice_of(const Vector& all, std::int64_t index, std::int64_t size) {
  if (all.empty()) return Vector(static_cast<std::size_t>(size));
  return {all.begin() + index * size, all.begin() + (index + 1) * size};
}

std::array<Activation, 3> activations_of(const Operator& op, std::int64_t gates, std::size_t direction) {
  static const std::vector<std::string> lstm = {"Sigmoid", "Tanh", "Tanh"}, gru = {"Sigmoid", "Tanh"}, rnn = {"Tanh"};
  std::vector<std::string> names = gates == 4 ? lstm : gates == 3 ? gru : rnn;
  const std::size_t per_direction = names.size();
  // The container of attributes has no lists of strings: frontends join them with commas.
  const std::string given = attribute(op, "activations", std::string());
  if (!given.empty()) {
    names.clear();
    for (std::size_t at = 0; at <= given.size();) {
      const std::size_t comma = std::min(given.find(',', at), given.size());
      names.push_back(given.substr(at, comma - at));
      at = comma + 1;
    }
  }
  if (names.size() > per_direction)
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(direction * per_direction));
  if (names.size() < per_direction) throw Error("too few activations");
  std::array<Activation, 3> activations;
  for (std::size_t i = 0; i < per_direction; ++i) activations[i] = make_activation(names[i]);
  return activations;
}

OperatorFunction recurrent(std::int64_t gates, Step step) {
  return [gates, step](const OperatorCall& call) {
    const Cell cell = make_cell(call, gates);
    const std::int64_t directions = call.inputs[1].shape[0];
    Vector y(static_cast<std::size_t>(cell.steps * directions * cell.batch * cell.hidden)), y_h, y_c;
    for (std::int64_t d = 0; d < directions; ++d) {
      const Direction direction(cell, d, activations_of(call.op, gates, static_cast<std::size_t>(d)));
      const bool reverse = d == 1 || attribute(call.op, "direction", std::string("forward")) == "reverse";
      for (std::int64_t n = 0; n < cell.batch; ++n) {
        State state{slice_of(cell.h, d * cell.batch + n, cell.hidden),
                    slice_of(cell.c, d * cell.batch + n, cell.hidden)};
        const std::int64_t length =
            cell.lengths.empty() ? cell.steps
                                 : std::clamp<std::int64_t>(cell.lengths[static_cast<std::size_t>(n)], 0, cell.steps);
        for (std::int64_t s = 0; s < length; ++s) {
          const std::int64_t t = reverse ? length - 1 - s : s;
          step(direction, direction.gates(cell.x.data() + (t * cell.batch + n) * cell.input, state), state);
          std::ranges::copy(state.h, y.begin() + ((t * directions + d) * cell.batch + n) * cell.hidden);
        }
        y_h.insert(y_h.end(), state.h.begin(), state.h.end());
        y_c.insert(y_c.end(), state.c.begin(), state.c.end());
      }
    }
    const std::array<const Vector*, 3> results = {&y, &y_h, &y_c};
    for (std::size_t i = 0; i < std::min(results.size(), call.outputs.size()); ++i) {
      if (!call.outputs[i].data.empty()) store_all(call.outputs[i], *results[i]);
    }
  };
}

}  // namespace

void add_recurrent(OperatorTable& table) {
  table["RNN"] = recurrent(1, step_rnn);
  table["GRU"] = recurrent(3, step_gru);
  table["LSTM"] = recurrent(4, step_lstm);
}

}  // namespace accord::reference
