#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "archdsl/tensor/parse.h"

using namespace accord;

namespace {

StatementContext context() {
  StatementContext result;
  result.operand_types = {{"a", ElementType::i8},      {"b", ElementType::i8},      {"c", ElementType::i32},
                          {"x", ElementType::i8},      {"u", ElementType::u8},      {"y", ElementType::i8},
                          {"f", ElementType::fp32},    {"h", ElementType::fp16},    {"g", ElementType::bf16},
                          {"e", ElementType::fp8e4m3}, {"d", ElementType::fp8e5m2}, {"w", ElementType::i16},
                          {"acc", ElementType::i32},   {"big", ElementType::i64},   {"scale", ElementType::fp32}};
  result.constants = {{"s", 2}, {"pad", 1}, {"lo", -128}, {"hi", 127}, {"huge", std::int64_t{1} << 60}};
  return result;
}

TensorProgram parsed(const std::string& text) {
  auto result = parse_statements({text}, context());
  if (const auto* error = std::get_if<StatementError>(&result)) {
    FAIL(text << ": " << error->offset << ": " << error->message);
  }
  return std::get<TensorProgram>(result);
}

std::string printed(const std::string& text) {
  const TensorProgram program = parsed(text);
  return to_string(program, program.statements[0]);
}

StatementError error(const std::string& text) {
  auto result = parse_statements({text}, context());
  REQUIRE_MESSAGE(std::holds_alternative<StatementError>(result), text);
  return std::get<StatementError>(result);
}

ElementType type_of(const std::string& expression) { return parsed("c[i] = " + expression).statements[0].value->type; }

bool same(const Expr& a, const Expr& b) {
  if (a.op != b.op || a.type != b.type || a.access != b.access || a.args.size() != b.args.size()) return false;
  if (a.op == ExprOp::constant && a.value != b.value) return false;
  for (std::size_t i = 0; i < a.args.size(); ++i)
    if (!same(*a.args[i], *b.args[i])) return false;
  return true;
}

}  // namespace

TEST_CASE("a matrix product parses into the accesses and types it says") {
  const TensorProgram program = parsed("c[i,j] += i32(a[i,k]) * i32(b[k,j])");
  REQUIRE(program.iterators.size() == 3);
  CHECK(program.iterators[0].name == "i");
  CHECK(program.iterators[1].name == "j");
  CHECK(program.iterators[2].name == "k");
  REQUIRE(program.operands.size() == 3);
  CHECK(program.operands[1].name == "a");
  CHECK(program.operands[1].rank == 2);
  const Statement& statement = program.statements[0];
  CHECK(statement.reduction == Reduction::add);
  REQUIRE(statement.accesses.size() == 2);
  CHECK(statement.accesses[1] == Access{2, {{{{2, 1}}, 0}, {{{1, 1}}, 0}}});
  CHECK(statement.value->op == ExprOp::mul);
  CHECK(statement.value->type == ElementType::i32);
  CHECK(statement.value->args[0]->op == ExprOp::cast);
  CHECK(iterators_of(statement) == std::vector<int>{0, 1, 2});
}

TEST_CASE("iterators come in the order the context gives") {
  StatementContext ordered = context();
  ordered.iterator_order = {"k", "j"};
  const auto result = parse_statements({"c[i,j] += i32(a[i,k]) * i32(b[k,j])"}, ordered);
  const auto& program = std::get<TensorProgram>(result);
  REQUIRE(program.iterators.size() == 3);
  CHECK(program.iterators[0].name == "k");
  CHECK(program.iterators[1].name == "j");
  CHECK(program.iterators[2].name == "i");
}

TEST_CASE("indices are affine, with constants as coefficients") {
  const auto index = [](const std::string& text) {
    return parsed("y[" + text + "] = 0").statements[0].target.indices[0];
  };
  CHECK(index("p*s + r - pad") == AffineIndex{{{0, 2}, {1, 1}}, -1});
  CHECK(index("2*(p + 3*q) - p*2") == AffineIndex{{{1, 6}}, 0});
  CHECK(index("-p + 5") == AffineIndex{{{0, -1}}, 5});
  CHECK(index("s*p*3") == AffineIndex{{{0, 6}}, 0});
  CHECK(index("8/s - 4") == AffineIndex{{}, 0});
}

TEST_CASE("types follow the widening rules") {
  CHECK(type_of("x[i] + y[i]") == ElementType::i8);
  CHECK(type_of("u[i] + x[i]") == ElementType::i16);
  CHECK(type_of("u[i] + u[i]") == ElementType::u8);
  CHECK(type_of("u[i] + c[i]") == ElementType::i32);
  CHECK(type_of("w[i] * big[i]") == ElementType::i64);
  CHECK(type_of("x[i] * g[i]") == ElementType::bf16);
  CHECK(type_of("c[i] * g[i]") == ElementType::fp32);
  CHECK(type_of("h[i] * g[i]") == ElementType::fp32);
  CHECK(type_of("e[i] * d[i]") == ElementType::fp16);
  CHECK(type_of("e[i] * g[i]") == ElementType::bf16);
  CHECK(type_of("x[i] * 2") == ElementType::i8);
  CHECK(type_of("g[i] * 2") == ElementType::bf16);
  CHECK(type_of("exp(x[i])") == ElementType::fp32);
  CHECK(type_of("exp(g[i])") == ElementType::bf16);
  CHECK(type_of("f[i] < 0") == ElementType::i32);
  CHECK(type_of("select(f[i] < 0, x[i], w[i])") == ElementType::i16);
  CHECK(type_of("round(f[i])") == ElementType::fp32);
  CHECK(type_of("min(x[i], inf)") == ElementType::i8);
  CHECK(type_of("1 << 4") == ElementType::i32);
}

TEST_CASE("operands of different types are converted explicitly in the tree") {
  CHECK(printed("f[i] = x[i] * scale[i]") == "f[i] = fp32(x[i]) * scale[i]");
  CHECK(printed("c[i] = i8(x[i]) + 1") == "c[i] = x[i] + 1");
  CHECK(printed("c[i] = u[i] - x[i]") == "c[i] = i16(u[i]) - i16(x[i])");
}

TEST_CASE("equal accesses are shared") {
  const TensorProgram program = parsed("f[i] = scale[i] * scale[i] + scale[i+1]");
  CHECK(program.statements[0].accesses.size() == 2);
}

TEST_CASE("what prints parses back unchanged") {
  const std::vector<std::string> texts = {
      "c[i,j] += i32(a[i,k]) * i32(b[k,j])",
      "y[n,k,p,q] max= x[n,k,p*s + r - pad, q*s + t - pad]",
      "y[i] = i8(clamp(round(fp32(x[i]) * scale[i]), lo, hi))",
      "y[i] = relu(x[i])",
      "y[i] min= -inf",
      "c = 0",
      "acc max= c[3 - 2*i, 0]",
      "f[i] = exp(f[i] - 0.1) / (f[i] + 1e-5)",
      "f[i] = -(-f[i]) - -3.5",
      "f[i] = 1 - (2 - (f[i] - 3)) * (f[i] + 4) / (f[i] * f[i])",
      "c[i] = (acc[i] >> 2) + (acc[i] << (acc[i] + 1 < 5))",
      "c[i] = select(f[i] == 0, 1, x[i] < y[i])",
      "g[i] = pow(tanh(g[i]), 0.1) + bf16(0.1) * bf16(3)",
      "f[i] = sqrt(abs(erf(log(floor(ceil(round_away(f[i])))))))",
      "c[i] = i8(300) + i32(-5)",
      "h[i] = exp(1) + h[i]",
      "f[i] = f[i] * 1e30 + 123456789.125",
      "f[i] = f[i] * -3.4028234663852886e38",
      "e[i] = max(e[i], -inf)",
  };
  for (const std::string& text : texts) {
    const TensorProgram first = parsed(text);
    const std::string once = to_string(first, first.statements[0]);
    const TensorProgram second = parsed(once);
    CAPTURE(text);
    CHECK(to_string(second, second.statements[0]) == once);
    CHECK(same(*first.statements[0].value, *second.statements[0].value));
    CHECK(first.statements[0].target == second.statements[0].target);
    CHECK(first.statements[0].accesses == second.statements[0].accesses);
  }
}

TEST_CASE("what is read and written may have an index that is read, where the context allows it") {
  StatementContext context;
  context.operand_types = {
      {"y", ElementType::i8}, {"x", ElementType::i8}, {"ids", ElementType::i64}, {"f", ElementType::fp32}};
  context.lookups = true;
  const auto parse = [&](const std::string& text) { return parse_statements({text}, context); };
  const auto program = std::get<TensorProgram>(parse("y[i, j] = x[ids[2*i + 1], j]"));
  const Statement& statement = program.statements[0];
  CHECK(looks_up(statement));
  CHECK(to_string(program, statement) == "y[i, j] = x[ids[2*i + 1], j]");
  REQUIRE(statement.accesses.size() == 2);
  CHECK(statement.accesses[1].lookups == std::vector<Lookup>{{0, 0}});
  CHECK(iterators_of(statement) == std::vector<int>{0, 1});
  const auto scatter = std::get<TensorProgram>(parse("y[ids[i], j] max= x[i, j]"));
  CHECK(looks_up(scatter.statements[0]));
  CHECK(to_string(scatter, scatter.statements[0]) == "y[ids[i], j] max= x[i, j]");
  CHECK(scatter.statements[0].target.lookups == std::vector<Lookup>{{0, 0}});
  for (const char* text : {"y[f[i]] = 0", "y[i] = x[f[i]]", "y[i] = x[ids[ids[i]]]", "y[i] = x[ids[i] + 1]"}) {
    CAPTURE(text);
    CHECK(std::holds_alternative<StatementError>(parse(text)));
  }
  context.lookups = false;
  CHECK(std::holds_alternative<StatementError>(parse("y[i] = x[ids[i]]")));
  CHECK(std::holds_alternative<StatementError>(parse("y[ids[i]] = x[i]")));
}

TEST_CASE("mistakes are reported where they are") {
  struct Case {
    std::string text;
    std::size_t offset;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"", 0, "expected the operand that the statement writes"},
      {"c[i] ", 5, "expected '=', '+=', 'max=' or 'min='"},
      {"c[i] mux= x[i]", 5, "expected '=', '+=', 'max=' or 'min='"},
      {"c[i] = ", 7, "expected a value"},
      {"c[i] = x[i] y[i]", 12, "expected an operator or the end of the statement"},
      {"c[i = x[i]", 4, "expected ',', ']' or an operator"},
      {"c[i] = zz[i]", 7, "'zz' is not an operand"},
      {"c[i] = zz", 7, "'zz' is neither an operand nor a constant"},
      {"c[i] = foo(x[i])", 7, "'foo' is not a function"},
      {"c[i] = min(x[i])", 7, "min takes 2 arguments, not 1"},
      {"c[i] = x[i] + c[i,j]", 14, "'c' has 2 indices here and 1 before"},
      {"c[i*j] = 0", 2, "an index must be affine in the iterators"},
      {"c[x] = 0", 2, "'x' is an operand; an index must be affine in the iterators"},
      {"c[i/2] = 0", 2, "an index may divide only constants, without remainder"},
      {"c[i + 1.5] = 0", 6, "expected an iterator or an integer"},
      {"c[huge] = 0", 2, "'huge' is too large for an index"},
      {"c[i] = x[i] + 300", 14, "constant 300 does not fit the other operand's type i8"},
      {"c[i] = x[i] * 0.5", 14, "constant 0.5 is not an integer, but the other operand is i8"},
      {"c[i] = f[i] << 2", 7, "cannot shift fp32"},
      {"c[i] = 1/0", 7, "this constant has no value"},
      {"c[i] = 1e999", 7, "number out of range"},
      {"c[i] = 3x", 8, "expected an operator after the number"},
      {"c[i] = x[i] ? 1", 12, "unexpected character"},
      {"c[i] = x[i] <= 1", 12, "no such comparison: there are `<` and `==`"},
      {"c[i] = x[i] > 1", 12, "no such comparison: there are `<` and `==`"},
      {"c[i] = x[i] != 1", 12, "no such comparison: there are `<` and `==`"},
      {"c[i] = (x[i] + 1", 16, "expected ')'"},
      {"c[i] = 9007199254740993000", 7, "integer beyond 2^53"},
  };
  for (const Case& expected : cases) {
    CAPTURE(expected.text);
    const StatementError found = error(expected.text);
    CHECK(found.offset == expected.offset);
    CHECK(found.message == expected.message);
  }
}

TEST_CASE("the failing statement of several is named") {
  const auto result = parse_statements({"c[i] = 0", "c[i] = ?"}, context());
  CHECK(std::get<StatementError>(result).statement == 1);
}

TEST_CASE("excessive nesting and length are errors, not crashes") {
  const auto repeated = [](const std::string& piece, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += piece;
    return text;
  };
  CHECK(error("c[i] = " + repeated("(", 3000)).message == "nested too deeply");
  CHECK(error("c[i] = " + repeated("-", 3000) + "x[i]").message == "nested too deeply");
  CHECK(error("c[i] = " + repeated("abs(", 1000)).message == "nested too deeply");
  CHECK(error("c[" + repeated("(", 3000)).message == "nested too deeply");
  CHECK(error("c[" + repeated("-", 3000) + "i] = 0").message == "nested too deeply");
  CHECK(error("c[i] = x[i]" + repeated("+x[i]", 500)).message == "expression nests too deeply");
  CHECK(error(repeated("x", 5000)).message == "statement longer than 4096 characters");
}

TEST_CASE("no truncation of a valid statement crashes the parser") {
  const std::string text =
      "y[n,p*s + r - pad] max= i8(clamp(round(fp32(x[n,p]) * 1.5e-3), lo, -hi)) << 2 < (-inf == 3)";
  for (std::size_t length = 0; length <= text.size(); ++length)
    for (char junk : {' ', '[', '(', '*', '\0', '\xff', ','})
      (void)parse_statements({text.substr(0, length) + junk}, context());
}
