// Does a convolution whose result lies with every m-th column side by side give the same results, and which m are
// worth a look?
#include "compiler/mapping/result_columns.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "archdsl/tensor/interpret.h"
#include "compiler/codelets/codelet.h"
#include "tests/draw.h"
#include "tests/shipped.h"

using namespace accord;

namespace {

struct Sizes {
  std::int64_t batch, groups, channels, height, width, filters, kernel, stride, pad;
  std::int64_t results(std::int64_t size) const { return (size + 2 * pad - kernel) / stride + 1; }
};

std::string described(const Sizes& z) {
  return fmt::format("{} groups of {}x{}x{} by {}x{}, stride {}, pad {}", z.groups, z.channels, z.height, z.width,
                     z.filters, z.kernel, z.stride, z.pad);
}

std::vector<std::byte> random_bytes(const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::byte> data(static_cast<std::size_t>(element_count(shape)));
  for (auto& byte : data) byte = static_cast<std::byte>(engine() % 256);
  return data;
}

/// A Conv in groups and a ReLU of it.
Network conv_and_relu(const Sizes& z) {
  Network network;
  const TensorId x = network.add({"x", ElementType::i8, {z.batch, z.groups * z.channels, z.height, z.width}, {}, {}});
  Tensor weights{"w", ElementType::i8, {z.groups * z.filters, z.channels, z.kernel, z.kernel}, nullptr, {}};
  weights.data = owned(random_bytes(weights.shape, 1));
  const TensorId w = network.add(std::move(weights));
  const Shape results = {z.batch, z.groups * z.filters, z.results(z.height), z.results(z.width)};
  const TensorId sum = network.add({"sum", ElementType::i32, results, {}, {}});
  const TensorId y = network.add({"y", ElementType::i32, results, {}, {}});
  network.inputs = {x};
  network.outputs = {y};
  Operator conv{"conv", "Conv", {x, w}, {sum}, {}};
  conv.attributes = {{"strides", Shape{z.stride, z.stride}},
                     {"pads", Shape{z.pad, z.pad, z.pad, z.pad}},
                     {"group", z.groups},
                     {"outside", 0.0}};
  network.operators = {conv, {"relu", "Relu", {sum}, {y}, {}}};
  return network;
}

/// What the work writes last, from `x` and the network's weights.
DenseTensor result_of(const Work& work, const Network& network, const std::vector<std::byte>& x) {
  std::vector<DenseTensor> operands;
  for (std::size_t o = 0; o < work.operands.size(); ++o) {
    const WorkOperand& operand = work.operands[o];
    DenseTensor value{work.program.operands[o].type, operand.shape, {}, operand.outside};
    value.data.resize(static_cast<std::size_t>(element_count(operand.shape) * bytes(value.type)));
    if (operand.constant) value.data = network.tensor(operand.tensor).data->copy();
    if (operand.tensor == network.inputs[0]) value.data = x;
    operands.push_back(std::move(value));
  }
  interpret(work.program, operands);
  return operands[work.program.statements.back().target.operand];
}

/// y[n, k, p, m*j + e] of y'[n, m*k + e, p, j].
std::vector<std::byte> put_together(const DenseTensor& apart, std::int64_t m) {
  const std::int64_t rows = apart.shape[2], columns = apart.shape[3];
  std::vector<std::byte> whole(apart.data.size());
  for (std::int64_t i = 0; i < element_count(apart.shape); ++i) {
    const std::int64_t j = i % columns, p = i / columns % rows, channel = i / columns / rows;  // n with it
    const std::int64_t to = ((channel / m * rows + p) * columns + j) * m + channel % m;
    std::copy_n(apart.data.begin() + i * bytes(apart.type), bytes(apart.type), whole.begin() + to * bytes(apart.type));
  }
  return whole;
}

}  // namespace

TEST_CASE("do columns that lie apart hold the same results") {
  test::Draw draw(5);
  int forms = 0;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t kernel = draw.from(1, 4);
    const Sizes sizes = {draw.from(1, 2), draw.from(1, 3), draw.from(1, 2), draw.from(4, 8), draw.from(4, 13),
                         draw.from(1, 2), kernel,          draw.from(1, 3), draw.from(0, 2)};
    CAPTURE(described(sizes));
    const Network network = conv_and_relu(sizes);
    const Work work = instantiate(network, {0, 1}, CodeletLibrary::shipped());
    const auto x = random_bytes(network.tensor(0).shape, static_cast<std::uint64_t>(i));
    const DenseTensor expected = result_of(work, network, x);
    const std::int64_t columns = sizes.results(sizes.width);
    for (std::int64_t m = 1; m <= columns; ++m) {
      CAPTURE(m);
      const auto form = split_columns(network, work, m);
      CHECK(form.has_value() == (columns > 1 && columns % m == 0));
      if (!form) continue;
      ++forms;
      const DenseTensor apart = result_of(form->work, network, x);
      const Shape& whole = expected.shape;
      CHECK(form->result.shape == Shape{whole[0], m * whole[1], whole[2], whole[3] / m});
      CHECK(apart.shape == form->result.shape);
      CHECK(put_together(apart, m) == expected.data);
    }
  }
  CHECK(forms > 300);
}

TEST_CASE("which columns apart suit a machine's operands") {
  const auto apart = [](const char* machine, std::int64_t stride, std::int64_t width) {
    const Network network = conv_and_relu({1, 8, 1, width, width, 1, 3, stride, 1});
    return columns_apart(shipped(machine), instantiate(network, {0, 1}, CodeletLibrary::shipped()));
  };
  using Columns = std::vector<std::int64_t>;
  CHECK(apart("hvx", 1, 16) == Columns{4});  // vrmpy reads positions four bytes apart
  CHECK(apart("hvx", 2, 16) == Columns{2});
  CHECK(apart("hvx", 4, 16) == Columns{1});
  CHECK(apart("hvx", 3, 18) == Columns{});
  CHECK(apart("hvx", 2, 17) == Columns{});      // nine columns
  CHECK(apart("bf16npu", 1, 16) == Columns{});  // it has no operand of eight bits
}
