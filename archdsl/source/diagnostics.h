#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archdsl/source/location.h"

namespace accord {

enum class Severity { error, warning, note };

/// One message about a covenant. `code` names a row of the table in archdsl/source/diagnostics.cpp (docs/diagnostics.md).
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;  ///< "unknown-key"
  Location where;
  int length = 1;       ///< columns underlined
  std::string message;  ///< what is wrong and what was expected
  std::string hint;     ///< empty: none
  std::string line;     ///< the source line, for the caret
  std::vector<Diagnostic> notes;
};

/// FILE:LINE:COLUMN: error[code]: message, the line, a caret, the hint.
std::string render(const Diagnostic& diagnostic);

}  // namespace accord
