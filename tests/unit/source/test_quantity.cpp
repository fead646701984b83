// Do quantities keep their units and their exactness?
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "archdsl/source/quantity.h"
#include "archdsl/source/suggest.h"

using namespace accord;

namespace {

std::string printed(const std::string& text) {
  const auto param = [](std::string_view name) -> std::optional<Quantity> {
    static const std::map<std::string_view, std::string> params = {{"dim", "16"}, {"cap", "256 KiB"}, {"clk", "1 GHz"}};
    const auto found = params.find(name);
    return found == params.end() ? std::nullopt : parse_quantity(found->second);
  };
  const auto table = [](std::string_view name, std::span<const Quantity> arguments) -> std::optional<Quantity> {
    if (name != "e45.double" || arguments.size() != 1) return std::nullopt;
    return make_quantity(2 * arguments[0].number(), arguments[0].dimension);
  };
  try {
    return to_string(evaluate_quantity(text, {param, table}));
  } catch (const ArithmeticError& error) {
    return error.message;
  }
}

}  // namespace

TEST_CASE("literals carry units") {
  CHECK(to_string(parse_quantity("64 KiB").value()) == "65536 B");
  CHECK(to_string(parse_quantity("64KiB").value()) == "65536 B");
  CHECK(to_string(parse_quantity("0.5 KiB").value()) == "512 B");
  CHECK(to_string(parse_quantity("1.5 GHz").value()) == "1500000000 Hz");
  CHECK(to_string(parse_quantity("25.6 GB/s").value()) == "25600000000 B/s");
  CHECK(to_string(parse_quantity("0x10").value()) == "16");
  CHECK(to_string(parse_quantity("010").value()) == "10");
  CHECK(to_string(parse_quantity("-3").value()) == "-3");
  CHECK(to_string(parse_quantity("9223372036854775807").value()) == "9223372036854775807");
  for (const char* const text :
       {"", "B", "16 X", "1 2", "1..2", "--3", "1 + 2", "0x", "1.2.3", "nan", "inf", "1e999", "4 B B"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_quantity(text).has_value());
  }
}

TEST_CASE("expressions respect dimensions") {
  CHECK(printed("4 * dim") == "64");
  CHECK(printed("cap / dim") == "16384 B");
  CHECK(printed("cap / 1 KiB") == "256");
  CHECK(printed("cap + 0") == "262144 B");
  CHECK(printed("16 GB/s / clk") == "16 B");
  CHECK(printed("20 ns * clk") == "20 cycles");
  CHECK(printed("dim / 3 * 3") == "16");
  CHECK(printed("ceil_div(dim, 3)") == "6");
  CHECK(printed("log2(dim)") == "4");
  CHECK(printed("pow(2, 10) * 1 B") == "1024 B");
  CHECK(printed("max(cap, 1 MiB)") == "1048576 B");
  CHECK(printed("dim > 8 ? 1 : 1 / 0") == "1");
  CHECK(printed("cap + 1").starts_with("`+` of bytes"));
  CHECK(printed("cap * cap").starts_with("`*` of bytes"));
  CHECK(printed("1 / 0") == "division by zero");
  CHECK(printed("9223372036854775807 * 2").starts_with("1.8"));
  CHECK(printed("pow(10, 400)") == "the result is too large");
}

TEST_CASE("near names are suggested, far ones are not") {
  const std::vector<std::string> names = {"capacity", "word", "banks"};
  CHECK(nearest("capcity", names) == "capacity");
  CHECK(nearest("wrod", names) == "word");
  CHECK(nearest("Word", names) == "word");
  CHECK(nearest("colour", names).empty());
  CHECK(nearest(std::string(100000, 'w'), names).empty());
}

TEST_CASE("quotients of whole numbers lose nothing to rounding") {
  CHECK(printed("ceil_div(4398046511107, 3)") == "1466015503703");
  CHECK(printed("ceil_div(-7, 2)") == "-3");
  CHECK(printed("floor((2 TiB + 1 B) / 2)") == "1099511627776 B");
  CHECK(printed("ceil((2 TiB + 1 B) / 2)") == "1099511627777 B");
  CHECK(printed("ceil_div(1, 0)") == "division by zero");
}
