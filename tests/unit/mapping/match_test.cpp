#include "compiler/mapping/match.h"

#include <doctest/doctest.h>

#include <set>

#include <limits>

#include "archdsl/tensor/parse.h"

using namespace accord;

namespace {

using Types = std::map<std::string, ElementType>;
constexpr double infinity = std::numeric_limits<double>::infinity();

TensorProgram parse(const std::vector<std::string>& texts, const Types& types) {
  auto parsed = parse_statements(texts, {types, {}, {}});
  const auto* error = std::get_if<StatementError>(&parsed);
  const std::string mistake = error ? error->message : "";
  REQUIRE_MESSAGE(error == nullptr, mistake);
  return std::get<TensorProgram>(std::move(parsed));
}

/// A machine of one unit with one capability; operands of rank 0 are arguments, the rest lies in memory 0.
Architecture machine(const std::vector<std::string>& does, const Types& types) {
  Architecture architecture;
  architecture.memories.emplace_back();
  Capability capability;
  capability.name = "run";
  capability.program = parse(does, types);
  for (const auto& operand : capability.program.operands) {
    CapabilityOperand place;
    place.memory = operand.rank == 0 ? -1 : 0;
    place.steps.resize(static_cast<std::size_t>(operand.rank));
    capability.operands.push_back(std::move(place));
  }
  Unit unit;
  unit.name = "unit";
  unit.capabilities.push_back(std::move(capability));
  architecture.units.push_back(std::move(unit));
  return architecture;
}

Work work(const std::vector<std::string>& statements, const Types& types, const std::string& constant = "") {
  Work result;
  result.program = parse(statements, types);
  for (const auto& operand : result.program.operands) {
    WorkOperand entry;
    entry.constant = operand.name == constant;
    result.operands.push_back(entry);
  }
  return result;
}

/// What the capability's operand `name` is bound to.
const OperandMatch& bound(const Architecture& architecture, const Match& match, const std::string& name) {
  const auto& operands = architecture.units[0].capabilities[0].program.operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].name == name) return match.operands[i];
  }
  FAIL("no operand ", name);
  return match.operands[0];
}

std::string operand_name(const Work& of, const OperandMatch& match) {
  REQUIRE(match.kind == OperandMatch::Kind::access);
  return of.program.operands[static_cast<std::size_t>(match.access.operand)].name;
}

const Types product_types = {{"a", ElementType::i8}, {"b", ElementType::i8}, {"c", ElementType::i32},
                             {"x", ElementType::i8}, {"w", ElementType::i8}, {"y", ElementType::i32}};
const std::vector<std::string> product = {"c[i,j] += i32(a[i,k]) * i32(b[k,j])"};

const Types finish_types = {{"y", ElementType::i8},    {"x", ElementType::i32},   {"scale", ElementType::fp32},
                            {"lo", ElementType::fp32}, {"hi", ElementType::fp32}, {"t", ElementType::i32},
                            {"o", ElementType::i8},    {"s", ElementType::fp32}};
const std::vector<std::string> finish = {"y[r,q] = i8(clamp(round(fp32(x[r,q]) * scale[q]), lo, hi))"};

}  // namespace

TEST_CASE("does a product match whichever way round it is written") {
  const auto architecture = machine(product, product_types);
  for (const char* text : {"y[m,n] += i32(x[m,l]) * i32(w[l,n])", "y[m,n] += i32(w[l,n]) * i32(x[m,l])"}) {
    const Work layer = work({text}, product_types);
    const auto matches = match_statement(architecture, layer, 0);
    REQUIRE(matches.size() == 2);  // either factor may be the first
    std::set<std::string> firsts;
    for (const Match& match : matches) {
      const std::string first = operand_name(layer, bound(architecture, match, "a"));
      const std::string second = operand_name(layer, bound(architecture, match, "b"));
      CHECK(first != second);
      CHECK(operand_name(layer, bound(architecture, match, "c")) == "y");
      firsts.insert(first);
    }
    CHECK(firsts == std::set<std::string>{"w", "x"});
    CHECK(matches[0].way == 0);
    CHECK(matches[1].way == 1);
  }
}

TEST_CASE("does a part that the work lacks take the value that changes nothing") {
  const auto architecture = machine(finish, finish_types);
  const Work layer = work({"o[m,n] = i8(round(fp32(t[m,n])))"}, finish_types);
  const auto matches = match_statement(architecture, layer, 0);
  REQUIRE(matches.size() == 1);
  for (const auto& [name, value] : {std::pair("scale", 1.0), std::pair("lo", -infinity), std::pair("hi", infinity)}) {
    const auto& binding = bound(architecture, matches[0], name);
    CHECK(binding.kind == OperandMatch::Kind::constant);
    CHECK_MESSAGE(binding.constant == value, name);
  }
  const auto sum =
      machine({"y[i] = x[i] + t[i]"}, {{"y", ElementType::i32}, {"x", ElementType::i32}, {"t", ElementType::i32}});
  const Work copy = work({"y[i] = x[i]"}, {{"y", ElementType::i32}, {"x", ElementType::i32}});
  const auto copies = match_statement(sum, copy, 0);
  REQUIRE(copies.size() == 2);  // either part may be the one that is not there
  for (const Match& match : copies) CHECK(bound(sum, match, "t").kind != bound(sum, match, "x").kind);
  CHECK(bound(sum, copies[0], "t").kind != bound(sum, copies[1], "t").kind);
}

TEST_CASE("do numbers of the work become the capability's scalar arguments") {
  const auto architecture = machine(finish, finish_types);
  const Work layer = work({"o[m,n] = i8(clamp(round(fp32(t[m,n]) * s[n]), -100, 90))"}, finish_types);
  const auto matches = match_statement(architecture, layer, 0);
  REQUIRE(matches.size() == 1);
  CHECK(bound(architecture, matches[0], "lo").constant == -100);
  CHECK(bound(architecture, matches[0], "hi").constant == 90);
  CHECK(operand_name(layer, bound(architecture, matches[0], "scale")) == "s");
}

TEST_CASE("does a constant of one element become a scalar argument, and no other") {
  const auto architecture =
      machine({"y[r,q] = x[r,q] * s"}, {{"y", ElementType::fp32}, {"x", ElementType::fp32}, {"s", ElementType::fp32}});
  Work layer = work({"o[m,n] = t[m,n] * w"},
                    {{"o", ElementType::fp32}, {"t", ElementType::fp32}, {"w", ElementType::fp32}}, "w");
  CHECK(match_statement(architecture, layer, 0).empty());
  for (WorkOperand& operand : layer.operands) {
    if (operand.constant) operand.number = 0.25;
  }
  const auto matches = match_statement(architecture, layer, 0);
  REQUIRE(matches.size() == 1);
  CHECK(bound(architecture, matches[0], "s").constant == 0.25);
}

TEST_CASE("is a constant of the work converted where the capability wants it wider, and nothing but a constant") {
  const auto architecture = machine({"c[r,q] += i32(x[r,q]) * m[q]"},
                                    {{"c", ElementType::i32}, {"x", ElementType::i8}, {"m", ElementType::i32}});
  const std::vector<std::string> text = {"y[r,q] += i32(x[r,q]) * i32(w[q])"};
  const Work constant = work(text, product_types, "w");
  const auto matches = match_statement(architecture, constant, 0);
  REQUIRE(matches.size() == 1);
  CHECK(operand_name(constant, bound(architecture, matches[0], "m")) == "w");
  CHECK(match_statement(architecture, work(text, product_types), 0).empty());
}

TEST_CASE("is a capability turned down with the reason") {
  const auto architecture = machine(product, product_types);
  const auto reason = [&](const std::string& text, const Types& types) {
    std::vector<Rejection> rejections;
    CHECK(match_statement(architecture, work({text}, types), 0, &rejections).empty());
    REQUIRE(rejections.size() == 1);
    CHECK(rejections[0].capability == "unit.run");
    return rejections[0].reason;
  };
  Types other = product_types;
  other["y"] = ElementType::fp32;
  CHECK(reason("y[m,n] += fp32(x[m,l]) * fp32(w[l,n])", other) == "writes i32, not fp32");
  other = product_types;
  other["x"] = ElementType::u8;
  CHECK(reason("y[m,n] += i32(x[m,l]) * i32(w[l,n])", other).find("types") != std::string::npos);
  CHECK(reason("y[m,n] += i32(x[m,l]) - i32(w[l,n])", product_types).find("expression") != std::string::npos);
  CHECK(reason("y[m,n] max= i32(x[m,l]) * i32(w[l,n])", product_types) == "has +=, not max=");
}

TEST_CASE("does an operand that occurs twice stand for one thing") {
  const auto square = machine({"y[i] = x[i] * x[i]"}, {{"y", ElementType::fp32}, {"x", ElementType::fp32}});
  const Types types = {{"o", ElementType::fp32}, {"p", ElementType::fp32}, {"q", ElementType::fp32}};
  CHECK(match_statement(square, work({"o[i] = p[i] * p[i]"}, types), 0).size() == 1);
  CHECK(match_statement(square, work({"o[i] = p[i] * q[i]"}, types), 0).empty());
}

TEST_CASE("does a capability that sets its target first say so") {
  const auto architecture =
      machine({"y[q] = -128", "y[q] max= x[q,r]"}, {{"y", ElementType::i8}, {"x", ElementType::i8}});
  const Work layer = work({"o[a] = -128", "o[a] max= p[a,b]"}, {{"o", ElementType::i8}, {"p", ElementType::i8}});
  const auto matches = match_statement(architecture, layer, 1);
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].initialises);
  CHECK(matches[0].initial == -128);
}
