// Are the examples and defaults of the grammar what their forms say, as the checker itself reads them?
#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "archdsl/schema/form_text.h"
#include "archdsl/source/formula.h"
#include "archdsl/source/grammar.h"
#include "archdsl/source/scope.h"
#include "archdsl/tensor/element_type.h"
#include "archdsl/tensor/parse.h"

using namespace accord;

namespace {

/// Reads values with the checker's own readers; expressions stand for themselves.
class Reading {
 public:
  Reading() { scope_.set_clock(1e9); }

  void map(const YAML::Node& yaml, const MapRule& rule) {
    CAPTURE(std::string(rule.name));
    if (!rule.choices.empty()) return choice(yaml, rule);
    if (!yaml.IsMap() || rule.keys.empty()) {
      REQUIRE(rule.short_form != Form::map);
      return value(yaml, {.key = rule.name,
                          .form = rule.short_form,
                          .meaning = "",
                          .range = rule.short_range,
                          .words = rule.short_words});
    }
    for (const auto& entry : yaml) {
      const KeyRule* const key = rule.find(entry.first.Scalar());
      CAPTURE(entry.first.Scalar());
      REQUIRE(key);
      value(entry.second, *key);
    }
    for (const KeyRule& key : rule.keys) CHECK((!key.required || yaml[std::string(key.key)].IsDefined()));
  }

  void value(const YAML::Node& yaml, const KeyRule& key) {
    CAPTURE(std::string(key.key));
    switch (key.form) {
      case Form::map: return map(yaml, map_rule(key.map));
      case Form::table: return table(yaml, key);
      case Form::list:
      case Form::sequence: return list(yaml, key);
      case Form::pair: return pair(yaml);
      default: break;
    }
    REQUIRE(yaml.IsScalar());
    if (yaml.Scalar().find("${") != std::string::npos) return;
    CHECK(single(yaml.Scalar(), key));
    for (const Diagnostic& diagnostic : reporter_.take()) FAIL_CHECK(diagnostic.message);
  }

 private:
  void choice(const YAML::Node& yaml, const MapRule& rule) {
    const YAML::Node kind = yaml["kind"];
    const std::string chosen = kind.IsDefined() ? kind.Scalar() : "instance";
    const std::vector<std::string> choices = words_of(rule.choices);
    REQUIRE(std::find(choices.begin(), choices.end(), chosen) != choices.end());
    map(yaml, map_rule(chosen));
  }

  void table(const YAML::Node& yaml, const KeyRule& key) {
    REQUIRE(yaml.IsMap());
    CHECK(counts(yaml.size(), key.range));
    for (const auto& entry : yaml) {
      if (key.names == Form::name) CHECK(scope_.check_name(entry.first.Scalar(), {}, "key"));
      map(entry.second, map_rule(key.map));
    }
  }

  void list(const YAML::Node& yaml, const KeyRule& key) {
    if (!yaml.IsSequence()) {
      CHECK(key.form == Form::list);
      return map(yaml, map_rule(key.map));
    }
    CHECK(counts(yaml.size(), key.range));
    for (const auto& item : yaml) map(item, map_rule(key.map));
  }

  void pair(const YAML::Node& yaml) {
    REQUIRE(yaml.IsSequence());
    REQUIRE(yaml.size() == 2);
    for (const auto& item : yaml) CHECK(parse_quantity(item.Scalar()));
  }

  static bool counts(std::size_t size, Range range) {
    const auto count = static_cast<std::int64_t>(size);
    return (range.low == 0 && range.high == 0) || (range.low <= count && count <= range.high);
  }

  bool single(const std::string& text, const KeyRule& key) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = text;
    switch (key.form) {
      case Form::name: return scope_.check_name(text, {}, key.key);
      case Form::word: return key.words.find(text) != std::string_view::npos;
      case Form::flag: return scope_.flag(node, key.key).has_value();
      case Form::integer: return scope_.integer(node, key.key, key.range).has_value();
      case Form::bytes: return scope_.bytes(node, key.key, key.range).has_value();
      case Form::amount: return amount(node, key);
      case Form::cycles: return scope_.cycles(node, key.key, key.range).has_value();
      case Form::rate: return scope_.bytes_per_cycle(node, key.key, key.range).has_value();
      case Form::frequency: return scope_.frequency(node, key.key).has_value();
      case Form::energy: return scope_.energy(node, key.key).has_value();
      case Form::area: return scope_.non_negative(node, key.key).has_value();
      case Form::quantity: return scope_.quantity(node, key.key).has_value();
      case Form::value: return parse_quantity(text) || scope_.check_name(text, {}, key.key);
      case Form::type: return parse_element_type(text).has_value();
      case Form::formula: return Formula(text, std::vector<std::string>{"i"}).text() == text;
      case Form::statement: return parses(text, {{"c", i32}, {"a", i8}, {"b", i8}, {"y", i8}, {"x", i32}});
      case Form::expression:
        return parses("y = " + text, {{"y", i8}, {"x", i32}, {"scale", fp32}, {"lo", fp32}, {"hi", fp32}});
      case Form::step: return text == "free" || scope_.bytes(node, key.key, {0, greatest_quantity}).has_value();
      case Form::arrow: return text.find("->") != std::string::npos;
      case Form::interval: return interval(text);
      case Form::text:
      case Form::reference:
      case Form::binding:
      case Form::path: return !text.empty();
      default: return false;
    }
  }

  bool amount(const Node& node, const KeyRule& key) {
    const auto value = parse_quantity(node.text);
    return value && value->dimension == Dimension::bytes ? scope_.bytes(node, key.key, key.range).has_value()
                                                         : scope_.integer(node, key.key, key.range).has_value();
  }

  static bool interval(const std::string& text) {
    const std::size_t dots = text.find("..");
    return parse_quantity(text.substr(0, dots)) && (dots == std::string::npos || parse_quantity(text.substr(dots + 2)));
  }

  static bool parses(const std::string& text, const std::map<std::string, ElementType>& types) {
    StatementContext context;
    for (const auto& [name, type] : types) context.operand_types[name] = type;
    return std::holds_alternative<TensorProgram>(parse_statements({text}, context));
  }

  static constexpr ElementType i8 = ElementType::i8, i32 = ElementType::i32, fp32 = ElementType::fp32;
  Reporter reporter_{""};
  Scope scope_{reporter_};
};

template <class Visit>
void each_key(const Visit& visit) {
  for (const MapRule& rule : grammar()) {
    for (const KeyRule& key : rule.keys) visit(rule, key);
  }
}

}  // namespace

TEST_CASE("every example parses by its form") {
  int examples = 0;
  each_key([&](const MapRule& rule, const KeyRule& key) {
    if (key.example.empty()) return;
    CAPTURE(std::string(rule.name));
    CAPTURE(std::string(key.example));
    Reading().value(YAML::Load(std::string(key.example)), key);
    ++examples;
  });
  CHECK(examples > 100);
}

TEST_CASE("every key has an example and a meaning") {
  each_key([&](const MapRule& rule, const KeyRule& key) {
    CAPTURE(std::string(rule.name));
    CAPTURE(std::string(key.key));
    CHECK_FALSE(key.example.empty());
    CHECK(key.meaning.ends_with("."));
  });
}

TEST_CASE("every default parses by its form and lies in its range, and no required key has one") {
  each_key([&](const MapRule& rule, const KeyRule& key) {
    CAPTURE(std::string(rule.name));
    CAPTURE(std::string(key.key));
    if (key.fallback.empty()) return;
    CHECK_FALSE(key.required);
    Reading().value(YAML::Load(std::string(key.fallback)), key);
  });
}

TEST_CASE("what a rule refers to exists, and single values have a name in the reference") {
  each_key([&](const MapRule& rule, const KeyRule& key) {
    CAPTURE(std::string(rule.name));
    CAPTURE(std::string(key.key));
    const bool nested =
        key.form == Form::map || key.form == Form::table || key.form == Form::list || key.form == Form::sequence;
    CHECK(nested == !key.map.empty());
    CHECK((key.form == Form::word) == !key.words.empty());
    if (nested) CHECK(map_rule(key.map).name == key.map);
    if (!nested) CHECK_FALSE(name_of(key.form).empty());
  });
  for (const MapRule& rule : grammar()) {
    CAPTURE(std::string(rule.name));
    for (const std::string& key : words_of(rule.exactly_one)) CHECK(rule.find(key));
    for (const std::string& choice : words_of(rule.choices)) CHECK(map_rule(choice).name == choice);
    CHECK((rule.short_form == Form::word) == !rule.short_words.empty());
    if (rule.short_form != Form::map) CHECK_FALSE(rule.short_meaning.empty());
  }
}
