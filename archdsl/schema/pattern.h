#pragma once

#include <string>

#include "archdsl/source/grammar.h"

namespace accord {

/// A part with `${...}`, as a regular expression that matches anywhere.
std::string expression_pattern();

/// Regular expression (in what ECMA 262 and Python share) of the texts that a form admits, each with `${...}` besides;
/// empty where any text will do. `negative`: numbers may have a sign.
std::string pattern_of(Form form, bool negative = false);

}  // namespace accord
