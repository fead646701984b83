// Do other forms of a sum element by element give what it gives?
#include "compiler/mapping/element_forms.h"

#include <doctest/doctest.h>

#include "tests/unit/mapping/evaluated_work.h"

using namespace accord;
using namespace accord::test;

namespace {

const ProductTypes sum_types = {{"c", ElementType::i32},
                                {"z", ElementType::i32},
                                {"bias", ElementType::i32},
                                {"r", ElementType::i8},
                                {"y", ElementType::i8}};

const std::string requantised = "y[i, j] = i8(clamp(z[i, j] >> 2, -128, 127))";

}  // namespace

TEST_CASE("do sums that are added where they are read, or in place, come to the same") {
  for (const auto& [statements, forms] : std::vector<std::pair<std::vector<std::string>, std::size_t>>{
           {{"z[i, j] = c[i, j] + bias[j]", requantised}, 2},
           {{"z[i, j] = c[i, j] + bias[j]", "y[i, j] = i8(clamp((z[i, j] * bias[j] + c[i, j]) >> 9, -128, 127))"}, 2},
           {{"z[i, j] = c[i, j] + i32(r[i, j])", requantised}, 1},
           {{"z[i, j] = c[i, j] + bias[j]", "z[i, j] += i32(r[i, j]) * 3", requantised}, 1},
           {{"z[i, j] = c[i, j] + bias[j]"}, 1}}) {
    CAPTURE(statements.back());
    const Work work = product_of(statements, sum_types);
    const auto others = element_forms(work);
    CHECK(others.size() == forms);
    for (const Work& other : others) {
      CHECK(other.operator_of.size() == other.program.statements.size());
      CHECK(other.operands.size() == other.program.operands.size());
      CHECK(product_result(other) == product_result(work));
    }
  }
}

TEST_CASE("does a sum that is computed where it is read leave nothing behind") {
  const Work work = product_of({"z[i, j] = c[i, j] + bias[j]", requantised}, sum_types);
  const Work form = element_forms(work).front();
  CHECK(form.program.statements.size() == 1);
  CHECK(form.operands.size() == work.operands.size() - 1);
  CHECK(form.program.statements[0].accesses.size() == 2);
}

TEST_CASE("is work left alone that begins with no sum, or with one that is rounded") {
  CHECK(element_forms(product_of({"z[i, j] = c[i, j]", requantised}, sum_types)).empty());
  CHECK(element_forms(product_of({"z[i, j] = c[i, j] * bias[j]", requantised}, sum_types)).empty());
  CHECK(element_forms(product_of({"y[i, j] = c[i, j] + bias[j]"}, sum_types)).empty());
}
