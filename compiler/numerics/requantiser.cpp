#include "compiler/numerics/requantiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <set>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/interpret.h"
#include "archdsl/tensor/parse.h"
#include "compiler/numerics/overflow.h"
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
/// `lo`, `hi`: of the results.
std::vector<double> sample_points(double multiplier, double bound, double lo, double hi) {
  std::vector<double> points = {-bound, bound};
  for (const double target : {3.1 * lo - 0.3, lo - 0.2, 0.8 * lo + 0.1, -1.2, -0.3, 0.0, 0.3, 1.2, 0.4 * hi - 0.1,
                              hi - 0.4, 1.6 * hi - 0.3}) {
    points.push_back(std::clamp(std::nearbyint(target / multiplier), -bound, bound));
  }
  return points;
}

Tensor make_parameter(const std::string& name, ElementType type, bool per_channel, const std::vector<double>& values,
                      std::int64_t channels) {
  const auto count = static_cast<std::size_t>(per_channel ? channels : 1);
  std::vector<std::byte> data(count * static_cast<std::size_t>(bytes(type)));
  for (std::size_t i = 0; i < count; ++i) {
    store_element(&data[i * static_cast<std::size_t>(bytes(type))], type, values[values.size() == 1 ? 0 : i]);
  }
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  if (per_channel) tensor.shape = {channels};
  tensor.data = owned(std::move(data));
  return tensor;
}

double as_stored(ElementType type, double value) {
  std::byte stored[8];
  store_element(stored, type, value);
  return load_element(stored, type);
}

}  // namespace

Requantiser::Requantiser(const Numerics& numerics) : numerics_(numerics) {
  scale_ = find(Numerics::Role::scale);
  mult_ = find(Numerics::Role::mult);
  shift_ = find(Numerics::Role::shift);
  const std::size_t known = static_cast<std::size_t>((scale_ >= 0) + (mult_ >= 0) + (shift_ >= 0));
  if (known == 0 || known != numerics.parameters.size() || (scale_ >= 0 && known > 1)) {
    throw Error(
        fmt::format("requantisation '{}': its parameters must be a float `scale`, or integers `mult` and `shift`, or "
                    "one of the two",
                    numerics.requantise));
  }
}

int Requantiser::find(Numerics::Role role) const {
  const auto found = std::ranges::find(numerics_.parameters, role, &Numerics::Parameter::role);
  return found == numerics_.parameters.end() ? -1 : static_cast<int>(found - numerics_.parameters.begin());
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

/// What the expression reads of a channel at a sum.
std::vector<double> Requantiser::reads(const Solution& solution, const Wanted& wanted, std::size_t channel,
                                       double x) const {
  std::vector<double> found;
  for (const Access& access : wanted.program.statements[0].accesses) {
    const std::string& operand = wanted.program.operands[static_cast<std::size_t>(access.operand)].name;
    const auto parameter = std::ranges::find(numerics_.parameters, operand, &Numerics::Parameter::name);
    if (parameter == numerics_.parameters.end()) {
      found.push_back(x);
      continue;
    }
    const auto& values = solution.values[static_cast<std::size_t>(parameter - numerics_.parameters.begin())];
    const double value = values[values.size() == 1 ? 0 : channel];
    found.push_back(as_stored(parameter->type, value));
  }
  return found;
}

/// visit(channel, sum, what is read there) until it gives false. Whether it never does, and all parameters fit.
/// Channels differ in their parameters alone: some of them stand for all, those of the least and the greatest
/// multiplier among them.
template <typename Visit>
bool Requantiser::each_sample(const Solution& solution, const Wanted& wanted, Visit visit) const {
  if (!fits(solution)) return false;
  constexpr std::size_t checked_channels = 16;
  const std::size_t step = std::max<std::size_t>(1, wanted.multipliers.size() / checked_channels);
  std::set<std::size_t> channels;
  const auto [least, most] = std::ranges::minmax_element(wanted.multipliers);
  channels.insert(static_cast<std::size_t>(least - wanted.multipliers.begin()));
  channels.insert(static_cast<std::size_t>(most - wanted.multipliers.begin()));
  for (std::size_t channel = 0; channel < wanted.multipliers.size(); channel += step) channels.insert(channel);
  for (const std::size_t channel : channels) {
    for (const double x : sample_points(wanted.multipliers[channel], wanted.bound, wanted.lo, wanted.hi)) {
      if (!visit(channel, x, reads(solution, wanted, channel, x))) return false;
    }
  }
  return true;
}

/// Whether each parameter's type holds its values, of all channels.
bool Requantiser::fits(const Solution& solution) const {
  for (std::size_t p = 0; p < numerics_.parameters.size(); ++p) {
    const ElementType type = numerics_.parameters[p].type;
    const auto held = [type](double value) { return is_float(type) || as_stored(type, value) == value; };
    if (!std::ranges::all_of(solution.values[p], held)) return false;
  }
  return true;
}

bool Requantiser::holds(const Solution& solution, const Wanted& wanted) const {
  return each_sample(solution, wanted, [&](std::size_t channel, double x, const std::vector<double>& values) {
    return std::abs(got(wanted, values) - wanted.at(channel, x)) <= 1.0;
  });
}

/// Of results from `end` towards 0, all fractions alike.
double Requantiser::mean_error(const Solution& solution, const Wanted& wanted, std::size_t channel, double end) const {
  constexpr int points = 16;
  double sum = 0;
  for (int k = 0; k < points; ++k) {
    const double target = std::max(0.0, std::abs(end) - k * (1 + 1.0 / points));
    const double x = std::nearbyint(std::copysign(target, end) / wanted.multipliers[channel]);
    sum += got(wanted, reads(solution, wanted, channel, x)) - wanted.at(channel, x);
  }
  return std::abs(sum) / points;
}

double Requantiser::got(const Wanted& wanted, const std::vector<double>& values) const {
  return as_stored(numerics_.storage, evaluate(*wanted.program.statements[0].value, values));
}

/// The values of most bits that no operation overflows with; where there are none, those that overflow at the fewest
/// samples.
std::optional<Requantiser::Solution> Requantiser::search(const Wanted& wanted) {
  std::optional<Solution> best;
  const auto attempt = [&](const Encoding& encoding) {
    Solution solution = encode(wanted.multipliers, encoding);
    if (!holds(solution, wanted)) return false;
    solution.overflows = share_that_overflows(solution, wanted);
    if (best && best->overflows <= solution.overflows) return false;
    last_ = encoding;
    best = std::move(solution);
    return best->overflows == 0;
  };
  if (scale_ >= 0) {
    attempt({});
    return best;
  }
  if (shift_ < 0) {
    for (int wired = 0; wired < 63; ++wired) {
      if (attempt({0, wired, 1})) break;
    }
    return best;
  }
  // Most bits first: the best precision that the expression's arithmetic can carry.
  const int most = powers_of_two() ? 1 : 31, least = powers_of_two() ? 1 : 4;
  if (const auto last = last_) {
    for (int bits = most; bits >= least; --bits) {
      if (attempt({bits, last->offset, last->sign})) return best;
    }
    if (best && best->overflows <= unavoidable_) return best;
  }
  for (int bits = most; bits >= least; --bits) {
    for (int offset = 0; offset < 63; ++offset) {
      for (int sign : {1, -1}) {
        if (attempt({bits, offset, sign})) return best;
      }
    }
  }
  if (best) unavoidable_ = best->overflows;
  return best;
}

double Requantiser::share_that_overflows(const Solution& solution, const Wanted& wanted) const {
  double samples = 0, count = 0;
  each_sample(solution, wanted, [&](std::size_t, double, const std::vector<double>& values) {
    ++samples;
    count += overflowing(wanted.program.statements[0].value, values) != nullptr;
    return true;
  });
  return count / samples;
}

/// "`x * mult` overflows i32 where x is 91008", the first that is found; empty: nothing does.
std::string Requantiser::first_overflow(const Solution& solution, const Wanted& wanted) const {
  const Statement& statement = wanted.program.statements[0];
  std::string text;
  each_sample(solution, wanted, [&](std::size_t, double x, const std::vector<double>& values) {
    const ExprPtr operation = overflowing(statement.value, values);
    if (!operation) return true;
    std::string shown = to_string(wanted.program, statement, *operation);
    if (const auto index = shown.find("x[i]"); index != std::string::npos) shown.erase(index + 1, 3);  // as written
    text = fmt::format("`{}` overflows {} where x is {:.0f}", shown, name(operation->type), x);
    return false;
  });
  return text;
}

/// Why there is no solution: the operation that overflows, where wider integers would have one; or steps of the wired
/// shift that are too coarse.
std::string Requantiser::cause(const Wanted& wanted) {
  Wanted wide = wanted;
  ExprPtr& expression = wide.program.statements[0].value;
  expression = widened(expression);
  const auto solution = search(wide);
  if (!solution) return shift_ < 0 && mult_ >= 0 ? coarseness(wide) : "";
  const std::string overflow = first_overflow(*solution, wanted);
  return overflow.empty() ? "" : fmt::format(": {}, which sums here may reach", overflow);
}

std::string Requantiser::overflows() const {
  if (overflows_.empty()) return "";
  return fmt::format(
      "requantisation '{}' overflows in {} tensors, and no values of {} would not; the first is {}: sums there wrap, "
      "or are rounded otherwise; a cast around the operands makes room",
      numerics_.requantise, overflows_.size(), parameter_names(), overflows_.front());
}

/// What the nearest factor that a multiplier without a shift gives makes of a sum.
std::string Requantiser::coarseness(const Wanted& wanted) const {
  double least = std::numeric_limits<double>::infinity();
  std::string text;
  for (int wired = 0; wired < 63; ++wired) {
    const Solution solution = encode(wanted.multipliers, {0, wired, 1});
    double worst = 0;
    std::string at;
    const bool fits = each_sample(solution, wanted, [&](std::size_t channel, double x, const auto& values) {
      const double found = got(wanted, values), error = std::abs(found - wanted.at(channel, x));
      if (error <= worst) return true;
      worst = error;
      const auto& factors = solution.values[static_cast<std::size_t>(mult_)];
      at = fmt::format(
          ": with {} = {:.0f}, the nearest for {}, it makes {:.0f} of {:.0f}, which should be {:.1f}; a greater "
          "shift has finer steps",
          numerics_.parameters[static_cast<std::size_t>(mult_)].name, factors[factors.size() == 1 ? 0 : channel],
          wanted.multipliers[channel], found, x, wanted.at(channel, x));
      return true;
    });
    if (!fits || worst >= least) continue;
    least = worst;
    text = at;
  }
  return text;
}

namespace {

/// All that channels are scaled by, in words.
std::string range_of(const std::vector<double>& multipliers) {
  const auto [least, most] = std::ranges::minmax(multipliers);
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

}  // namespace

Requantiser::Wanted Requantiser::wanted(const std::vector<double>& multipliers, double bound, double lo,
                                        double hi) const {
  return {multipliers, bound, lo, hi, reference::requantise_program(form_of(numerics_, lo, hi), false)};
}

double Requantiser::bias(const std::vector<double>& multipliers, double bound, double lo, double hi) {
  const Wanted asked = wanted(multipliers, bound, lo, hi);
  const auto solution = search(asked);
  if (!solution) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t channel = 0; channel < multipliers.size(); ++channel) {
    const double most = bound * multipliers[channel];
    for (const double end : {std::max(lo, -most), std::min(hi, most)})
      worst = std::max(worst, mean_error(*solution, asked, channel, end));
  }
  return worst;
}

std::vector<Tensor> Requantiser::solve(const std::vector<double>& multipliers, std::int64_t channels, double bound,
                                       double lo, double hi, const std::string& tensor_name) {
  assert(multipliers.size() == 1 || std::ssize(multipliers) == channels);
  const Wanted asked = wanted(multipliers, bound, lo, hi);
  const auto solution = search(asked);
  if (!solution) {
    throw Error(fmt::format("requantisation '{}' of tensor {}: no values of {} scale by {} within one unit{}",
                            numerics_.requantise, tensor_name, parameter_names(), range_of(multipliers), cause(asked)));
  }
  if (solution->overflows > 0)
    overflows_.push_back(fmt::format("'{}', where {}", tensor_name, first_overflow(*solution, asked)));
  std::vector<Tensor> parameters;
  for (std::size_t i = 0; i < numerics_.parameters.size(); ++i) {
    const auto& parameter = numerics_.parameters[i];
    parameters.push_back(make_parameter(fmt::format("{}.{}", tensor_name, parameter.name), parameter.type,
                                        parameter.per_channel, solution->values[i], channels));
  }
  return parameters;
}

}  // namespace accord::numerics
