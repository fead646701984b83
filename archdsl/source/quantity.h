#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archdsl/source/arithmetic.h"

namespace accord {

/// What a quantity measures; its base unit in brackets.
enum class Dimension : std::uint8_t {
  none,
  bytes,             ///< [B]: B, kB, MB, GB, KiB, MiB, GiB, TiB
  frequency,         ///< [Hz]: Hz, kHz, MHz, GHz
  time,              ///< [s]: s, ms, us, ns, ps
  cycles,            ///< [cycles]: cycles, cycle
  energy,            ///< [pJ]: fJ, pJ, nJ, uJ
  bytes_per_second,  ///< [B/s]: B/s, kB/s, MB/s, GB/s, TB/s
  word               ///< a bare word such as `in_order` or `i8`, no number
};

/// A number with its dimension, in the base unit. Whole numbers up to 2^63 stay exact.
struct Quantity {
  Dimension dimension = Dimension::none;
  bool integral = true;
  std::int64_t integer = 0;
  double real = 0;
  std::string word;
  std::optional<ArithmeticError> error;  ///< set where the computation went wrong (division by zero, overflow, units)

  double number() const { return integral ? static_cast<double>(integer) : real; }
};

/// What the names in an expression stand for; nullopt where there is none such.
struct QuantityNames {
  std::function<std::optional<Quantity>(std::string_view)> value;
  std::function<std::optional<Quantity>(std::string_view, std::span<const Quantity>)> function;
};

/// Evaluates an expression such as "4 * dim", "256 KiB / ways", "ceil_div(rows, 8)". Whole results stay whole; `/` of
/// whole numbers that do not divide gives a real. Functions: min max ceil_div log2 pow ceil floor select.
/// Throws ArithmeticError.
Quantity evaluate_quantity(std::string_view text, const QuantityNames& names);

/// A number with an optional unit and nothing else ("64 KiB", "-3", "0x10", "1.5 GHz"); nullopt for any other text.
std::optional<Quantity> parse_quantity(std::string_view text);

/// Names of the units that measure a dimension: "B", "kB", ...
std::vector<std::string_view> units_of(Dimension dimension);

/// What parse_quantity reads back: "16", "65536 B", "2.5 pJ".
std::string to_string(const Quantity& quantity);

/// "did you mean `kB`?" where the text is a number with a unit that is nearly a known one; else empty.
std::string suggest_unit(std::string_view text);

/// A quantity that says what is wrong with it.
Quantity failed_quantity(std::size_t offset, std::size_t length, std::string message);

/// A number in the base unit; reals that are whole become whole, so that 0.5 KiB is 512 B.
Quantity make_quantity(double value, Dimension dimension);

/// "bytes (such as `64 B` or `4 KiB`)": for diagnostics.
std::string_view describe(Dimension dimension);

}  // namespace accord
