// Does a bias that is added at the end give what one that sums begin with gives?
#include "compiler/mapping/late_start.h"

#include <doctest/doctest.h>
#include "tests/unit/mapping/evaluated_work.h"

using namespace accord;
using namespace accord::test;

namespace {

const std::string products_of_bytes = "c[i, j] += i32(a[i, k]) * i32(b[k, j])";
const ProductTypes integer_types = {{"a", ElementType::i8},     {"b", ElementType::i8}, {"c", ElementType::i32},
                                    {"bias", ElementType::i32}, {"y", ElementType::i8}, {"z", ElementType::i8},
                                    {"r", ElementType::i8}};

}  // namespace

TEST_CASE("do sums that begin with 0 and get their bias at the end come to the same") {
  for (const auto& after : std::vector<std::vector<std::string>>{
           {"y[i, j] = i8(clamp(c[i, j] >> 4, -128, 127))"},
           {"y[i, j] = i8(clamp((c[i, j] + i32(r[i, j])) >> 4, -128, 127))", "z[i, j] = max(y[i, j], 0)"},
           {"c[i, j] = max(c[i, j], 0)", "y[i, j] = i8(clamp(c[i, j] >> 4, -128, 127))"},
           {"c[i, j] += i32(r[i, j]) * 3", "y[i, j] = i8(clamp(c[i, j] >> 4, -128, 127))"}}) {
    CAPTURE(after.front());
    std::vector<std::string> statements = {"c[i, j] = bias[j]", products_of_bytes};
    statements.insert(statements.end(), after.begin(), after.end());
    const Work work = product_of(statements, integer_types);
    const auto late = with_late_start(work);
    REQUIRE(late.size() == 3);
    CHECK(late[0].program.statements.size() == statements.size());
    CHECK(late[1].program.statements.size() == statements.size() + 1);
    CHECK(late[2].program.statements.size() == statements.size() + 1);
    for (const Work& other : late) {
      CHECK(other.program.statements[0].value->op == ExprOp::constant);
      CHECK(other.operator_of.size() == other.program.statements.size());
      CHECK(product_result(other) == product_result(work));
    }
  }
}

TEST_CASE("do sums that are the result become an intermediate one behind which the bias is added") {
  ProductTypes narrow = integer_types;
  narrow["bias"] = ElementType::i16;  // added in the sums' type
  for (const ProductTypes& types : {integer_types, narrow}) {
    const Work work = product_of({"c[i, j] = bias[j]", products_of_bytes}, types);
    const auto late = with_late_start(work);
    REQUIRE(late.size() == 2);
    for (const Work& other : late) CHECK(product_result(other) == product_result(work));
    const auto& statements = late[1].program.statements;
    CHECK(statements[0].target.operand != statements[2].target.operand);
  }
}

TEST_CASE("is work left alone that has no tensor to begin with, or is no sum") {
  CHECK(with_late_start(product_of({"c[i, j] = 0", products_of_bytes}, integer_types)).empty());
  CHECK(with_late_start(product_of({"y[i, j] = max(r[i, j], 0)"}, integer_types)).empty());
  CHECK(with_late_start(product_of({"y[i, j] = r[i, j]", "y[i, j] max= a[i, k]"}, integer_types)).empty());
}
