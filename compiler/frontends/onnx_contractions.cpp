// Shapes of matrix products and recurrent cells.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/onnx_node.h"

namespace accord {

namespace {

[[noreturn]] void do_not_fit(const Shape& a, const Shape& b) {
  throw Error(fmt::format("shapes {} and {} do not fit", to_string(a), to_string(b)));
}

void infer_gemm(OnnxNode& node) {
  auto a = node.shape(0);
  auto b = node.shape(1);
  if (a.size() != 2 || b.size() != 2) do_not_fit(a, b);
  if (node.get_int("transA", 0) != 0) std::swap(a[0], a[1]);
  if (node.get_int("transB", 0) != 0) std::swap(b[0], b[1]);
  if (a[1] != b[0]) do_not_fit(a, b);
  const Shape y = {a[0], b[1]};
  if (node.has_input(2) && broadcast(y, node.shape(2)) != y) do_not_fit(y, node.shape(2));
  const bool scaled = node.get("alpha", 1.0) != 1 || (node.has_input(2) && node.get("beta", 1.0) != 1);
  if (scaled && !is_float(node.input(0).type)) throw Error("alpha and beta of integers are not supported");
  node.result(node.input(0).type, y);
}

}  // namespace

Shape matmul_shape(Shape a, Shape b) {
  const auto given_a = a;
  const auto given_b = b;
  if (a.empty() || b.empty()) do_not_fit(a, b);
  if (given_a.size() == 1) a.insert(a.begin(), 1);
  if (given_b.size() == 1) b.push_back(1);
  if (a.back() != b[b.size() - 2]) do_not_fit(given_a, given_b);
  auto shape = broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (given_a.size() > 1) shape.push_back(a[a.size() - 2]);
  if (given_b.size() > 1) shape.push_back(b.back());
  return shape;
}

namespace {

void infer_matmul(OnnxNode& node) { node.result(node.input(0).type, matmul_shape(node.shape(0), node.shape(1))); }

/// Gates per cell: rows of W are gates * hidden_size.
std::int64_t gates_of(const std::string& type) { return type == "LSTM" ? 4 : type == "GRU" ? 3 : 1; }

void expect_shape(const OnnxNode& node, std::size_t i, const Shape& expected) {
  if (node.has_input(i) && node.shape(i) != expected) {
    throw Error(fmt::format("input {} has shape {}, not {}", i, to_string(node.shape(i)), to_string(expected)));
  }
}

void infer_recurrent(OnnxNode& node) {
  const auto& x = node.shape(0);
  const auto& w = node.shape(1);
  if (x.size() != 3 || w.size() != 3) do_not_fit(x, w);
  if (node.get_int("layout", 0) != 0) throw Error("layout = 1 is not supported");
  const auto gates = gates_of(node.op.type);
  const auto hidden = node.get_int("hidden_size", w[1] / gates);
  const auto direction = node.get("direction", std::string("forward"));
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    throw Error("direction is '" + direction + "'");
  }
  const std::int64_t directions = direction == "bidirectional" ? 2 : 1;
  if (hidden < 1 || hidden > max_elements / 8) throw Error(fmt::format("hidden_size is {}", hidden));
  expect_shape(node, 1, {directions, gates * hidden, x[2]});
  expect_shape(node, 2, {directions, gates * hidden, hidden});
  expect_shape(node, 3, {directions, 2 * gates * hidden});
  expect_shape(node, 4, {x[1]});
  if (node.has_input(4) && node.input(4).type != ElementType::i32 && node.input(4).type != ElementType::i64) {
    throw Error("the lengths of the sequences are no integers");
  }
  if (node.has_input(4) && node.input(4).is_constant()) {
    for (const std::int64_t length : node.constant_integers(4)) {
      if (length < 0 || length > x[0])
        throw Error(fmt::format("a sequence of {} steps where there are {}", length, x[0]));
    }
  }
  expect_shape(node, 5, {directions, x[1], hidden});
  expect_shape(node, 6, {directions, x[1], hidden});
  expect_shape(node, 7, {directions, 3 * hidden});
  node.op.attributes["hidden_size"] = hidden;
  node.op.attributes["direction"] = direction;
  const auto type = node.input(0).type;
  node.result(type, {x[0], directions, x[1], hidden});
  node.result(type, {directions, x[1], hidden});
  if (node.op.type == "LSTM") node.result(type, {directions, x[1], hidden});
}

/// Reads one side of an Einsum term list: letters only.
std::vector<std::string> einsum_terms(const std::string& text) {
  std::vector<std::string> terms(1);
  for (const char c : text) {
    if (c == ',')
      terms.emplace_back();
    else if (c >= 'a' && c <= 'z')
      terms.back() += c;
    else if (c >= 'A' && c <= 'Z')
      terms.back() += c;
    else if (c != ' ')
      throw Error("Einsum equation '" + text + "' is not supported");
  }
  return terms;
}

constexpr std::string_view ellipsis = "...";

/// A letter for each dimension of the longest ellipsis, none of them used otherwise.
std::string ellipsis_letters(const OnnxNode& node, const std::vector<std::string>& terms) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(terms.size(), node.inputs.size()); ++i) {
    const auto named = terms[i].size() - (terms[i].find(ellipsis) == std::string::npos ? 0 : ellipsis.size());
    if (named < terms[i].size()) count = std::max(count, node.shape(i).size() - std::min(named, node.shape(i).size()));
  }
  std::string letters;
  const std::string all = fmt::format("{}", fmt::join(terms, ""));
  for (char letter = 'A'; letters.size() < count && letter <= 'z'; ++letter) {
    if (std::isalpha(static_cast<unsigned char>(letter)) != 0 && all.find(letter) == std::string::npos)
      letters += letter;
  }
  return letters;
}

/// The last of the letters in place of the ellipsis, as many as the rank takes.
std::string without_ellipsis(std::string term, const std::string& letters, std::size_t rank) {
  const auto at = term.find(ellipsis);
  if (at == std::string::npos) return term;
  const auto named = term.size() - ellipsis.size();
  const auto count = std::min(rank < named ? 0 : rank - named, letters.size());
  return term.replace(at, ellipsis.size(), letters.substr(letters.size() - count));
}

/// The equation with letters for ellipses, and with the result that is meant where it names none: what occurs once.
std::string explicit_equation(const OnnxNode& node, std::string equation) {
  std::erase(equation, ' ');
  const auto arrow = equation.find("->");
  std::vector<std::string> terms(1);
  for (const char c : equation.substr(0, arrow)) {
    c == ',' ? void(terms.emplace_back()) : terms.back().push_back(c);
  }
  const auto letters = ellipsis_letters(node, terms);
  for (std::size_t i = 0; i < std::min(terms.size(), node.inputs.size()); ++i) {
    terms[i] = without_ellipsis(terms[i], letters, node.shape(i).size());
  }
  const auto left = fmt::format("{}", fmt::join(terms, ","));
  if (arrow != std::string::npos) {
    const auto result = equation.substr(arrow + 2);
    return left + "->" + without_ellipsis(result, letters, result.size() + letters.size());
  }
  std::string result;
  for (char letter = 'A'; letter <= 'z'; ++letter) {
    if (letters.find(letter) == std::string::npos && std::ranges::count(left, letter) == 1) result += letter;
  }
  return left + "->" + letters + result;
}

void infer_einsum(OnnxNode& node) {
  const auto equation = explicit_equation(node, node.get("equation", std::string()));
  node.op.attributes["equation"] = equation;
  const auto arrow = equation.find("->");
  const auto terms = einsum_terms(equation.substr(0, arrow));
  const auto result = einsum_terms(equation.substr(arrow + 2));
  if (terms.size() != node.inputs.size() || result.size() != 1) throw Error("Einsum equation '" + equation + "'");
  std::map<char, std::int64_t> extents;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].size() != node.shape(i).size()) throw Error("Einsum equation '" + equation + "' has another rank");
    for (std::size_t d = 0; d < terms[i].size(); ++d) {
      const auto [entry, fresh] = extents.try_emplace(terms[i][d], node.shape(i)[d]);
      if (!fresh && entry->second != node.shape(i)[d]) throw Error("Einsum: sizes of one letter differ");
    }
  }
  Shape shape;
  for (const char letter : result[0]) {
    if (std::ranges::count(result[0], letter) > 1)
      throw Error("Einsum equation '" + equation + "': a letter stands twice in the result");
    if (!extents.contains(letter)) throw Error("Einsum equation '" + equation + "': unknown letter in the result");
    shape.push_back(extents[letter]);
  }
  node.result(node.input(0).type, shape);
}

}  // namespace

void add_contraction_rules(OnnxRules& rules) {
  rules["Gemm"] = {2, 3, infer_gemm};
  rules["MatMul"] = {2, 2, infer_matmul};
  rules["LSTM"] = {3, 8, infer_recurrent};
  rules["GRU"] = {3, 6, infer_recurrent};
  rules["RNN"] = {3, 6, infer_recurrent};
  rules["Einsum"] = {1, 16, infer_einsum};
}

}  // namespace accord
