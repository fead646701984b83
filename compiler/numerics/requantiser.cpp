#include "compiler/numerics/requantiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/interpret.h"
#include "compiler/reference/requantisation.h"

namespace accord::numerics {
namespace {

reference::RequantiseForm form_of(const Numerics& numerics, double lo, double hi) {
  reference::RequantiseForm form{numerics.requantise, {}, {}, numerics.accumulator, numerics.storage, lo, hi};
  for (const auto& parameter : numerics.parameters) {
    form.parameters.push_back(parameter.name);
    form.parameter_types.push_back(parameter.type);
  }
  return form;
}

/// Accumulator values at which rounding, saturation and overflow of an expression show.
std::vector<double> sample_points(double multiplier, double bound) {
  std::vector<double> points = {-bound, bound};
  for (double target : {-400.3, -128.2, -100.3, -1.2, -0.3, 0.0, 0.3, 1.2, 50.7, 126.6, 200.4}) {
    points.push_back(std::clamp(std::nearbyint(target / multiplier), -bound, bound));
  }
  return points;
}

Tensor make_parameter(const std::string& name, ElementType type, bool per_channel, const std::vector<double>& values,
                      std::size_t channels) {
  const std::size_t count = per_channel ? channels : 1;
  std::vector<std::byte> data(count * static_cast<std::size_t>(bytes(type)));
  for (std::size_t i = 0; i < count; ++i) {
    store_element(&data[i * static_cast<std::size_t>(bytes(type))], type, values[values.size() == 1 ? 0 : i]);
  }
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  if (per_channel) tensor.shape = {static_cast<std::int64_t>(count)};
  tensor.data = std::make_shared<const std::vector<std::byte>>(std::move(data));
  return tensor;
}

double as_stored(ElementType type, double value) {
  std::byte stored[8];
  store_element(stored, type, value);
  return load_element(stored, type);
}

}  // namespace

Requantiser::Requantiser(const Numerics& numerics) : numerics_(numerics) {
  scale_ = find("scale");
  mult_ = find("mult");
  shift_ = find("shift");
  const std::size_t known = static_cast<std::size_t>((scale_ >= 0) + (mult_ >= 0) + (shift_ >= 0));
  if (known == 0 || known != numerics.parameters.size() || (scale_ >= 0 && known > 1)) {
    throw Error(
        fmt::format("requantisation '{}': its parameters must be a float `scale`, or integers `mult` and `shift`, or "
                    "one of the two",
                    numerics.requantise));
  }
}

int Requantiser::find(const char* part) const {
  for (std::size_t i = 0; i < numerics_.parameters.size(); ++i) {
    const auto& parameter = numerics_.parameters[i];
    const bool wants_float = std::string(part) == "scale";
    if (parameter.name.find(part) != std::string::npos && is_float(parameter.type) == wants_float)
      return static_cast<int>(i);
  }
  return -1;
}

bool Requantiser::per_channel() const {
  const int deciding = scale_ >= 0 ? scale_ : mult_ >= 0 ? mult_ : shift_;
  return numerics_.parameters[static_cast<std::size_t>(deciding)].per_channel;
}

bool Requantiser::powers_of_two() const { return scale_ < 0 && mult_ < 0; }

std::string Requantiser::parameter_names() const {
  std::string names;
  for (const auto& parameter : numerics_.parameters) names += (names.empty() ? "" : ",") + parameter.name;
  return names;
}

Requantiser::Solution Requantiser::encode(const std::vector<double>& multipliers, const Encoding& encoding) const {
  Solution solution;
  solution.values.resize(numerics_.parameters.size());
  if (scale_ >= 0) {
    solution.values[static_cast<std::size_t>(scale_)] = multipliers;
    return solution;
  }
  if (shift_ < 0) {
    for (const double multiplier : multipliers) {
      solution.values[static_cast<std::size_t>(mult_)].push_back(
          std::nearbyint(std::ldexp(multiplier, encoding.offset)));
    }
    return solution;
  }
  const double largest = *std::ranges::max_element(multipliers);
  const bool own_shift = numerics_.parameters[static_cast<std::size_t>(shift_)].per_channel;
  auto exponent = [&](double multiplier) {
    if (powers_of_two()) return static_cast<int>(std::lround(-std::log2(own_shift ? multiplier : largest)));
    int e = encoding.bits - 1 - std::ilogb(own_shift ? multiplier : largest);
    if (std::nearbyint(std::ldexp(own_shift ? multiplier : largest, e)) >= std::ldexp(1.0, encoding.bits)) --e;
    return e;
  };
  auto& shifts = solution.values[static_cast<std::size_t>(shift_)];
  for (double multiplier : multipliers) {
    const int e = exponent(multiplier);
    shifts.push_back(encoding.sign * (e - encoding.offset));
    if (mult_ >= 0)
      solution.values[static_cast<std::size_t>(mult_)].push_back(std::nearbyint(std::ldexp(multiplier, e)));
  }
  return solution;
}

bool Requantiser::holds(const Solution& solution, const std::vector<double>& multipliers, double bound, double lo,
                        double hi) const {
  const TensorProgram program = reference::requantise_program(form_of(numerics_, lo, hi), false);
  const Statement& statement = program.statements[0];
  constexpr std::size_t checked_channels = 16;
  const std::size_t step = std::max<std::size_t>(1, multipliers.size() / checked_channels);
  for (std::size_t channel = 0; channel < multipliers.size(); channel += step) {
    for (double x : sample_points(multipliers[channel], bound)) {
      std::vector<double> reads;
      for (const Access& access : statement.accesses) {
        const std::string& operand = program.operands[static_cast<std::size_t>(access.operand)].name;
        const auto parameter = std::ranges::find(numerics_.parameters, operand, &Numerics::Parameter::name);
        if (parameter == numerics_.parameters.end()) {
          reads.push_back(x);
          continue;
        }
        const auto& values = solution.values[static_cast<std::size_t>(parameter - numerics_.parameters.begin())];
        const double value = values[values.size() == 1 ? 0 : channel];
        if (!is_float(parameter->type) && as_stored(parameter->type, value) != value) return false;
        reads.push_back(as_stored(parameter->type, value));
      }
      const double got = as_stored(numerics_.storage, evaluate(*statement.value, reads));
      const double wanted = std::clamp(x * multipliers[channel], lo, hi);
      if (!(std::abs(got - wanted) <= 1.0)) return false;
    }
  }
  return true;
}

std::optional<Requantiser::Solution> Requantiser::search(const std::vector<double>& multipliers, double bound,
                                                         double lo, double hi) {
  auto attempt = [&](const Encoding& encoding) -> std::optional<Solution> {
    Solution solution = encode(multipliers, encoding);
    if (!holds(solution, multipliers, bound, lo, hi)) return std::nullopt;
    last_ = encoding;
    return solution;
  };
  if (last_) {
    if (auto solution = attempt(*last_)) return solution;
  }
  if (scale_ >= 0) return attempt({});
  if (shift_ < 0) {
    for (int wired = 0; wired < 63; ++wired) {
      if (auto solution = attempt({0, wired, 1})) return solution;
    }
    return std::nullopt;
  }
  // Most bits first: the best precision that the expression's arithmetic can carry.
  const int most = powers_of_two() ? 1 : 31;
  for (int bits = most; bits >= (powers_of_two() ? 1 : 4); --bits) {
    for (int offset : {0, 31, 32, 30, 15, 16, 14, 23, 24, 7, 8}) {
      for (int sign : {1, -1}) {
        if (auto solution = attempt({bits, offset, sign})) return solution;
      }
    }
  }
  return std::nullopt;
}

std::vector<Tensor> Requantiser::solve(const std::vector<double>& multipliers, double bound, double lo, double hi,
                                       const std::string& tensor_name) {
  const auto solution = search(multipliers, bound, lo, hi);
  if (!solution) {
    throw Error(fmt::format("requantisation '{}' of tensor {}: no values of {} scale by {} within one unit",
                            numerics_.requantise, tensor_name, parameter_names(), multipliers[0]));
  }
  std::vector<Tensor> parameters;
  for (std::size_t i = 0; i < numerics_.parameters.size(); ++i) {
    const auto& parameter = numerics_.parameters[i];
    parameters.push_back(make_parameter(fmt::format("{}.{}", tensor_name, parameter.name), parameter.type,
                                        parameter.per_channel, solution->values[i], multipliers.size()));
  }
  return parameters;
}

}  // namespace accord::numerics
