// Does a convolution whose image lies with rows side by side give the same results, and when is there such a form?
#include "compiler/mapping/interleave.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "archdsl/tensor/interpret.h"
#include "compiler/codelets/codelet.h"
#include "compiler/mapping/groups.h"
#include "tests/draw.h"
#include "tests/unit/mapping/small_layers.h"

using namespace accord;

namespace {

struct ImageSizes {
  std::int64_t batch, channels, height, width, filters, rows, columns, stride, pad;
};

std::int64_t results(const ImageSizes& z) { return (z.height + 2 * z.pad - z.rows) / z.stride + 1; }

std::string text(const ImageSizes& z) {
  return fmt::format("{}x{}x{}x{} by {}x{}x{}, stride {}, pad {}", z.batch, z.channels, z.height, z.width, z.filters,
                     z.rows, z.columns, z.stride, z.pad);
}

Tensor seeded(const std::string& name, ElementType type, const Shape& shape, std::uint64_t seed) {
  Tensor tensor{name, type, shape, nullptr, std::nullopt};
  std::mt19937_64 engine(seed);
  std::vector<std::byte> data(static_cast<std::size_t>(element_count(shape) * bytes(type)));
  for (std::size_t i = 0; i < data.size(); i += static_cast<std::size_t>(bytes(type))) {
    data[i] = static_cast<std::byte>(engine() % 256);
  }
  tensor.data = owned(std::move(data));
  return tensor;
}

/// A Conv in numeric form with a bias, alone, whose padding is `outside`.
Network network_of(const ImageSizes& z, double outside = 0) {
  Network network;
  const TensorId x = network.add({"x", ElementType::i8, {z.batch, z.channels, z.height, z.width}, nullptr, {}});
  const TensorId w = network.add(seeded("w", ElementType::i8, {z.filters, z.channels, z.rows, z.columns}, 1));
  const TensorId bias = network.add(seeded("bias", ElementType::i32, {z.filters}, 2));
  const std::int64_t columns = (z.width + 2 * z.pad - z.columns) / z.stride + 1;
  const TensorId y = network.add({"y", ElementType::i32, {z.batch, z.filters, results(z), columns}, nullptr, {}});
  network.inputs = {x};
  network.outputs = {y};
  Operator conv{"conv", "Conv", {x, w, bias}, {y}, {}};
  conv.attributes["strides"] = Shape{z.stride, z.stride};
  conv.attributes["pads"] = Shape{z.pad, z.pad, z.pad, z.pad};
  conv.attributes["outside"] = outside;
  network.operators.push_back(std::move(conv));
  return network;
}

DenseTensor dense(const Tensor& tensor) {
  DenseTensor result{tensor.type, tensor.shape, {}, 0};
  if (tensor.is_constant()) result.data = tensor.data->copy();
  result.data.resize(static_cast<std::size_t>(element_count(tensor.shape) * bytes(tensor.type)));
  return result;
}

/// The image in another shape: x'[n, C*i + c, h, w] = x[n, c, G*h + i, w].
DenseTensor side_by_side(const DenseTensor& x, std::int64_t rows) {
  DenseTensor image = x;
  const std::int64_t channels = x.shape[1], height = x.shape[2], width = x.shape[3];
  image.shape = {x.shape[0], channels * rows, height / rows, width};
  for (std::int64_t n = 0; n < x.shape[0]; ++n) {
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t h = 0; h < height; ++h) {
        const std::int64_t channel = channels * (h % rows) + c;
        const auto to = ((n * channels * rows + channel) * (height / rows) + h / rows) * width;
        std::memcpy(image.data.data() + to, x.data.data() + ((n * channels + c) * height + h) * width,
                    static_cast<std::size_t>(width));
      }
    }
  }
  return image;
}

/// The image as the codelet GatherRows makes it for the form.
DenseTensor gathered(const Network& network, const InterleavedWork& form, const DenseTensor& x) {
  Network rearranging;
  const TensorId from = rearranging.add(network.tensor(0));
  const TensorId to = rearranging.add(form.image);
  rearranging.operators = {{"rows", "GatherRows", {from}, {to}, {}}};
  const Attribute outside = network.operators[0].attributes.at("outside");
  rearranging.operators[0].attributes = {
      {"rows", form.rows}, {"step", form.step}, {"top", form.top}, {"outside", outside}};
  const Work work = instantiate(rearranging, {0}, CodeletLibrary::shipped());
  const bool first = work.operands[0].tensor == from;
  std::vector<DenseTensor> operands = {first ? x : dense(form.image), first ? dense(form.image) : x};
  operands[first ? 0 : 1].outside = std::get<double>(outside);
  interpret(work.program, operands);
  return operands[first ? 1 : 0];
}

/// What the work computes from `x`; its operands in the order of the network's tensors.
std::vector<std::byte> result_of(const Work& work, const Network& network, const DenseTensor& x, const Tensor& w) {
  std::vector<DenseTensor> operands;
  std::size_t y = 0;
  for (std::size_t o = 0; o < work.operands.size(); ++o) {
    const std::string& name = work.program.operands[o].name;
    const Shape& shape = work.operands[o].shape;
    if (work.operands[o].constant) {
      operands.push_back(dense(shape.size() == 4 ? w : network.tensor(2)));
    } else if (work.program.statements.back().target.operand == static_cast<int>(o)) {
      operands.push_back(dense(network.tensor(3)));
      y = o;
    } else {
      operands.push_back(x);
      operands.back().outside = work.operands[o].outside;
    }
    CAPTURE(name);
    REQUIRE(operands.back().shape == shape);
  }
  interpret(work.program, operands);
  return operands[y].data;
}

Work work_of(const Network& network) { return instantiate(network, {0}, CodeletLibrary::shipped()); }

/// A convolution, an image, and what they give.
struct Case {
  Network network;
  Work work;
  Tensor input;
  std::vector<std::byte> expected;

  Case(const ImageSizes& sizes, int seed)
      : network(network_of(sizes, seed % 2 == 0 ? 0 : seed % 200 - 100)),
        work(work_of(network)),
        input(seeded("x", ElementType::i8, network.tensor(0).shape, static_cast<std::uint64_t>(seed))),
        expected(result_of(work, network, dense(input), network.tensor(1))) {}
};

}  // namespace

TEST_CASE("do rows side by side give the same results") {
  test::Draw draw(7);
  int forms = 0, several = 0;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t stride = draw.from(1, 4);
    const ImageSizes sizes = {draw.from(1, 2), draw.from(1, 4), stride * draw.from(2, 8),
                              draw.from(5, 9), draw.from(1, 4), draw.from(2, 5),
                              draw.from(1, 4), stride,          draw.from(0, 3)};
    if (sizes.height + 2 * sizes.pad < sizes.rows) continue;
    CAPTURE(text(sizes));
    const auto [network, work, input, expected] = Case(sizes, i);
    for (const std::int64_t at_once : {1, 2, 3, 4}) {
      CAPTURE(at_once);
      const auto form = interleave_rows(network, work, at_once);
      if (!form) continue;
      CHECK(form->rows == stride * at_once);
      CHECK(form->image.shape == interleaved(network.tensor(0), form->rows).shape);
      CHECK(result_of(form->work, network, side_by_side(dense(input), form->rows), form->weights) == expected);
      ++forms;
      several += at_once > 1 ? 1 : 0;
    }
  }
  CHECK(forms > 150);
  CHECK(several > 80);
}

TEST_CASE("do rows that lie beside several others give the same results") {
  test::Draw draw(11);
  int forms = 0, stepped = 0;
  for (int i = 0; i < 200; ++i) {
    const ImageSizes sizes = {draw.from(1, 2), draw.from(1, 4), draw.from(5, 17), draw.from(5, 9), draw.from(1, 4),
                              draw.from(2, 7), draw.from(1, 4), draw.from(1, 4),  draw.from(0, 3)};
    if (sizes.height + 2 * sizes.pad < sizes.rows + sizes.stride) continue;  // a single row of results has no loop
    CAPTURE(text(sizes));
    const auto [network, work, input, expected] = Case(sizes, i);
    const std::int64_t at_once = results(sizes) % 3 == 0 ? 3 : 2 - results(sizes) % 2;
    const std::int64_t window = sizes.rows + sizes.stride * (at_once - 1);
    for (std::int64_t rows = 2; rows <= window; ++rows) {
      CAPTURE(rows);
      const auto form = gather_rows(network, work, rows, at_once);
      REQUIRE(form);
      CHECK(form->weights.shape[2] == (window + rows - 1) / rows);
      CHECK(result_of(form->work, network, gathered(network, *form, dense(input)), form->weights) == expected);
      ++forms;
      stepped += form->step > 1 ? 1 : 0;
    }
    const auto offered = gatherable_rows(work, at_once);
    for (std::int64_t rows = 2; rows <= window; ++rows) {
      const bool least = (window + rows - 1) / rows < (window + rows - 2) / (rows - 1);
      CHECK((std::ranges::count(offered, rows) == 1) == least);
    }
    CHECK_FALSE(gather_rows(network, work, 1, at_once));
    CHECK_FALSE(gather_rows(network, work, window + 1, at_once));
  }
  CHECK(forms > 300);
  CHECK(stepped > 100);
}

TEST_CASE("which convolutions have such a form") {
  const auto has = [](const ImageSizes& sizes, std::int64_t at_once) {
    const Network network = network_of(sizes);
    return interleave_rows(network, work_of(network), at_once).has_value();
  };
  CHECK(has({1, 3, 8, 8, 4, 3, 3, 2, 1}, 1));
  CHECK_FALSE(has({1, 3, 9, 8, 4, 3, 3, 2, 1}, 1));  // a row is left over
  CHECK_FALSE(has({1, 3, 8, 8, 4, 3, 3, 1, 1}, 1));  // it is the convolution itself
  CHECK(has({1, 3, 8, 8, 4, 3, 3, 1, 1}, 2));
  CHECK_FALSE(has({1, 3, 8, 8, 4, 3, 3, 1, 0}, 4));  // six rows of results
  CHECK_FALSE(has({1, 3, 8, 8, 4, 1, 1, 2, 0}, 1));  // one row of the filter
}
