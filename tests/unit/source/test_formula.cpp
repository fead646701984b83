// Do timing formulas compute what their text says?
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "archdsl/source/formula.h"

using accord::Error;
using accord::Formula;

namespace {

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

std::int64_t value(const std::string& text, const std::vector<std::int64_t>& values = {7, 3, 1}) {
  const std::vector<std::string> names = {"i", "j", "b.load"};
  return Formula(text, names).evaluate(values);
}

std::string mistake(const std::string& text) {
  const std::vector<std::string> names = {"i"};
  try {
    Formula formula(text, names);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("operators bind as in C") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("10 - 2 - 3") == 5);
  CHECK(value("i / j") == 2);
  CHECK(value("i % j") == 1);
  CHECK(value("-i + 8") == 1);
  CHECK(value("- -i") == 7);
  CHECK(value("ceil_div(i, j)") == 3);
  CHECK(value("max(i, j, 9) + min(i, j)") == 12);
  CHECK(value("select(b.load, i, j)") == 7);
  CHECK(value("select(b.load == 0, i, j)") == 3);
  CHECK(value("i > j ? 1 : 2") == 1);
  CHECK(value("i <= j") == 0);
  CHECK(Formula().evaluate({}) == 0);
}

TEST_CASE("division by zero and overflow saturate") {
  CHECK(value("i / 0") == greatest);
  CHECK(value("i % 0") == greatest);
  CHECK(value("ceil_div(i, 0)") == greatest);
  CHECK(value("9223372036854775807 + i") == greatest);
  CHECK(value("9223372036854775807 * i") == greatest);
  CHECK(value("0 - 9223372036854775807 - i") == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("mistakes name their offset") {
  CHECK(mistake("i + k").starts_with("@4: unknown name `k`"));
  CHECK(mistake("i +").starts_with("@3:"));
  CHECK(mistake("").starts_with("@0:"));
  CHECK(mistake("sqrt(i)").starts_with("@0: unknown function"));
  CHECK(mistake("min(i)").starts_with("@0:"));
  CHECK(mistake("1.5 * i").starts_with("@0:"));
  CHECK(mistake("4 B").starts_with("@0:"));
  CHECK(mistake("i i").starts_with("@2:"));
  CHECK(mistake("99999999999999999999").starts_with("@0:"));
  CHECK(mistake(std::string(100000, '(')).find("deeply") != std::string::npos);
  CHECK(mistake(std::string(100000, '-')).find("deeply") != std::string::npos);
}

TEST_CASE("random sums and products agree with plain integers") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::string text = "0";
    std::int64_t expected = 0;
    for (int term = 0; term < 20; ++term) {
      const auto a = static_cast<std::int64_t>(random() % 1000);
      const auto b = static_cast<std::int64_t>(random() % 1000);
      const bool minus = random() % 2 == 0;
      text += (minus ? " - " : " + ") + std::to_string(a) + " * " + std::to_string(b);
      expected += minus ? -a * b : a * b;
    }
    CHECK(value(text) == expected);
  }
}
