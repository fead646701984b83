// oneDNN as the oracle of convolutions, products and pools.
#ifdef ACCORD_HAS_ONEDNN
#include <doctest/doctest.h>
#include <dnnl.hpp>

#include <cmath>

#include "tests/unit/reference/single.h"

namespace accord {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

memory::dims dims_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

memory wrap(const dnnl::engine& engine, Value& value, memory::data_type type, Tag tag) {
  return {{dims_of(value.shape), type, tag}, engine, value.data.data()};
}

struct ConvCase {
  std::int64_t batch, channels, height, width, filters, kernel, stride, pad_begin, pad_end, dilation, group;
  std::int64_t out(std::int64_t in) const {
    return (in + pad_begin + pad_end - dilation * (kernel - 1) - 1) / stride + 1;
  }
  Shape x() const { return {batch, channels, height, width}; }
  Shape w() const { return {filters, channels / group, kernel, kernel}; }
  Shape y() const { return {batch, filters, out(height), out(width)}; }
  std::map<std::string, Attribute> attributes() const {
    using Ints = std::vector<std::int64_t>;
    return {{"strides", Ints{stride, stride}},
            {"dilations", Ints{dilation, dilation}},
            {"pads", Ints{pad_begin, pad_begin, pad_end, pad_end}},
            {"group", group}};
  }
};

const std::vector<ConvCase> conv_cases = {
    {1, 3, 17, 13, 40, 7, 2, 3, 3, 1, 1},  {2, 16, 7, 7, 33, 1, 1, 0, 0, 1, 1}, {1, 12, 9, 11, 12, 3, 2, 1, 0, 1, 12},
    {1, 24, 14, 14, 48, 3, 1, 1, 1, 2, 3}, {3, 5, 6, 6, 1, 3, 1, 2, 2, 1, 1},   {1, 130, 5, 5, 70, 3, 1, 1, 1, 1, 1},
    {1, 64, 4, 4, 16, 4, 1, 0, 0, 1, 1},
};

Value convolve_with_onednn(const ConvCase& c, Value x, Value w, Value bias, memory::data_type in,
                           memory::data_type out) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const Shape grouped = {c.group, c.filters / c.group, c.channels / c.group, c.kernel, c.kernel};
  memory weights({dims_of(grouped), in, Tag::goihw}, engine, w.data.data());
  Value y{out == memory::data_type::f32 ? ElementType::fp32 : ElementType::i32, c.y(),
          std::vector<std::byte>(count_of(c.y()) * 4)};
  memory source = wrap(engine, x, in, Tag::nchw), target = wrap(engine, y, out, Tag::nchw),
         added = wrap(engine, bias, out, Tag::a);
  const memory::dims stride = {c.stride, c.stride}, dilation = {c.dilation - 1, c.dilation - 1};
  const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                             source.get_desc(), weights.get_desc(), added.get_desc(), target.get_desc(),
                                             stride, dilation, {c.pad_begin, c.pad_begin}, {c.pad_end, c.pad_end});
  dnnl::convolution_forward(dnnl::convolution_forward::primitive_desc(desc, engine))
      .execute(stream,
               {{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, added}, {DNNL_ARG_DST, target}});
  stream.wait();
  return y;
}

void check_close(const Value& expected, const Value& got) {
  const auto a = elements_of<float>(expected), b = elements_of<float>(got);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > 1e-4f * (1 + std::abs(a[i])))
      FAIL_CHECK("element " << i << ": " << b[i] << " instead of " << a[i]);
  }
}

TEST_CASE("Does the fp32 convolution agree with oneDNN?") {
  std::mt19937 engine(11);
  for (const ConvCase& c : conv_cases) {
    CAPTURE(c.channels);
    const Value x = random_floats(c.x(), engine), w = random_floats(c.w(), engine),
                bias = random_floats({c.filters}, engine);
    const Value expected = convolve_with_onednn(c, x, w, bias, memory::data_type::f32, memory::data_type::f32);
    check_close(expected, evaluate_single("Conv", {x, w, bias}, ElementType::fp32, c.y(), c.attributes()));
  }
}

TEST_CASE("Does the int8 convolution give oneDNN's integers?") {
  // Without VNNI oneDNN saturates to int16 on the way.
  if (!__builtin_cpu_supports("avx512vnni")) {
    MESSAGE("skipped: oneDNN is inexact on this processor");
    return;
  }
  std::mt19937 engine(12);
  for (const ConvCase& c : conv_cases) {
    CAPTURE(c.channels);
    const Value x = random_i8(c.x(), engine), w = random_i8(c.w(), engine);
    std::vector<std::int32_t> offsets(static_cast<std::size_t>(c.filters));
    for (auto& offset : offsets) offset = static_cast<std::int32_t>(engine() % 100000) - 50000;
    const Value bias = make_value(ElementType::i32, {c.filters}, offsets);
    const Value expected = convolve_with_onednn(c, x, w, bias, memory::data_type::s8, memory::data_type::s32);
    CHECK(expected.data == evaluate_single("Conv", {x, w, bias}, ElementType::i32, c.y(), c.attributes()).data);
  }
}

TEST_CASE("Does the matrix product agree with oneDNN?") {
  std::mt19937 engine(13);
  const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(cpu);
  for (const Shape& size : {Shape{1, 1, 1}, Shape{5, 70, 33}, Shape{300, 7, 100}, Shape{1, 512, 10}}) {
    const std::int64_t m = size[0], k = size[1], n = size[2];
    Value a = random_floats({m, k}, engine), b = random_floats({k, n}, engine);
    Value expected{ElementType::fp32, {m, n}, std::vector<std::byte>(static_cast<std::size_t>(m * n) * 4)};
    memory left = wrap(cpu, a, memory::data_type::f32, Tag::ab), right = wrap(cpu, b, memory::data_type::f32, Tag::ab),
           target = wrap(cpu, expected, memory::data_type::f32, Tag::ab);
    const dnnl::matmul::desc desc(left.get_desc(), right.get_desc(), target.get_desc());
    dnnl::matmul(dnnl::matmul::primitive_desc(desc, cpu))
        .execute(stream, {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, target}});
    stream.wait();
    check_close(expected, evaluate_single("MatMul", {a, b}, ElementType::fp32, {m, n}));
    const Value transposed =
        evaluate_single("Transpose", {b}, ElementType::fp32, {n, k}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    check_close(expected,
                evaluate_single("Gemm", {a, transposed}, ElementType::fp32, {m, n}, {{"transB", std::int64_t{1}}}));
  }
}

TEST_CASE("Do the pools agree with oneDNN?") {
  std::mt19937 engine(14);
  const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(cpu);
  const std::vector<std::int64_t> kernel = {3, 2}, strides = {2, 1}, pads = {1, 0, 1, 1};
  const Shape in = {2, 5, 9, 8}, out = {2, 5, 5, 8};
  Value x = random_floats(in, engine);
  const std::vector<std::tuple<std::string, std::int64_t, dnnl::algorithm>> pools = {
      {"MaxPool", 0, dnnl::algorithm::pooling_max},
      {"AveragePool", 0, dnnl::algorithm::pooling_avg_exclude_padding},
      {"AveragePool", 1, dnnl::algorithm::pooling_avg_include_padding}};
  for (const auto& [type, include, algorithm] : pools) {
    CAPTURE(type);
    Value expected{ElementType::fp32, out, std::vector<std::byte>(count_of(out) * 4)};
    memory source = wrap(cpu, x, memory::data_type::f32, Tag::nchw),
           target = wrap(cpu, expected, memory::data_type::f32, Tag::nchw);
    const dnnl::pooling_forward::desc desc(dnnl::prop_kind::forward_inference, algorithm, source.get_desc(),
                                           target.get_desc(), strides, kernel, {1, 0}, {1, 1});
    dnnl::pooling_forward(dnnl::pooling_forward::primitive_desc(desc, cpu))
        .execute(stream, {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, target}});
    stream.wait();
    check_close(expected,
                evaluate_single(
                    type, {x}, ElementType::fp32, out,
                    {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}, {"count_include_pad", include}}));
  }
}

}  // namespace
}  // namespace accord
#endif
