#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/interpret.h"
#include "archdsl/tensor/kernel.h"
#include "archdsl/tensor/parse.h"

using namespace accord;

namespace {

using Random = std::mt19937;

std::int64_t uniform(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

template <typename T>
const T& pick(Random& random, const std::vector<T>& from) {
  return from[static_cast<std::size_t>(uniform(random, 0, static_cast<std::int64_t>(from.size()) - 1))];
}

/// An operand in memory whose dimensions lie in any order, with gaps.
struct Layout {
  std::vector<std::int64_t> strides;  ///< bytes
  std::vector<std::byte> memory;
  std::vector<std::int64_t> steps;  ///< bytes, by iterator
  std::int64_t base = 0;
};

std::size_t element_count(const DenseTensor& tensor) {
  return tensor.data.size() / static_cast<std::size_t>(bytes(tensor.type));
}

Layout random_layout(const DenseTensor& tensor, Random& random) {
  Layout result;
  const std::size_t rank = tensor.shape.size();
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (uniform(random, 0, 1)) std::shuffle(order.begin(), order.end(), random);
  result.strides.resize(rank);
  std::int64_t stride = bytes(tensor.type) * (uniform(random, 0, 3) ? 1 : 2);
  for (std::size_t d = rank; d-- > 0;) {
    result.strides[order[d]] = stride;
    stride *= tensor.shape[order[d]];
    if (uniform(random, 0, 1)) stride += bytes(tensor.type) * 3;
  }
  result.memory.resize(static_cast<std::size_t>(stride) + 8, std::byte{0x5A});
  return result;
}

// Copies between dense and laid-out memory.
template <typename Copy>
void for_each_element(const DenseTensor& tensor, const Layout& layout, Copy copy) {
  for (std::size_t n = 0; n < element_count(tensor); ++n) {
    std::size_t rest = n;
    std::int64_t address = 0;
    for (std::size_t d = tensor.shape.size(); d-- > 0;) {
      const auto extent = static_cast<std::size_t>(tensor.shape[d]);
      address += static_cast<std::int64_t>(rest % extent) * layout.strides[d];
      rest /= extent;
    }
    copy(n * static_cast<std::size_t>(bytes(tensor.type)), static_cast<std::size_t>(address));
  }
}

void place(Layout& layout, const Access& access, std::size_t iterators) {
  layout.steps.assign(iterators, 0);
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    layout.base += access.indices[d].offset * layout.strides[d];
    for (const auto& [iterator, coefficient] : access.indices[d].terms)
      layout.steps[static_cast<std::size_t>(iterator)] += coefficient * layout.strides[d];
  }
}

const Access& access_of(const Statement& statement, int operand) {
  if (statement.target.operand == operand) return statement.target;
  return *std::find_if(statement.accesses.begin(), statement.accesses.end(),
                       [&](const Access& access) { return access.operand == operand; });
}

// Runs the kernel on a copy of the operands in random layouts, and copies the result back.
void run_kernel(const TensorProgram& program, std::vector<DenseTensor>& operands, Random& random) {
  std::vector<Layout> layouts;
  std::vector<StridedOperand> strided;
  const Statement& statement = program.statements[0];
  for (std::size_t o = 0; o < operands.size(); ++o) {
    layouts.push_back(random_layout(operands[o], random));
    place(layouts[o], access_of(statement, static_cast<int>(o)), program.iterators.size());
    for_each_element(operands[o], layouts[o], [&](std::size_t dense, std::size_t laid) {
      std::memcpy(&layouts[o].memory[laid], &operands[o].data[dense],
                  static_cast<std::size_t>(bytes(operands[o].type)));
    });
  }
  for (Layout& layout : layouts) strided.push_back({layout.memory.data() + layout.base, layout.steps});
  std::vector<std::int64_t> extents;
  for (const Iterator& iterator : program.iterators) extents.push_back(iterator.extent);
  Kernel(program, 0).run(extents, strided);
  for (std::size_t o = 0; o < operands.size(); ++o)
    for_each_element(operands[o], layouts[o], [&](std::size_t dense, std::size_t laid) {
      std::memcpy(&operands[o].data[dense], &layouts[o].memory[laid],
                  static_cast<std::size_t>(bytes(operands[o].type)));
    });
}

double random_value(ElementType type, Random& random) {
  const double small = static_cast<double>(uniform(random, -40, 40)) / (is_float(type) ? 8.0 : 1.0);
  if (uniform(random, 0, 15)) return small;
  const std::vector<double> special = {0.0, -0.0, lowest(type), highest(type), 1e-30, 3e38, -7.5, 0.5, INFINITY, NAN};
  return pick(random, special);
}

// Shapes that hold every access of the program, with random contents.
std::vector<DenseTensor> random_operands(const TensorProgram& program, Random& random) {
  std::vector<DenseTensor> result;
  for (std::size_t o = 0; o < program.operands.size(); ++o) {
    const Access& access = access_of(program.statements[0], static_cast<int>(o));
    DenseTensor tensor{program.operands[o].type, {}, {}, 0};
    std::size_t count = 1;
    for (const AffineIndex& index : access.indices) {
      std::int64_t extent = index.offset + 1;
      for (const auto& [iterator, coefficient] : index.terms)
        extent += coefficient * (program.iterators[static_cast<std::size_t>(iterator)].extent - 1);
      tensor.shape.push_back(std::max<std::int64_t>(extent, 0));
      count *= static_cast<std::size_t>(tensor.shape.back());
    }
    const auto size = static_cast<std::size_t>(bytes(tensor.type));
    tensor.data.resize(count * size);
    for (std::size_t n = 0; n < count; ++n)
      store_element(&tensor.data[n * size], tensor.type, random_value(tensor.type, random));
    result.push_back(std::move(tensor));
  }
  return result;
}

// The index of the first difference, any NaN being equal to any other; -1 for none.
int first_difference(const DenseTensor& a, const DenseTensor& b) {
  const auto size = static_cast<std::size_t>(bytes(a.type));
  for (std::size_t at = 0; at < a.data.size(); at += size) {
    if (std::memcmp(&a.data[at], &b.data[at], size) == 0) continue;
    const double x = load_element(&a.data[at], a.type);
    const double y = load_element(&b.data[at], b.type);
    if (!std::isnan(x) || !std::isnan(y)) return static_cast<int>(at / size);
  }
  return -1;
}

void compare(TensorProgram program, Random& random) {
  const std::string text = to_string(program, program.statements[0]);
  std::string where = text;
  for (const Iterator& iterator : program.iterators)
    where += " " + iterator.name + "=" + std::to_string(iterator.extent);
  for (const Operand& operand : program.operands) where += " " + operand.name + ":" + std::string(name(operand.type));
  CAPTURE(where);
  std::vector<DenseTensor> expected = random_operands(program, random);
  std::vector<DenseTensor> found = expected;
  interpret(program, expected);
  run_kernel(program, found, random);
  const auto target = static_cast<std::size_t>(program.statements[0].target.operand);
  const int difference = first_difference(expected[target], found[target]);
  if (difference >= 0) {
    const auto at = static_cast<std::size_t>(difference * bytes(expected[target].type));
    CAPTURE(load_element(&expected[target].data[at], expected[target].type));
    CAPTURE(load_element(&found[target].data[at], found[target].type));
    REQUIRE(difference == -1);
  }
}

TensorProgram parsed(const std::string& text, std::map<std::string, ElementType> types,
                     const std::map<std::string, std::int64_t>& extents) {
  StatementContext context;
  context.operand_types = std::move(types);
  const auto result = parse_statements({text}, context);
  if (const auto* error = std::get_if<StatementError>(&result)) FAIL(text << ": " << error->message);
  auto program = std::get<TensorProgram>(result);
  for (Iterator& iterator : program.iterators) iterator.extent = extents.at(iterator.name);
  return program;
}

// Random expressions over the given leaves.
std::string random_expression(Random& random, const std::vector<std::string>& leaves, int depth) {
  if (depth == 0 || uniform(random, 0, 5) == 0) return pick(random, leaves);
  const auto inner = [&] { return random_expression(random, leaves, depth - 1); };
  static const std::vector<std::string> infix = {"+", "-", "*", "/", "<", "==", "<<", ">>", "+", "-", "*"};
  static const std::vector<std::string> functions = {
      "round", "round_away", "floor", "ceil", "abs",  "sqrt",    "relu",    "i4",   "i8",  "u8", "i16",
      "i32",   "i64",        "fp32",  "fp16", "bf16", "fp8e4m3", "fp8e5m2", "tanh", "exp", "-"};
  switch (uniform(random, 0, 9)) {
    case 0: return "min(" + inner() + ", " + inner() + ")";
    case 1: return "clamp(" + inner() + ", " + inner() + ", " + inner() + ")";
    case 2: return "select(" + inner() + ", " + inner() + ", " + inner() + ")";
    case 3:
    case 4:
    case 5: return pick(random, functions) + "(" + inner() + ")";
    default: return "(" + inner() + " " + pick(random, infix) + " " + inner() + ")";
  }
}

}  // namespace

TEST_CASE("kernels give what the interpreter gives on random statements") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  const std::vector<std::string> targets = {"y[i,j]", "y[j,i]",     "y[i]",     "y[k]",
                                            "y",      "y[i + 2*j]", "y[i + j]", "y[k,j,i]"};
  const std::vector<std::string> accesses = {"[i,j]", "[j,i]",           "[i]", "[j]", "[k]", "", "[i,k]",
                                             "[k,j]", "[2*i + k, j + 1]"};
  const std::vector<std::string> reductions = {"=", "+=", "max=", "min="};
  const std::vector<std::string> literals = {"1", "-3", "2", "0"};
  int executed = 0;
  while (executed < 1500) {
    StatementContext context;
    context.iterator_order = {"i", "j", "k"};
    std::shuffle(context.iterator_order.begin(), context.iterator_order.end(), random);
    std::vector<std::string> leaves;
    for (const char* operand : {"a", "b", "c"}) leaves.push_back(operand + pick(random, accesses));
    for (const char* operand : {"a", "b", "c", "y"})
      context.operand_types[operand] = static_cast<ElementType>(uniform(random, 0, 10));
    leaves.push_back(pick(random, literals));
    const std::string target = pick(random, targets);
    if (uniform(random, 0, 9) == 0) leaves.push_back(target);
    const std::string text = target + " " + pick(random, reductions) + " " + random_expression(random, leaves, 4);
    auto result = parse_statements({text}, context);
    if (std::holds_alternative<StatementError>(result)) continue;
    auto program = std::get<TensorProgram>(result);
    for (Iterator& iterator : program.iterators) {
      iterator.extent = uniform(random, 0, 15) == 0 ? uniform(random, 200, 600) : uniform(random, 1, 9);
      if (uniform(random, 0, 60) == 0) iterator.extent = 0;
    }
    std::int64_t points = 1;
    for (const Iterator& iterator : program.iterators) points *= iterator.extent;
    if (points > 20000) continue;
    if (std::any_of(program.iterators.begin(), program.iterators.end(),
                    [](const Iterator& i) { return i.extent == 0; }))
      for (Iterator& iterator : program.iterators) iterator.extent = std::min<std::int64_t>(iterator.extent, 1);
    compare(program, random);
    ++executed;
  }
}

TEST_CASE("products of every type pair agree with the interpreter at awkward sizes") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  const std::vector<ElementType> integers = {ElementType::i4, ElementType::i8, ElementType::u8, ElementType::i16};
  const std::vector<ElementType> floats = {ElementType::fp8e4m3, ElementType::fp8e5m2, ElementType::fp16,
                                           ElementType::bf16, ElementType::fp32};
  const std::vector<std::string> forms = {
      "c[i,j] += T(a[i,k]) * T(b[k,j])",
      "c[i,j] += T(a[i,k]) * T(b[j,k])",
      "c[j,i] += T(a[k,i]) * T(b[j,k])",
      "c[j] += T(a[k]) * T(b[j,k])",
      "c[n,i,j] += T(a[n,i,k]) * T(b[n,k,j])",
      "c[i,j,n] += T(a[i + k, j + n]) * T(b[k,n])",
      "c[i,j] += T(a[i + k,j + n]) * T(b[k,n])",
      "c[i,j] += T(a[i,2*k + n]) * T(b[k,n,j])",
      "c[i] += T(a[i]) * T(b[i])",
      "c[i] += T(a[i,k]) * T(b[i,k])",
      "c += T(a[i]) * T(b[i])",
  };
  for (int run = 0; run < 250; ++run) {
    const bool integer = uniform(random, 0, 1);
    const std::string type = integer ? "i32" : "fp32";
    std::string text = pick(random, forms);
    for (std::size_t at; (at = text.find('T')) != std::string::npos;) text.replace(at, 1, type);
    const auto extent = [&] { return uniform(random, 0, 3) ? uniform(random, 1, 20) : uniform(random, 21, 80); };
    const TensorProgram program =
        parsed(text,
               {{"a", pick(random, integer ? integers : floats)},
                {"b", pick(random, integer ? integers : floats)},
                {"c", *parse_element_type(type)}},
               {{"i", extent()}, {"j", extent()}, {"k", extent()}, {"n", uniform(random, 1, 4)}});
    compare(program, random);
  }
}

TEST_CASE("a product larger than every block is exact") {
  Random random(7);
  for (const char* form : {"c[i,j] += i32(a[i,k]) * i32(b[k,j])", "c[i,j] += i32(a[i,k]) * i32(b[j,k])"})
    compare(parsed(form, {{"a", ElementType::i8}, {"b", ElementType::u8}, {"c", ElementType::i32}},
                   {{"i", 70}, {"j", 130}, {"k", 300}}),
            random);
  compare(parsed("c[i,j] += fp32(a[i,k]) * fp32(b[k,j])",
                 {{"a", ElementType::bf16}, {"b", ElementType::bf16}, {"c", ElementType::fp32}},
                 {{"i", 70}, {"j", 130}, {"k", 200}}),
          random);
}

TEST_CASE("a last block of one row does not disturb blocks that were loaded before") {
  Random random(5);
  for (const char* text : {"y[k,j,i] min= b[i] + a[j]", "y[k,j,i] += select(a[j] < 0, b[i], a[j])"})
    compare(parsed(text, {{"a", ElementType::fp32}, {"b", ElementType::fp32}, {"y", ElementType::fp32}},
                   {{"i", 9}, {"j", 365}, {"k", 3}}),
            random);
}

TEST_CASE("remainders agree in every type") {
  Random random(13);
  for (const auto type :
       {ElementType::i8, ElementType::u8, ElementType::i32, ElementType::i64, ElementType::bf16, ElementType::fp32})
    compare(parsed("y[i,j] = remainder(a[i,j], b[j])", {{"a", type}, {"b", type}, {"y", type}}, {{"i", 7}, {"j", 45}}),
            random);
}

TEST_CASE("every rounding and saturating cast agrees on hard floats") {
  Random random(11);
  for (const char* function :
       {"round",   "round_away", "floor", "ceil", "i4",   "i8",   "u8",   "i16",   "i32",   "i64",
        "fp8e4m3", "fp8e5m2",    "fp16",  "bf16", "exp",  "tanh", "sqrt", "log",   "erf",   "sin",
        "cos",     "tan",        "asin",  "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh"}) {
    TensorProgram program = parsed(std::string("y[i] = ") + function + "(x[i])",
                                   {{"x", ElementType::fp32}, {"y", ElementType::fp32}}, {{"i", 4000}});
    std::vector<DenseTensor> expected(2);
    for (DenseTensor& tensor : expected) tensor = {ElementType::fp32, {4000}, std::vector<std::byte>(16000), 0};
    for (std::size_t n = 0; n < 4000; ++n) {
      auto pattern = static_cast<std::uint32_t>(random());
      const float near_tie = static_cast<float>(uniform(random, -600, 600)) * 0.5f;
      if (n % 2) std::memcpy(&pattern, &near_tie, 4);
      pattern += static_cast<std::uint32_t>(uniform(random, -1, 1));
      std::memcpy(&expected[1].data[4 * n], &pattern, 4);
    }
    std::vector<DenseTensor> found = expected;
    interpret(program, expected);
    run_kernel(program, found, random);
    CAPTURE(function);
    CHECK(first_difference(expected[0], found[0]) == -1);
  }
}

TEST_CASE("an operand accessed in two ways is refused") {
  CHECK_THROWS_AS(
      Kernel(parsed("y[i] = x[i] + x[i + 1]", {{"x", ElementType::i8}, {"y", ElementType::i8}}, {{"i", 1}}), 0),
      std::invalid_argument);
  CHECK_NOTHROW(
      Kernel(parsed("y[i] = y[i] + x[i] * x[i]", {{"x", ElementType::i8}, {"y", ElementType::i8}}, {{"i", 1}}), 0));
}
