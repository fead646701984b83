#include "archdsl/schema/definitions.h"

#include <fmt/format.h>

#include "archdsl/schema/pattern.h"

namespace accord {

namespace {

std::string name_of(std::string_view map, Strictness strictness) {
  const std::string_view prefix = strictness == Strictness::whole      ? ""
                                  : strictness == Strictness::fragment ? "fragment."
                                                                       : "overlay.";
  return fmt::format("{}{}", prefix, map);
}

Schema any_of(Schema first, Schema second) {
  Schema result = {{"anyOf", Schema::array()}};
  result["anyOf"].push_back(std::move(first));
  result["anyOf"].push_back(std::move(second));
  return result;
}

/// Adds how many entries there may be.
void add_count(Schema& schema, Range range, std::string_view least, std::string_view most) {
  if (range.low > 0) schema[least] = range.low;
  if (range.high > 0 && range.high < greatest_quantity) schema[most] = range.high;
}

Schema exactly_one(const MapRule& rule) {
  Schema result = Schema::array();
  for (const std::string& key : words_of(rule.exactly_one)) result.push_back({{"required", {key}}});
  return result;
}

}  // namespace

Schema Definitions::refer(std::string_view map, Strictness strictness) {
  const Target target{map_rule(map).name, strictness};
  if (known_.insert(target).second) pending_.push_back(target);
  return {{"$ref", "#/definitions/" + name_of(map, strictness)}};
}

Schema Definitions::take() {
  Schema definitions = Schema::object();
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Target target = pending_[i];
    definitions[name_of(target.map, target.strictness)] = define(map_rule(target.map), target.strictness);
  }
  return definitions;
}

Schema Definitions::define(const MapRule& rule, Strictness strictness) {
  Schema schema = {{"description", rule.meaning}};
  if (!rule.choices.empty()) {
    schema.update(choice(rule, strictness));
  } else if (rule.short_form == Form::map) {
    schema.update(object(rule, strictness));
  } else {
    Schema short_form = {{"description", rule.short_meaning}};
    short_form.update(form_schema(rule.short_form, rule.short_range, rule.short_words));
    schema.update(rule.keys.empty() ? short_form : any_of(std::move(short_form), object(rule, strictness)));
  }
  return schema;
}

Schema Definitions::object(const MapRule& rule, Strictness strictness) {
  Schema schema = {{"type", "object"}, {"properties", Schema::object()}};
  Schema required = Schema::array();
  for (const KeyRule& key : rule.keys) {
    schema["properties"][std::string(key.key)] = property(key, strictness);
    if (key.required && strictness == Strictness::whole) required.push_back(key.key);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  if (!rule.exactly_one.empty() && strictness != Strictness::overlay) schema["oneOf"] = exactly_one(rule);
  schema["additionalProperties"] = false;
  return schema;
}

/// A map with `kind` is the one of that name; the other choices are known by the key that they require.
Schema Definitions::choice(const MapRule& rule, Strictness strictness) {
  Schema by_kind = Schema::array(), by_key = Schema::array(), kinds = Schema::array();
  for (const std::string& name : words_of(rule.choices)) {
    const MapRule& chosen = map_rule(name);
    if (chosen.find("kind")) {
      kinds.push_back(name);
      by_kind.push_back({{"if", {{"properties", {{"kind", {{"const", name}}}}}, {"required", {"kind"}}}},
                         {"then", refer(name, strictness)}});
      continue;
    }
    for (const KeyRule& key : chosen.keys) {
      if (!key.required) continue;
      by_key.push_back({{"if", {{"required", {key.key}}}}, {"then", refer(name, strictness)}});
    }
  }
  const Schema expression = {{"type", "string"}, {"pattern", expression_pattern()}};
  const Schema unknown_kind = {{"properties", {{"kind", expression}}}};
  by_kind.push_back({{"if", unknown_kind}, {"then", any_choice(rule, strictness)}});
  Schema kind = any_of({{"enum", std::move(kinds)}}, expression);
  if (strictness == Strictness::overlay) kind = any_of(std::move(kind), {{"type", "null"}});
  Schema rest = {{"properties", {{"kind", std::move(kind)}}}, {"allOf", std::move(by_kind)}};
  if (strictness == Strictness::whole) rest["required"] = {"kind"};
  for (Schema& one : by_key) {
    one["else"] = std::move(rest);
    rest = std::move(one);
  }
  Schema schema = {{"type", "object"}};
  schema.update(rest);
  return schema;
}

/// Where the kind is an expression, or stands in the file below.
Schema Definitions::any_choice(const MapRule& rule, Strictness strictness) {
  Schema all = Schema::array();
  for (const std::string& name : words_of(rule.choices)) all.push_back(refer(name, strictness));
  return {{"anyOf", std::move(all)}};
}

Schema Definitions::property(const KeyRule& key, Strictness strictness) {
  Schema schema = {{"description", key.meaning}};
  if (!key.fallback.empty()) schema["default"] = yaml_value(key.fallback);
  if (!key.example.empty()) schema["examples"].push_back(yaml_value(key.example));
  Schema form = value(key, strictness);
  if (strictness == Strictness::overlay) form = any_of(std::move(form), {{"type", "null"}});
  if (form.contains("$ref")) form = {{"allOf", {std::move(form)}}};  // beside $ref nothing counts
  schema.update(form);
  return schema;
}

/// Entries of an included file's sections are whole; so are items of lists, which replace those below them.
Schema Definitions::value(const KeyRule& key, Strictness strictness) {
  switch (key.form) {
    case Form::map: return refer(key.map, strictness);
    case Form::table: return table(key, strictness == Strictness::fragment ? Strictness::whole : strictness);
    case Form::list: return any_of(refer(key.map, Strictness::whole), list(key));
    case Form::sequence: return list(key);
    default: return form_schema(key.form, key.range, key.words);
  }
}

Schema Definitions::table(const KeyRule& key, Strictness strictness) {
  Schema entry = refer(key.map, strictness);
  if (strictness == Strictness::overlay) entry = any_of(std::move(entry), {{"type", "null"}});
  Schema schema = {{"type", "object"},
                   {"patternProperties", {{pattern_of(key.names), std::move(entry)}}},
                   {"additionalProperties", false}};
  if (strictness == Strictness::whole) add_count(schema, key.range, "minProperties", "maxProperties");
  return schema;
}

Schema Definitions::list(const KeyRule& key) {
  Schema schema = {{"type", "array"}, {"items", refer(key.map, Strictness::whole)}};
  add_count(schema, key.range, "minItems", "maxItems");
  return schema;
}

}  // namespace accord
