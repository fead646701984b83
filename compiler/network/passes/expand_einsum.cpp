// An Einsum is a chain of matrix products: of two operands at a time, what both have and is needed later counts
// batches, what both have and nobody needs is summed. A MatMul by a vector is one by a matrix of one row or column.
#include <algorithm>
#include <optional>

#include "archdsl/tensor/element_type.h"
#include "compiler/network/operator_list.h"
#include "compiler/network/passes/passes.h"

namespace accord {

namespace {

using Integers = std::vector<std::int64_t>;
using Letters = std::string;  // one per index

bool has(const Letters& letters, char letter) { return letters.find(letter) != Letters::npos; }

Letters chosen(const Letters& letters, auto condition) {
  Letters result;
  std::ranges::copy_if(letters, std::back_inserter(result), condition);
  return result;
}

struct Equation {
  std::vector<Letters> terms;
  Letters result;
};

/// Nothing where an operand has an index twice (its diagonal).
std::optional<Equation> parse(const Operator& op) {
  auto text = attribute(op, "equation", std::string());
  std::erase(text, ' ');
  const auto arrow = text.find("->");
  if (arrow == std::string::npos) return std::nullopt;
  Equation equation{{""}, text.substr(arrow + 2)};
  for (const char c : text.substr(0, arrow)) {
    if (c == ',') {
      equation.terms.emplace_back();
    } else if (has(equation.terms.back(), c)) {
      return std::nullopt;
    } else {
      equation.terms.back() += c;
    }
  }
  return equation;
}

Tensor transposed(const Tensor& given, const Integers& perm) {
  const auto rank = perm.size();
  Integers strides(rank, 1), steps(rank);
  for (std::size_t d = rank; d-- > 1;) strides[d - 1] = strides[d] * given.shape[d];
  Shape shape;
  for (std::size_t d = 0; d < rank; ++d) {
    shape.push_back(given.shape[static_cast<std::size_t>(perm[d])]);
    steps[d] = strides[static_cast<std::size_t>(perm[d])];
  }
  const auto* from = constant_data<float>(given);
  std::vector<float> values(count_of(shape));
  Integers point(rank, 0);
  std::int64_t offset = 0;
  for (auto& value : values) {
    value = from[offset];
    for (std::size_t d = rank; d-- > 0;) {
      offset += steps[d];
      if (++point[d] < shape[d]) break;
      offset -= steps[d] * shape[d];
      point[d] = 0;
    }
  }
  return make_constant(given.name, shape, values);
}

class EinsumExpansion {
 public:
  EinsumExpansion(Network& network, const Operator& op, std::vector<Operator>& operators)
      : network_(network), op_(op), list_(network, op.name, operators) {}

  void run(const Equation& equation) {
    for (std::size_t i = 0; i < equation.terms.size(); ++i) terms_.push_back({equation.terms[i], op_.inputs[i]});
    for (const auto& term : terms_) {
      for (std::size_t d = 0; d < term.letters.size(); ++d) extents_[term.letters[d]] = list_.shape(term.id)[d];
    }
    while (terms_.size() > 1) {
      const auto product = multiply(equation.result);
      terms_.erase(terms_.begin());
      terms_.front() = product;
    }
    const auto last = ordered("result", summed(terms_.front(), equation.result), equation.result);
    list_.add("Identity", "", {last}, extents_of(equation.result), {}, op_.outputs[0]);
  }

 private:
  struct Term {
    Letters letters;
    TensorId id = no_tensor;
  };

  std::string name(const char* what) { return what + std::to_string(++count_); }

  Shape extents_of(const Letters& letters) const {
    Shape shape;
    for (const char letter : letters) shape.push_back(extents_.at(letter));
    return shape;
  }
  std::int64_t count_of(const Letters& letters) const { return element_count(extents_of(letters)); }

  /// The term's sum over the letters that are not needed.
  Term summed(const Term& term, const Letters& needed) {
    const auto kept = chosen(term.letters, [&](char c) { return has(needed, c); });
    if (kept == term.letters) return term;
    Integers axes;
    for (std::size_t d = 0; d < term.letters.size(); ++d) {
      if (!has(kept, term.letters[d])) axes.push_back(static_cast<std::int64_t>(d));
    }
    return {kept, list_.add("ReduceSum", name("sum"), {term.id}, extents_of(kept),
                            {{"axes", axes}, {"keepdims", std::int64_t{0}}})};
  }

  /// The term with its indices in the order of `letters`.
  TensorId ordered(const char* what, const Term& term, const Letters& letters) {
    if (term.letters == letters) return term.id;
    Integers perm;
    for (const char letter : letters) perm.push_back(static_cast<std::int64_t>(term.letters.find(letter)));
    const auto& x = network_.tensor(term.id);
    if (x.is_constant()) return network_.add(transposed(x, perm));
    return list_.add("Transpose", name(what), {term.id}, extents_of(letters), {{"perm", perm}});
  }

  TensorId shaped(const char* what, TensorId id, const Shape& shape) {
    return list_.shape(id) == shape ? id : list_.in_shape(name(what), id, shape);
  }

  /// The product of the first two terms, with the letters that the result or another term needs.
  Term multiply(const Letters& result) {
    Letters later = result;
    for (std::size_t i = 2; i < terms_.size(); ++i) later += terms_[i].letters;
    Term a = summed(terms_[0], later + terms_[1].letters), b = summed(terms_[1], later + terms_[0].letters);
    if (network_.tensor(a.id).is_constant()) std::swap(a, b);  // constants are second
    const auto batches = chosen(a.letters, [&](char c) { return has(b.letters, c) && has(later, c); });
    const auto sums = chosen(a.letters, [&](char c) { return has(b.letters, c) && !has(later, c); });
    const auto rows = chosen(a.letters, [&](char c) { return !has(b.letters, c); });
    const auto columns = chosen(b.letters, [&](char c) { return !has(a.letters, c); });
    const auto matrix = [&](std::int64_t height, std::int64_t width) {
      auto shape = extents_of(batches);
      shape.insert(shape.end(), {height, width});
      return shape;
    };
    const auto m = count_of(rows), k = count_of(sums), n = count_of(columns);
    const auto left = shaped("left", ordered("left_order", a, batches + rows + sums), matrix(m, k));
    const auto right = shaped("right", ordered("right_order", b, batches + sums + columns), matrix(k, n));
    const char* type = sums.empty() ? "Mul" : "MatMul";  // k is 1 where nothing is summed: [m, 1] * [1, n]
    const auto y = list_.add(type, name("product"), {left, right}, matrix(m, n));
    const auto letters = batches + rows + columns;
    return {letters, shaped("split", y, extents_of(letters))};
  }

  Network& network_;
  const Operator& op_;
  OperatorList list_;
  std::vector<Term> terms_;
  std::map<char, std::int64_t> extents_;
  int count_ = 0;
};

/// Whether no product of the chain has more elements than a tensor may.
bool stays_small(const Network& network, const Operator& op, const Equation& equation) {
  std::map<char, double> extents;
  for (std::size_t i = 0; i < equation.terms.size(); ++i) {
    const Shape& shape = network.tensor(op.inputs[i]).shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      extents[equation.terms[i][d]] = static_cast<double>(shape[d]);
    }
  }
  Letters product = equation.terms[0];
  for (std::size_t i = 1; i < equation.terms.size(); ++i) {
    Letters later = equation.result;
    for (std::size_t j = i + 1; j < equation.terms.size(); ++j) later += equation.terms[j];
    const Letters& term = equation.terms[i];
    product += chosen(term, [&](char c) { return !has(product, c); });
    product = chosen(product, [&](char c) { return has(later, c); });
    double elements = 1;
    for (const char letter : product) elements *= extents.at(letter);
    if (elements > static_cast<double>(max_elements)) return false;
  }
  return true;
}

/// The expansions count in fp32, as the operators that they consist of.
bool is_in_fp32(const Network& network, const Operator& op) {
  const auto in_fp32 = [&](TensorId id) { return network.tensor(id).type == ElementType::fp32; };
  return std::ranges::all_of(op.inputs, in_fp32) && std::ranges::all_of(op.outputs, in_fp32);
}

bool multiplies_vector(const Network& network, const Operator& op) {
  const auto is_vector = [&](TensorId id) { return network.tensor(id).shape.size() == 1; };
  return op.type == "MatMul" && (is_vector(op.inputs[0]) || is_vector(op.inputs[1]));
}

void widen_vectors(Network& network, const Operator& op, std::vector<Operator>& operators) {
  OperatorList list(network, op.name, operators);
  auto a = op.inputs[0], b = op.inputs[1];
  Shape shape = list.shape(op.outputs[0]);
  const bool column = list.shape(b).size() == 1;
  if (list.shape(a).size() == 1) {
    a = list.in_shape("row", a, {1, list.shape(a)[0]});
    shape.insert(shape.end() - (column ? 0 : 1), 1);
  }
  if (column) {
    b = list.in_shape("column", b, {list.shape(b)[0], 1});
    shape.push_back(1);
  }
  list.reshape("", list.add("MatMul", "product", {a, b}, shape), list.shape(op.outputs[0]), op.outputs[0]);
}

}  // namespace

std::string einsum_obstacle(const Network& network, const Operator& op) {
  const auto floats = [&](TensorId id) { return is_float(network.tensor(id).type); };
  if (!std::ranges::all_of(op.inputs, floats)) return "its operands are not in floating point";
  const auto equation = parse(op);
  if (!equation) {
    return "its equation has an index twice in one operand, for which GatherElements or a product with an identity "
           "matrix can stand";
  }
  return stays_small(network, op, *equation) ? "" : "the product of some of its operands is too large a tensor";
}

void expand_einsum(Network& network) {
  std::vector<Operator> operators;
  for (auto& op : network.operators) {
    if (op.type == "Einsum" && is_in_fp32(network, op) && einsum_obstacle(network, op).empty()) {
      EinsumExpansion(network, op, operators).run(*parse(op));
    } else if (multiplies_vector(network, op) && is_in_fp32(network, op)) {
      widen_vectors(network, op, operators);
    } else {
      operators.push_back(std::move(op));
    }
  }
  network.operators = std::move(operators);
}

}  // namespace accord
