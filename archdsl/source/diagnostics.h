#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archdsl/source/location.h"

namespace accord {

enum class Severity { error, warning, note };

/// One message about a covenant. `code` names a row of the table in archdsl/source/diagnostics.cpp
/// (docs/diagnostics.md).
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

/// One row of the table of codes.
struct DiagnosticCode {
  std::string_view code;
  Severity severity;
  std::string_view meaning;  ///< one sentence for docs/diagnostics.md
};

/// The whole table, in the order of the documentation.
std::span<const DiagnosticCode> diagnostic_codes();

/// FILE:LINE:COLUMN: error[code]: message, the line, a caret, the hint.
std::string render(const Diagnostic& diagnostic);

}  // namespace accord
