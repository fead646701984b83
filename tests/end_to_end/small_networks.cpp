#include "tests/end_to_end/small_networks.h"

#include <limits>
#include <set>

#include "compiler/frontends/seeded.h"

namespace accord::test {

namespace {

std::int64_t windows(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                     std::int64_t dilation = 1) {
  return (size + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
}

using Sizes = std::vector<std::int64_t>;

}  // namespace

TensorId NetworkBuilder::input(Shape shape) {
  const auto id =
      network_.add({.name = "x", .type = ElementType::fp32, .shape = std::move(shape), .data = {}, .quantisation = {}});
  network_.inputs.push_back(id);
  return id;
}

TensorId NetworkBuilder::weight(const std::string& op, int place, const Shape& shape) {
  const auto name = "w" + std::to_string(network_.tensors.size());
  return network_.add(make_constant(name, shape, seeded_parameter(op, place, shape, name, seed_)));
}

TensorId NetworkBuilder::emit(const std::string& type, std::vector<TensorId> inputs, Shape shape,
                              std::map<std::string, Attribute> attributes) {
  const auto name = type + std::to_string(network_.operators.size());
  const auto id = network_.add(
      {.name = name, .type = ElementType::fp32, .shape = std::move(shape), .data = {}, .quantisation = {}});
  network_.operators.push_back({name, type, std::move(inputs), {id}, std::move(attributes)});
  return id;
}

TensorId NetworkBuilder::conv(TensorId x, std::int64_t filters, std::int64_t kernel, std::int64_t stride,
                              std::int64_t pad, std::int64_t group, std::int64_t dilation) {
  const Shape in = shape(x);
  const auto w = weight("Conv", 1, {filters, in[1] / group, kernel, kernel});
  const auto bias = weight("Conv", 2, {filters});
  return emit(
      "Conv", {x, w, bias},
      {in[0], filters, windows(in[2], kernel, stride, pad, dilation), windows(in[3], kernel, stride, pad, dilation)},
      {{"strides", Sizes{stride, stride}},
       {"pads", Sizes{pad, pad, pad, pad}},
       {"dilations", Sizes{dilation, dilation}},
       {"group", group}});
}

TensorId NetworkBuilder::conv_along(TensorId x, std::int64_t filters, std::int64_t length, std::int64_t pad) {
  const Shape in = shape(x);
  const auto w = weight("Conv", 1, {filters, in[1], 1, length});
  const auto bias = weight("Conv", 2, {filters});
  return emit("Conv", {x, w, bias}, {in[0], filters, in[2], windows(in[3], length, 1, pad, 1)},
              {{"strides", Sizes{1, 1}},
               {"pads", Sizes{0, pad, 0, pad}},
               {"dilations", Sizes{1, 1}},
               {"group", std::int64_t{1}}});
}

TensorId NetworkBuilder::gemm(TensorId x, std::int64_t outputs) {
  const Shape in = shape(x);
  const auto w = weight("Gemm", 1, {outputs, in[1]});
  const auto bias = weight("Gemm", 2, {outputs});
  return emit("Gemm", {x, w, bias}, {in[0], outputs}, {{"transB", std::int64_t{1}}});
}

TensorId NetworkBuilder::matmul(TensorId a, TensorId b) {
  Shape product = shape(a);
  product.back() = shape(b).back();
  return emit("MatMul", {a, b}, product);
}

TensorId NetworkBuilder::relu(TensorId x) {
  return emit("Clip", {x}, shape(x), {{"min", 0.0}, {"max", std::numeric_limits<double>::infinity()}});
}

TensorId NetworkBuilder::add(TensorId a, TensorId b) { return emit("Add", {a, b}, shape(a)); }

TensorId NetworkBuilder::max_pool(TensorId x, std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  const Shape in = shape(x);
  return emit("MaxPool", {x}, {in[0], in[1], windows(in[2], kernel, stride, pad), windows(in[3], kernel, stride, pad)},
              {{"kernel_shape", Sizes{kernel, kernel}},
               {"strides", Sizes{stride, stride}},
               {"pads", Sizes{pad, pad, pad, pad}},
               {"dilations", Sizes{1, 1}}});
}

TensorId NetworkBuilder::average_pool(TensorId x, std::int64_t kernel, std::int64_t stride) {
  const Shape in = shape(x);
  return emit("AveragePool", {x}, {in[0], in[1], windows(in[2], kernel, stride, 0), windows(in[3], kernel, stride, 0)},
              {{"kernel_shape", Sizes{kernel, kernel}},
               {"strides", Sizes{stride, stride}},
               {"pads", Sizes{0, 0, 0, 0}},
               {"dilations", Sizes{1, 1}},
               {"count_include_pad", std::int64_t{0}}});
}

TensorId NetworkBuilder::concat(const std::vector<TensorId>& parts) {
  Shape joined = shape(parts.front());
  joined[1] = 0;
  for (const auto part : parts) joined[1] += shape(part)[1];
  return emit("Concat", parts, joined, {{"axis", std::int64_t{1}}});
}

TensorId NetworkBuilder::softmax(TensorId x) { return emit("Softmax", {x}, shape(x), {{"axis", std::int64_t{-1}}}); }

TensorId NetworkBuilder::unary(const std::string& type, TensorId x, std::map<std::string, Attribute> attributes) {
  return emit(type, {x}, shape(x), std::move(attributes));
}

TensorId NetworkBuilder::moved(const std::string& type, TensorId x, Shape to,
                               std::map<std::string, Attribute> attributes) {
  return emit(type, {x}, std::move(to), std::move(attributes));
}

TensorId NetworkBuilder::sigmoid(TensorId x) { return emit("Sigmoid", {x}, shape(x)); }

TensorId NetworkBuilder::multiply(TensorId a, TensorId b) { return emit("Mul", {a, b}, shape(a)); }

TensorId NetworkBuilder::flatten(TensorId x) {
  return emit("Reshape", {x}, {shape(x)[0], element_count(shape(x)) / shape(x)[0]});
}

TensorId NetworkBuilder::reshape(TensorId x, Shape to) { return emit("Reshape", {x}, std::move(to)); }

TensorId NetworkBuilder::transpose(TensorId x, const std::vector<std::int64_t>& perm) {
  Shape turned;
  for (const std::int64_t axis : perm) turned.push_back(shape(x)[static_cast<std::size_t>(axis)]);
  return emit("Transpose", {x}, turned, {{"perm", perm}});
}

TensorId NetworkBuilder::scaled(TensorId x, float factor) {
  const TensorId number = network_.add(make_constant("factor", {}, std::vector{factor}));
  return emit("Mul", {x, number}, shape(x));
}

Network NetworkBuilder::finish() {
  std::set<TensorId> read;
  for (const Operator& op : network_.operators) read.insert(op.inputs.begin(), op.inputs.end());
  for (const Operator& op : network_.operators)
    if (!read.contains(op.outputs[0])) network_.outputs.push_back(op.outputs[0]);
  return network_;
}

Network NetworkBuilder::finish(TensorId output) {
  network_.outputs = {output};
  return network_;
}

Network product(std::uint64_t seed, std::int64_t rows, std::int64_t sum, std::int64_t results) {
  NetworkBuilder b(seed);
  return b.finish(b.relu(b.gemm(b.input({rows, sum}), results)));
}

std::vector<NamedNetwork> small_networks(std::uint64_t seed) {
  std::vector<NamedNetwork> all;
  const auto add = [&](const char* name, auto build) {
    NetworkBuilder b(seed);
    all.push_back({name, b.finish(build(b))});
  };
  add("convolution, sizes that no tile divides", [](auto& b) {
    return b.relu(b.conv(b.input({1, 5, 13, 11}), 19, 3, 1, 1));
  });
  add("strided convolution", [](auto& b) { return b.conv(b.input({1, 16, 15, 15}), 24, 3, 2, 1); });
  add("dilated convolution", [](auto& b) { return b.conv(b.input({1, 8, 14, 14}), 8, 3, 1, 2, 1, 2); });
  add("many channels", [](auto& b) { return b.conv(b.input({1, 200, 4, 4}), 150, 1); });
  add("grouped convolution", [](auto& b) { return b.conv(b.input({1, 16, 8, 8}), 32, 3, 1, 1, 4); });
  add("depthwise convolution", [](auto& b) { return b.relu(b.conv(b.input({1, 24, 9, 9}), 24, 3, 1, 1, 24)); });
  add("residual addition", [](auto& b) {
    const auto x = b.relu(b.conv(b.input({1, 8, 10, 10}), 16, 3, 1, 1));
    return b.relu(b.add(b.conv(x, 16, 3, 1, 1), x));
  });
  add("pools", [](auto& b) {
    const auto x = b.conv(b.input({1, 8, 16, 16}), 20, 3, 1, 1);
    return b.average_pool(b.max_pool(x, 3, 2, 1), 8, 8);
  });
  add("concatenation", [](auto& b) {
    const auto x = b.conv(b.input({1, 6, 7, 7}), 10, 1);
    return b.conv(b.concat({b.conv(x, 7, 1), b.conv(x, 9, 3, 1, 1)}), 12, 1);
  });
  add("classifier", [](auto& b) {
    return b.softmax(b.gemm(b.flatten(b.conv(b.input({1, 3, 8, 8}), 8, 3, 2, 1)), 10));
  });
  add("layers that go to the host between those of the machine", [](auto& b) {
    const auto c = b.conv(b.input({1, 16, 20, 20}), 8, 1);
    const auto x = b.multiply(c, b.sigmoid(c));
    const auto y = b.max_pool(x, 5, 1, 2), z = b.max_pool(y, 5, 1, 2);
    return b.conv(b.concat({x, y, z, b.max_pool(z, 5, 1, 2)}), 16, 1);
  });
  add("batched matrix product", [](auto& b) { return b.gemm(b.relu(b.gemm(b.input({5, 70}), 33)), 17); });
  return all;
}

}  // namespace accord::test
