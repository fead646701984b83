// MatMulInteger and ConvInteger become products of i8, which machines have; what zero points add to the sums is taken
// off them afterwards, or is a constant bias. Convolutions whose weights have zero points that i8 cannot take in are
// those of i32.
#include <algorithm>

#include "compiler/network/constants.h"
#include "compiler/network/passes/graph_index.h"
#include "compiler/network/passes/integer_factors.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;

bool is_product(const Operator& op) { return op.type == "MatMulInteger" || op.type == "ConvInteger"; }

TensorId input_of(const Operator& op, std::size_t i) { return i < op.inputs.size() ? op.inputs[i] : no_tensor; }

/// Constant [K,N] as [N,K].
Tensor turned(const Tensor& b) {
  const Shape shape = {b.shape.back(), b.shape[b.shape.size() - 2]};
  return {b.name, b.type, shape, transposed_matrix(b), std::nullopt};
}

/// Writes what one product becomes.
class ProductExpansion {
 public:
  ProductExpansion(Network& network, const Operator& op, IntegerFactors& factors, std::vector<Operator>& operators)
      : network_(network), op_(op), factors_(factors), list_(network, op.name, operators) {}

  void multiply() {
    Shape rows = zero_shape(2);
    if (rows.size() == 1) rows.push_back(1);
    const auto a = factors_.factor(list_, "a", op_.inputs[0], input_of(op_, 2), rows);
    const auto b = factors_.factor(list_, "b", op_.inputs[1], input_of(op_, 3), zero_shape(3));
    const bool gemm = factors_.is_constant(b.x) && is_matrix(b.x) && rank(b.x) <= std::max<std::size_t>(2, rank(a.x));
    Product product{"MatMul", {a.x, b.x}, {}, no_tensor};
    if (gemm) {
      const auto weights = network_.add(turned(network_.tensor(b.x)));
      product = {"Gemm", {a.x, weights}, {{"transB", std::int64_t{1}}}, no_tensor};
      if (a.zero != no_tensor) product.sums = network_.add(sums_of(weights, {list_.shape(weights)[0]}));
    } else if (a.zero != no_tensor) {
      product.sums = sums(b.x, "b", rank(b.x) - 2);
    }
    finish(std::move(product), a, b);
  }

  void convolve() {
    Shape channels(rank(op_.inputs[1]), 1);
    channels[0] = list_.shape(op_.inputs[1])[0];
    const auto x = factors_.factor(list_, "x", op_.inputs[0], input_of(op_, 2), {});
    const auto w = factors_.factor(list_, "w", op_.inputs[1], input_of(op_, 3), channels);
    Product product{"Conv", {x.x, w.x}, op_.attributes, no_tensor};
    if (!factors_.is_constant(w.x) || w.zero != no_tensor) {
      product.factors = {factors_.centred(list_, "x", x), factors_.centred(list_, "w", w)};
      return finish(std::move(product), {}, {});
    }
    if (x.zero != no_tensor) {
      product.factors[0] = padded(x, product.attributes);
      channels.erase(channels.begin());  // as they lie in the result
      channels[0] = list_.shape(w.x)[0];
      product.sums = network_.add(sums_of(w.x, channels));
    }
    finish(std::move(product), x, w);
  }

 private:
  /// What multiplies the factors as they are; `sums`: of b, along what is summed, where a has a zero point.
  struct Product {
    const char* type;
    std::vector<TensorId> factors;
    std::map<std::string, Attribute> attributes;
    TensorId sums;
  };

  std::size_t rank(TensorId id) const { return list_.shape(id).size(); }
  Shape zero_shape(std::size_t i) const { return input_of(op_, i) == no_tensor ? Shape{} : list_.shape(op_.inputs[i]); }
  bool is_matrix(TensorId id) const {
    const Shape& shape = list_.shape(id);
    return element_count(shape) == shape.back() * shape[shape.size() - 2];
  }

  /// sum (a - za) * (b - zb) = sum a * b - za * sum b - zb * (sum a - terms * za)
  void finish(Product product, const IntegerFactor& a, const IntegerFactor& b) {
    const Shape shape = list_.shape(op_.outputs[0]);
    if (product.sums != no_tensor && is_number(a.zero) && factors_.is_constant(product.sums)) {
      product.factors.push_back(bias(product.sums, a.zero));
      product.sums = no_tensor;
    }
    const bool corrects_a = product.sums != no_tensor, corrects_b = b.zero != no_tensor;
    const bool is_all = !corrects_a && !corrects_b;
    auto y = integer(product.type, is_all ? "" : "product", product.factors, shape, product.attributes,
                     is_all ? op_.outputs[0] : no_tensor);
    if (corrects_a) {
      const auto part = multiplied("a_part", a.zero, product.sums);
      y = integer("Sub", "less_a", {y, part}, shape, {}, corrects_b ? no_tensor : op_.outputs[0]);
    }
    if (!corrects_b) return;
    auto rows = sums(a.x, "a", rank(a.x) - 1);
    if (a.zero != no_tensor) {
      const auto terms = network_.add(
          make_constant(op_.name + ".terms", {}, std::vector{static_cast<std::int32_t>(list_.shape(a.x).back())}));
      rows = integer("Sub", "a_centred", {rows, multiplied("a_terms", a.zero, terms)}, list_.shape(rows));
    }
    integer("Sub", "less_b", {y, multiplied("b_part", b.zero, rows)}, shape, {}, op_.outputs[0]);
  }

  bool is_number(TensorId id) const { return factors_.is_constant(id) && element_count(list_.shape(id)) == 1; }

  TensorId integer(const char* type, const std::string& what, std::vector<TensorId> inputs, Shape shape,
                   const std::map<std::string, Attribute>& with = {}, TensorId result = no_tensor) {
    return list_.add_typed(ElementType::i32, type, what, std::move(inputs), std::move(shape), with, result);
  }

  TensorId multiplied(const char* what, TensorId a, TensorId b) {
    return integer("Mul", what, {a, b}, joined(list_.shape(a), list_.shape(b)));
  }

  /// Of a variable or constant factor along one axis, which stays.
  TensorId sums(TensorId x, const std::string& what, std::size_t axis) {
    Shape shape = list_.shape(x);
    const auto wide = integer("Cast", what + "_integers", {x}, shape);
    shape[axis] = 1;
    return integer("ReduceSum", what + "_sums", {wide}, shape,
                   {{"axes", Integers{static_cast<std::int64_t>(axis)}}, {"keepdims", std::int64_t{1}}});
  }

  /// Of constant weights per index of their first dimension.
  Tensor sums_of(TensorId weights, const Shape& shape) const {
    const Tensor& w = network_.tensor(weights);
    const auto length = count_of(w.shape) / static_cast<std::size_t>(w.shape[0]);
    const auto* values = constant_data<std::int8_t>(w);
    std::vector<std::int32_t> sums(static_cast<std::size_t>(w.shape[0]));
    for (std::size_t i = 0; i < length * sums.size(); ++i) sums[i / length] += values[i];
    return make_constant(w.name + ".sums", shape, sums);
  }

  /// -zero * sums per channel.
  TensorId bias(TensorId sums, TensorId zero) {
    const auto factor = static_cast<std::int32_t>(numbers_of(network_.tensor(zero))[0]);
    const Tensor& constant = network_.tensor(sums);
    std::vector<std::int32_t> values(count_of(constant.shape));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = -factor * constant_data<std::int32_t>(constant)[i];
    return network_.add(make_constant(op_.name + ".bias", {std::ssize(values)}, values));
  }

  /// x with its zero point around it, which takes the place of the window's pads.
  TensorId padded(const IntegerFactor& x, std::map<std::string, Attribute>& attributes) {
    const auto pads = attribute(op_, "pads", Integers{});
    if (std::ranges::all_of(pads, [](std::int64_t pad) { return pad == 0; })) return x.x;
    attributes["pads"] = Integers(pads.size(), 0);
    const std::size_t planes = pads.size() / 2;
    Shape shape = list_.shape(x.x);
    Integers all(2 * shape.size(), 0);
    for (std::size_t d = 0; d < planes; ++d) {
      all[d + 2] = pads[d];
      all[shape.size() + d + 2] = pads[planes + d];
      shape[d + 2] += pads[d] + pads[planes + d];
    }
    const bool known = factors_.is_constant(x.zero);
    const double value = known ? numbers_of(network_.tensor(x.zero))[0] : 0;
    const auto wide = list_.add_typed(ElementType::i8, "Pad", "padded", {x.x}, shape,
                                      {{"pads", all}, {"value", value}, {"mode", std::string("constant")}});
    if (known) return wide;
    const auto zero = factors_.as_signed(list_, "x_zero", op_.inputs[2]);
    return list_.add_typed(ElementType::i8, "Where", "bordered", {inside(shape, all), wide, zero}, shape);
  }

  /// 1 over the plane without its pads.
  TensorId inside(const Shape& shape, const Integers& pads) {
    Shape plane = shape;
    plane[0] = plane[1] = 1;
    std::vector<std::byte> mask(count_of(plane), std::byte{1});
    for (std::size_t i = 0; i < mask.size(); ++i) {
      auto rest = static_cast<std::int64_t>(i);
      for (std::size_t d = plane.size(); d-- > 2; rest /= plane[d]) {
        const auto at = rest % plane[d];
        if (at < pads[d] || at >= plane[d] - pads[shape.size() + d]) mask[i] = std::byte{0};
      }
    }
    auto data = owned(std::move(mask));
    return network_.add({op_.name + ".inside", ElementType::u8, plane, std::move(data), std::nullopt});
  }

  Network& network_;
  const Operator& op_;
  IntegerFactors& factors_;
  OperatorList list_;
};

/// How often a product reads the quantised tensor together with its zero point.
int paired_uses(const Network& network, TensorId x, TensorId zero) {
  int count = 0;
  for (const auto& op : network.operators) {
    for (std::size_t side = 0; is_product(op) && side < 2; ++side) {
      count += op.inputs[side] == x && input_of(op, side + 2) == zero;
    }
  }
  return count;
}

/// All three results are there, and signed where only products read them.
void complete(Network& network, const GraphIndex& index, Operator& op) {
  op.outputs.resize(3, no_tensor);
  const auto x = op.outputs[0], zero = op.outputs[2];
  if (x != no_tensor && zero != no_tensor) {
    const int together = paired_uses(network, x, zero);
    if (index.uses(x) == together && index.uses(zero) == together)
      network.tensor(x).type = network.tensor(zero).type = ElementType::i8;
  }
  const ElementType types[] = {ElementType::u8, ElementType::fp32, ElementType::u8};
  for (std::size_t i = 0; i < 3; ++i) {
    if (op.outputs[i] != no_tensor) continue;
    const Shape shape = i == 0 ? network.tensor(op.inputs[0]).shape : Shape{};
    op.outputs[i] = network.add({op.name + ".unused", types[i], shape, nullptr, std::nullopt});
  }
}

}  // namespace

void expand_integer_products(Network& network) {
  const GraphIndex index(network);
  for (auto& op : network.operators) {
    if (op.type == "DynamicQuantizeLinear") complete(network, index, op);
  }
  IntegerFactors factors(network);
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (!is_product(op)) {
      operators.push_back(std::move(op));
      continue;
    }
    ProductExpansion expansion(network, op, factors, operators);
    op.type == "ConvInteger" ? expansion.convolve() : expansion.multiply();
  }
  network.operators = std::move(operators);
}

}  // namespace accord
