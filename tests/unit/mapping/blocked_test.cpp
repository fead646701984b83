// Are the forms of a product for blocked operands the product itself, and are wrong ones found out?
#include "compiler/mapping/blocked.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "archdsl/tensor/interpret.h"
#include "archdsl/tensor/parse.h"
#include "tests/draw.h"
#include "tests/shipped.h"

using namespace accord;
using namespace accord::test;

namespace {

/// Sums over windows of rows: with one tap a plain product.
struct ProductSizes {
  std::int64_t rows, columns, depth, taps;
};

std::string text(const ProductSizes& z) {
  return fmt::format("{} rows by {} columns, sums of {} with {} taps", z.rows, z.columns, z.depth, z.taps);
}

Work product_of(const ProductSizes& z) {
  const auto parsed = parse_statements({"y[m, n] = bias[n]", "y[m, n] += i32(x[m + t - 1, k]) * i32(w[n, k, t])",
                                        "z[m, n] = i8(clamp(y[m, n], -100, 100))"},
                                       {{{"x", ElementType::i8},
                                         {"w", ElementType::i8},
                                         {"y", ElementType::i32},
                                         {"bias", ElementType::i32},
                                         {"z", ElementType::i8}},
                                        {},
                                        {"m", "n", "k", "t"}});
  REQUIRE(std::holds_alternative<TensorProgram>(parsed));
  Work work;
  work.program = std::get<TensorProgram>(parsed);
  const std::int64_t extents[] = {z.rows, z.columns, z.depth, z.taps};
  for (std::size_t i = 0; i < work.program.iterators.size(); ++i) work.program.iterators[i].extent = extents[i];
  for (const auto& operand : work.program.operands) {
    WorkOperand entry;
    entry.constant = operand.name == "w" || operand.name == "bias";
    if (operand.name == "x") entry.shape = {z.rows, z.depth};
    if (operand.name == "w") entry.shape = {z.columns, z.depth, z.taps};
    if (operand.name == "bias") entry.shape = {z.columns};
    if (operand.name == "y" || operand.name == "z") entry.shape = {z.rows, z.columns};
    work.operands.push_back(std::move(entry));
  }
  return work;
}

constexpr std::int64_t margin = 16;  // of results, each way

/// The elements of z in the tensor, with the same seeded operands in any form of the work.
std::vector<std::byte> result_of(const TensorProgram& program, const Work& work) {
  std::vector<DenseTensor> operands;
  for (std::size_t o = 0; o < program.operands.size(); ++o) {
    DenseTensor tensor{program.operands[o].type, work.operands[o].shape, {}, 0};
    const bool written = program.operands[o].name == "y" || program.operands[o].name == "z";
    for (auto& extent : tensor.shape) extent += written ? margin : 0;
    tensor.data.assign(static_cast<std::size_t>(element_count(tensor.shape) * bytes(tensor.type)), std::byte{0});
    std::mt19937_64 engine(o);
    for (auto& byte : tensor.data) byte = written ? byte : static_cast<std::byte>(engine() % 256);
    operands.push_back(std::move(tensor));
  }
  interpret(program, operands);
  const auto z = static_cast<std::size_t>(program.statements.back().target.operand);
  const Shape& shape = work.operands[z].shape;
  std::vector<std::byte> inside;
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    const auto begin = operands[z].data.begin() + row * (shape[1] + margin);
    inside.insert(inside.end(), begin, begin + shape[1]);
  }
  return inside;
}

ProductSizes drawn_product(std::uint64_t seed) {
  Draw draw(seed);
  return {draw.from(1, 40), draw.from(1, 25), draw.from(1, 40), draw.once_in(3) ? 2 : 1};
}

std::vector<std::shared_ptr<const WorkForm>> blocked_of(const Architecture& architecture, const Work& work) {
  return blocked_forms(Machine(architecture), work, 1);
}

}  // namespace

TEST_CASE("does every blocked form mean what the work means") {
  int forms = 0, beyond = 0;
  for (const char* name : {"outer_products", "fractal_cube", "memory_tile"}) {
    const Architecture architecture = described(name);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const ProductSizes sizes = drawn_product(seed);
      CAPTURE(name);
      CAPTURE(seed);
      CAPTURE(text(sizes));
      const Work work = product_of(sizes);
      const auto expected = result_of(work.program, work);
      for (const auto& form : blocked_of(architecture, work)) {
        CHECK(differs(work, *form) == "");
        CHECK(differs_at_points(work, *form) == "");
        CHECK(result_of(form->work.program, work) == expected);
        ++forms;
        for (const auto& blocks : form->blocks) {
          const auto& whole = work.program.iterators[static_cast<std::size_t>(blocks.block)];
          beyond += whole.extent % blocks.lanes != 0 ? 1 : 0;
        }
      }
    }
  }
  CHECK(forms > 80);
  CHECK(beyond > 20);
}

TEST_CASE("which loops are cut into blocks, and into how long ones") {
  const auto lanes = [](const char* name, const ProductSizes& sizes) {
    std::vector<std::vector<std::int64_t>> result;
    const Architecture architecture = described(name);
    for (const auto& form : blocked_of(architecture, product_of(sizes))) {
      std::vector<std::int64_t> of_form;
      for (const auto& blocks : form->blocks) of_form.push_back(blocks.lanes);
      result.push_back(of_form);
    }
    return result;
  };
  using Lanes = std::vector<std::vector<std::int64_t>>;
  CHECK(lanes("outer_products", {16, 16, 64, 1}) == Lanes{{4}});  // groups of four of the sum
  CHECK(lanes("outer_products", {16, 16, 4, 1}).empty());         // one dim holds them all
  CHECK(lanes("fractal_cube", {16, 16, 64, 1}) == Lanes{{16}});
  CHECK(lanes("fractal_cube", {16, 64, 64, 1}).size() == 3);  // of the sum, of the columns, of both
}

TEST_CASE("do both checks find a blocked form that is not the work") {
  const Work work = product_of({21, 35, 30, 2});
  const Architecture architecture = described("memory_tile");
  const auto forms = blocked_of(architecture, work);
  REQUIRE(!forms.empty());
  for (const auto& right : forms) {
    const auto refused = [&](const auto& change) {
      WorkForm wrong = *right;
      change(wrong, wrong.work.program.statements[1]);
      CHECK(differs(work, wrong) != "");
      CHECK(differs_at_points(work, wrong) != "");
    };
    const auto [block, lane, count, dim] = right->blocks.back();
    refused([&](auto&, Statement& s) { ++s.accesses[0].indices[0].offset; });           // another row
    refused([&](auto&, Statement& s) { --s.accesses[1].indices[1].terms[0].second; });  // another weight
    refused([&, b = block](WorkForm& form, Statement&) {                                // blocks are left out
      --form.work.program.iterators[static_cast<std::size_t>(b)].extent;
    });
    refused([&, l = lane](WorkForm& form, Statement&) {  // a lane is left out
      --form.work.program.iterators[static_cast<std::size_t>(l)].extent;
    });
  }
}

TEST_CASE("does a sum go on into what is beyond its end only where that is 0") {
  const Architecture architecture = described("outer_products");
  Work work = product_of({16, 16, 30, 1});
  const auto beyond = [&](const Work& of) {
    return std::ranges::any_of(blocked_of(architecture, of), [&](const auto& form) {
      return std::ranges::any_of(form->blocks, [](const Blocks& blocks) { return blocks.lanes == 4; });
    });
  };
  CHECK(beyond(work));
  for (auto& operand : work.operands) operand.outside = 1;
  CHECK_FALSE(beyond(work));
}
