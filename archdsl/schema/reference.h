#pragma once

#include <string>

namespace accord {

/// The language's reference in Markdown, made from the grammar: forms of values with their units, then every map with
/// its keys. Ends with a line end.
std::string reference_markdown();

}  // namespace accord
