#pragma once

#include "archdsl/schema/form_schema.h"

namespace accord {

/// What a file is: a covenant; a fragment that a covenant includes, in which no section is required; a table of figures
/// that `tables` names.
enum class FileKind : std::uint8_t { covenant, fragment, figures };

/// JSON Schema (draft 07) of such files as YAML 1.2 reads them, made from the grammar. Whatever the checker accepts is
/// valid; not all that is valid is accepted (docs/editor.md). A covenant with `extends` may lack any key and remove
/// keys with `~`; one with `include` may lack the sections.
Schema file_schema(FileKind kind);

}  // namespace accord
