#pragma once

#include <string>
#include <string_view>

namespace accord {

/// What YAML text before an error, whose line and column count from 0, leaves open: a bracket, or a quote that a later
/// one closed by accident. A hint for the user; empty: nothing.
std::string left_open(std::string_view text, int line, int column);

}  // namespace accord
