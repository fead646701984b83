#include "archdsl/schema/schema.h"

#include <utility>

#include "archdsl/schema/definitions.h"

namespace accord {

namespace {

/// What a file must say itself: sections come from what it includes, the rest does not.
Schema own_keys(const MapRule& rule) {
  Schema required = Schema::array();
  for (const KeyRule& key : rule.keys) {
    if (key.required && key.form != Form::map && key.form != Form::table) required.push_back(key.key);
  }
  return required;
}

Schema if_stands(const char* key, Schema then, Schema otherwise) {
  return {{"if", {{"required", {key}}}}, {"then", std::move(then)}, {"else", std::move(otherwise)}};
}

Schema covenant(Definitions& definitions) {
  const MapRule& rule = map_rule("covenant");
  Schema including = {{"required", own_keys(rule)}};
  including["allOf"] = {definitions.refer(rule.name, Strictness::fragment)};
  return if_stands("extends", definitions.refer(rule.name, Strictness::overlay),
                   if_stands("include", std::move(including), definitions.refer(rule.name, Strictness::whole)));
}

Schema root(FileKind kind, Definitions& definitions) {
  switch (kind) {
    case FileKind::covenant: return covenant(definitions);
    case FileKind::fragment:
      return if_stands("extends", definitions.refer("covenant", Strictness::overlay),
                       definitions.refer("covenant", Strictness::fragment));
    case FileKind::figures: break;
  }
  return {{"allOf", {definitions.refer("figures", Strictness::whole)}}};
}

const char* title(FileKind kind) {
  switch (kind) {
    case FileKind::covenant: return "Accord: architecture covenant";
    case FileKind::fragment: return "Accord: included part of a covenant";
    case FileKind::figures: break;
  }
  return "Accord: table of figures";
}

}  // namespace

Schema file_schema(FileKind kind) {
  Definitions definitions;
  Schema schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title(kind)}};
  schema.update(root(kind, definitions));
  schema["definitions"] = definitions.take();
  return schema;
}

}  // namespace accord
