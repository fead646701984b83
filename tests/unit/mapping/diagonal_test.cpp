// Are the block-diagonal forms of a product the product itself, and are wrong ones found out?
#include "compiler/mapping/diagonal.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "archdsl/tensor/interpret.h"
#include "archdsl/tensor/parse.h"
#include "compiler/codelets/codelet.h"
#include "compiler/mapping/candidates.h"
#include "compiler/mapping/groups.h"
#include "tests/unit/mapping/small_layers.h"

using namespace accord;

namespace {

/// A grouped convolution over rows: `groups` groups of `deep` inputs and `wide` results.
struct GroupedSizes {
  std::int64_t groups, wide, deep, rows, taps, stride;
};

Work grouped(const GroupedSizes& z, ElementType data = ElementType::i8, ElementType sum = ElementType::i32) {
  const std::string to(name(sum));
  const auto parsed = parse_statements(
      {fmt::format("y[g*{} + k, p] = bias[g*{} + k]", z.wide, z.wide),
       fmt::format("y[g*{0} + k, p] += {4}(x[g*{1} + c, p*{2} + r - 1]) * {4}(w[g*{0} + k, c, r])", z.wide, z.deep,
                   z.stride, 0, to),
       fmt::format("z[g*{0} + k, p] = {1}(clamp(y[g*{0} + k, p], -100, 100))", z.wide, name(data))},
      {{{"x", data}, {"w", data}, {"y", sum}, {"bias", sum}, {"z", data}}, {}, {"g", "k", "p", "c", "r"}});
  REQUIRE(std::holds_alternative<TensorProgram>(parsed));
  Work work;
  work.program = std::get<TensorProgram>(parsed);
  const std::int64_t extents[] = {z.groups, z.wide, z.rows, z.deep, z.taps};
  for (std::size_t i = 0; i < work.program.iterators.size(); ++i) work.program.iterators[i].extent = extents[i];
  for (const auto& operand : work.program.operands) {
    WorkOperand entry;
    entry.constant = operand.name == "w" || operand.name == "bias";
    const std::int64_t results = z.groups * z.wide;
    if (operand.name == "x") entry.shape = {z.groups * z.deep, (z.rows - 1) * z.stride + z.taps - 2};
    if (operand.name == "w") entry.shape = {results, z.deep, z.taps};
    if (operand.name == "bias") entry.shape = {results};
    if (operand.name == "y" || operand.name == "z") entry.shape = {results, z.rows};
    work.operands.push_back(std::move(entry));
  }
  return work;
}

GroupedSizes drawn(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto from = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(high - low + 1));
  };
  return {from(2, 40), from(1, 3), from(1, 3), from(1, 5), from(2, 3), from(1, 2)};
}

std::string text(const GroupedSizes& z) {
  return fmt::format("{} groups of {} to {}, {} rows, {} taps, stride {}", z.groups, z.deep, z.wide, z.rows, z.taps,
                     z.stride);
}

/// The result `z` of the program, whose operands hold the same seeded values in either form of the work. Results beyond
/// the tensor fall into a margin behind it.
std::vector<std::byte> result_of(const Work& work, const Work& plain, std::int64_t margin) {
  std::vector<DenseTensor> operands;
  int last = work.program.statements.back().target.operand;
  for (std::size_t o = 0; o < work.program.operands.size(); ++o) {
    const std::string& name = work.program.operands[o].name;
    DenseTensor tensor{work.program.operands[o].type, work.operands[o].shape, {}, 0};
    if (name == "y" || name == "z") tensor.shape[0] += margin;
    tensor.data.assign(static_cast<std::size_t>(element_count(tensor.shape) * bytes(tensor.type)), std::byte{0});
    if (name != "y" && name != "z") {
      std::mt19937_64 engine(o);
      for (auto& byte : tensor.data) byte = static_cast<std::byte>(engine() % 256);
    }
    operands.push_back(std::move(tensor));
  }
  interpret(work.program, operands);
  auto data = operands[static_cast<std::size_t>(last)].data;
  data.resize(static_cast<std::size_t>(element_count(plain.operands[static_cast<std::size_t>(last)].shape)));
  return data;
}

std::vector<std::shared_ptr<const WorkForm>> forms_of(const Architecture& architecture, const Work& work) {
  return diagonal_forms(architecture, Limits(architecture), work, 1);
}

}  // namespace

TEST_CASE("does every form mean what the work means") {
  const Architecture gemmini = shipped("gemmini16");
  int forms = 0, beyond = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const GroupedSizes sizes = drawn(seed);
    CAPTURE(seed);
    CAPTURE(text(sizes));
    const Work work = grouped(sizes);
    const auto expected = result_of(work, work, 0);
    const auto found = forms_of(gemmini, work);
    CHECK(found.empty() == (sizes.groups < 2));
    for (const auto& form : found) {
      CAPTURE(form->blocks.front().lanes);
      CHECK(form->blocks.front().lanes * std::max(sizes.wide, sizes.deep) <= 16);
      CHECK(differs(work, *form) == "");
      CHECK(differs_at_points(work, *form) == "");
      const std::int64_t over =
          form->work.program.iterators[static_cast<std::size_t>(form->blocks.front().block)].extent *
          form->blocks.front().lanes;
      CHECK(result_of(form->work, work, (over - sizes.groups) * sizes.wide) == expected);
      ++forms;
      beyond += over > sizes.groups ? 1 : 0;
    }
  }
  CHECK(forms > 60);
  CHECK(beyond > 20);
}

TEST_CASE("which numbers of lanes are tried") {
  const Architecture gemmini = shipped("gemmini16");
  const auto lanes = [&](const GroupedSizes& sizes) {
    std::vector<std::int64_t> result;
    for (const auto& form : forms_of(gemmini, grouped(sizes))) result.push_back(form->blocks.front().lanes);
    return result;
  };
  CHECK(lanes({64, 1, 1, 4, 3, 1}) == std::vector<std::int64_t>{16});  // all that the array holds
  CHECK(lanes({21, 1, 1, 4, 3, 1}) ==
        std::vector<std::int64_t>{7, 11, 16});  // a divisor; two blocks as equal as can be
  CHECK(lanes({5, 1, 1, 4, 3, 1}) == std::vector<std::int64_t>{5});
  CHECK(lanes({32, 4, 4, 4, 3, 1}) == std::vector<std::int64_t>{4});  // four groups side by side
  CHECK(lanes({32, 9, 2, 4, 3, 1}).empty());                          // one group fills the array's columns
}

TEST_CASE("is nothing put on a diagonal where 0 beside it would not be nothing") {
  const Architecture gemmini = shipped("gemmini16");
  const GroupedSizes sizes = {32, 1, 1, 4, 3, 1};
  Work work = grouped(sizes);
  REQUIRE(!forms_of(gemmini, work).empty());
  SUBCASE("both factors vary") {
    for (auto& operand : work.operands) operand.constant = false;
    CHECK(forms_of(gemmini, work).empty());
  }
  SUBCASE("a greatest value") {
    work.program.statements[1].reduction = Reduction::max;
    CHECK(forms_of(gemmini, work).empty());
  }
}

TEST_CASE("are floats put on a diagonal, and do both checks know it as the work") {
  const Work work = grouped({32, 1, 1, 4, 3, 1}, ElementType::bf16, ElementType::fp32);
  const auto forms = forms_of(shipped("timeloop"), work);
  REQUIRE(!forms.empty());
  for (const auto& form : forms) {
    CHECK(differs(work, *form) == "");
    CHECK(differs_at_points(work, *form) == "");
  }
}

TEST_CASE("do both checks find a form that is not the work") {
  const Architecture gemmini = shipped("gemmini16");
  const Work work = grouped({21, 2, 2, 3, 3, 1});
  for (const auto& right : forms_of(gemmini, work)) {
    CAPTURE(right->blocks.front().lanes);
    const auto refused = [&](const auto& change) {
      WorkForm wrong = *right;
      change(wrong, wrong.work.program.statements[1]);
      CHECK(differs(work, wrong) != "");
      CHECK(differs_at_points(work, wrong) != "");
    };
    const auto of = [&](Statement& statement, const char* name) -> Access& {
      return *std::find_if(statement.accesses.begin(), statement.accesses.end(), [&](const Access& access) {
        return right->work.program.operands[static_cast<std::size_t>(access.operand)].name == name;
      });
    };
    refused([&](auto&, Statement& s) { of(s, "w").indices.pop_back(); });          // full, not diagonal
    refused([&](auto&, Statement& s) { of(s, "w").indices.back().offset = 1; });   // beside the diagonal
    refused([&](auto&, Statement& s) { ++of(s, "x").indices[0].offset; });         // another channel
    refused([&](auto&, Statement& s) { --s.target.indices[0].terms[0].second; });  // blocks overlap
    refused([&](WorkForm& form, Statement&) {                                      // blocks are left out
      --form.work.program.iterators[static_cast<std::size_t>(form.blocks.front().block)].extent;
    });
    refused([&](WorkForm& form, Statement&) {  // a lane is left out
      --form.work.program.iterators[static_cast<std::size_t>(form.blocks.front().lane)].extent;
    });
  }
}

TEST_CASE("do assignments of a form count its lanes on the array, a block at a time") {
  const Architecture gemmini = shipped("gemmini16");
  const Machine machine(gemmini);
  const Network network = small_layers(gemmini);
  int of_forms = 0;
  for (const auto& group : group_operators(network)) {
    const Work work = instantiate(network, group.operators, CodeletLibrary::shipped());
    std::vector<std::string> reasons;
    for (const auto& mapping : candidates(machine, network, work, initial_homes(network), reasons)) {
      if (!mapping.form || mapping.form->twin < 0) continue;
      const WorkForm& form = *mapping.form;
      const StatementPlan& main = mapping.steps[0];
      CHECK(machine.capability(main.match).name == "matmul");
      const auto counts = [&](std::size_t d, int it) {
        return std::find(main.chains[d].begin(), main.chains[d].end(), it) != main.chains[d].end();
      };
      CHECK(counts(main.match.way == 0 ? 1 : 0, form.blocks.front().lane));  // else the factors have changed places
      CHECK(counts(2, form.twin));
      CHECK(is_reduction(work, mapping, form.twin));
      CHECK(!is_reduction(work, mapping, form.blocks.front().lane));
      ++of_forms;
    }
  }
  CHECK(of_forms > 0);
}
