#include <algorithm>
#include <string>
#include <vector>

#include "archdsl/source/error.h"
#include "compiler/reference/broadcast.h"
#include "compiler/reference/contraction.h"
#include "compiler/reference/elements.h"

namespace accord::reference {
namespace {

[[noreturn]] void fail_shapes() { throw Error("shapes of the factors and the product do not agree"); }

/// How element (k, l) of the right-hand matrix lies in its tensor.
struct RightMatrix {
  std::int64_t first = 0, column_stride = 0, row_stride = 0;
};

std::vector<std::ptrdiff_t> strided(std::int64_t count, std::int64_t stride) {
  std::vector<std::ptrdiff_t> offsets(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::ptrdiff_t>(i) * stride;
  return offsets;
}

/// Packs from rows of the tensor where those are contiguous in l, else from rows contiguous in k.
template <typename T>
void pack_panel(const TensorView& w, const RightMatrix& right, std::int64_t length, std::int64_t first,
                std::int64_t width, T* panel) {
  constexpr std::int64_t panel_width = Contraction<T>::panel_width;
  if (right.column_stride == 1) {
    for (std::int64_t l = 0; l < length; ++l) {
      load_range(w, right.first + first + l * right.row_stride, width, panel + l * panel_width);
    }
    return;
  }
  std::vector<T> row(static_cast<std::size_t>(length));
  for (std::int64_t j = 0; j < width; ++j) {
    load_range(w, right.first + (first + j) * right.column_stride, length, row.data());
    for (std::int64_t l = 0; l < length; ++l) panel[l * panel_width + j] = row[static_cast<std::size_t>(l)];
  }
}

/// y[m, n] = bias[n] + sum over l of x[m, l] * w[l, n], stored from element `y_first` on.
template <typename T>
void multiply(const OperatorCall& call, const T* x, std::span<const std::ptrdiff_t> pixels,
              std::span<const std::ptrdiff_t> reduction, const RightMatrix& right, std::int64_t columns, const T* bias,
              std::int64_t y_first) {
  Contraction<T> job;
  job.x = x;
  job.pixels = pixels;
  job.reduction = reduction;
  job.columns = columns;
  job.bias = bias;
  job.pack = [&](std::int64_t first, std::int64_t width, T* panel) {
    pack_panel(call.inputs[1], right, static_cast<std::int64_t>(reduction.size()), first, width, panel);
  };
  job.store = [&](std::int64_t first, std::int64_t width, std::int64_t p, std::int64_t count, const T* tile) {
    for (std::int64_t i = 0; i < count; ++i) {
      store_range<T>(call.outputs[0], y_first + (p + i) * columns + first,
                     {tile + i * Contraction<T>::panel_width, static_cast<std::size_t>(width)});
    }
  };
  contract(job, call.threads);
}

/// Canonical Gemm: x[..., M, K] * w[N, K]^T + bias[N].
template <typename T>
void gemm_canonical(const OperatorCall& call) {
  const Shape &xs = call.inputs[0].shape, &ws = call.inputs[1].shape, &ys = call.outputs[0].shape;
  const std::int64_t length = xs.back(), columns = ys.back();
  const std::int64_t rows = length ? element_count(xs) / length : 0;
  if (ws != Shape{columns, length} || rows * columns != element_count(ys)) fail_shapes();
  const auto x = load_as<T>(call.inputs[0]);
  const auto bias = call.has_input(2) ? load_as<T>(call.inputs[2]) : std::vector<T>{};
  if (!bias.empty() && static_cast<std::int64_t>(bias.size()) != columns) fail_shapes();
  multiply<T>(call, x.data(), strided(rows, length), strided(length, 1), {0, length, 1}, columns,
              bias.empty() ? nullptr : bias.data(), 0);
}

/// ONNX Gemm: alpha * A' * B' + beta * C.
template <typename T>
void gemm_imported(const OperatorCall& call) {
  const Shape &as = call.inputs[0].shape, &bs = call.inputs[1].shape, &ys = call.outputs[0].shape;
  const bool trans_a = attribute(call.op, "transA", std::int64_t{0}) != 0;
  const bool trans_b = attribute(call.op, "transB", std::int64_t{0}) != 0;
  if (as.size() != 2 || bs.size() != 2 || ys.size() != 2) fail_shapes();
  const std::int64_t rows = ys[0], columns = ys[1], length = as[trans_a ? 0 : 1];
  if (as[trans_a ? 1 : 0] != rows || bs[trans_b ? 1 : 0] != length || bs[trans_b ? 0 : 1] != columns) fail_shapes();
  const auto x = load_as<T>(call.inputs[0]);
  const RightMatrix right = trans_b ? RightMatrix{0, length, 1} : RightMatrix{0, 1, columns};
  multiply<T>(call, x.data(), strided(rows, trans_a ? 1 : length), strided(length, trans_a ? rows : 1), right, columns,
              nullptr, 0);
  const auto alpha = static_cast<T>(attribute(call.op, "alpha", 1.0));
  const auto beta = static_cast<T>(call.has_input(2) ? attribute(call.op, "beta", 1.0) : 0.0);
  auto y = load_as<T>(view(call.outputs[0]));
  const auto c = call.has_input(2) ? load_as<T>(call.inputs[2]) : std::vector<T>{0};
  const auto c_index = broadcast_indices(call.has_input(2) ? call.inputs[2].shape : Shape{}, ys);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = alpha * y[i] + beta * c[static_cast<std::size_t>(c_index[i])];
  store_range<T>(call.outputs[0], 0, y);
}

/// Weights [N, K] and a bias [N], alone: leading dimensions of x stay.
bool is_canonical(const OperatorCall& call) {
  for (const char* key : {"transA", "alpha", "beta"}) {
    if (call.op.attributes.contains(key)) return false;
  }
  const bool per_column = !call.has_input(2) || call.inputs[2].shape == Shape{call.outputs[0].shape.back()};
  return per_column && attribute(call.op, "transB", std::int64_t{0}) != 0;
}

void gemm(const OperatorCall& call) {
  if (call.inputs[0].shape.empty() || call.outputs[0].shape.empty()) fail_shapes();
  const bool canonical = is_canonical(call);
  with_sum_type(call.outputs[0].type, [&](auto zero) {
    canonical ? gemm_canonical<decltype(zero)>(call) : gemm_imported<decltype(zero)>(call);
  });
}

Shape leading(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

/// NumPy's matmul: vectors get a dimension of 1, leading dimensions broadcast.
template <typename T>
void matmul(const OperatorCall& call) {
  Shape as = call.inputs[0].shape, bs = call.inputs[1].shape, ys = call.outputs[0].shape;
  const bool vector_a = as.size() == 1, vector_b = bs.size() == 1;
  if (as.empty() || bs.empty()) fail_shapes();
  if (vector_a) as.insert(as.begin(), 1), ys.insert(ys.end() - (vector_b ? 0 : 1), 1);
  if (vector_b) bs.push_back(1), ys.push_back(1);
  if (ys.size() < 2) fail_shapes();
  const std::int64_t rows = as[as.size() - 2], length = as.back(), columns = bs.back();
  if (bs[bs.size() - 2] != length || ys.back() != columns || ys[ys.size() - 2] != rows) fail_shapes();
  const auto a_index = broadcast_indices(leading(as), leading(ys)),
             b_index = broadcast_indices(leading(bs), leading(ys));
  const auto x = load_as<T>(call.inputs[0]);
  const auto pixels = strided(rows, length), reduction = strided(length, 1);
  for (std::size_t batch = 0; batch < a_index.size(); ++batch) {
    multiply<T>(call, x.data() + a_index[batch] * rows * length, pixels, reduction,
                {b_index[batch] * length * columns, 1, columns}, columns, nullptr,
                static_cast<std::int64_t>(batch) * rows * columns);
  }
}

void matmul_any(const OperatorCall& call) {
  with_sum_type(call.outputs[0].type, [&](auto zero) { matmul<decltype(zero)>(call); });
}

}  // namespace

void add_matrix_products(OperatorTable& table) {
  table["Gemm"] = gemm;
  table["MatMul"] = matmul_any;
}

}  // namespace accord::reference
