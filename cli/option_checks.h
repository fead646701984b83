#pragma once

#include <cstdint>
#include <string>

namespace accord {

// Each says what is wrong with an option's text: before the work, not after it. Empty where the text is right.

std::string whole_number(const std::string& text, std::uint64_t least, std::uint64_t most);
std::string not_negative(const std::string& text);
std::string not_empty(const std::string& text);
/// A file that can be written: its folder is there.
std::string writable(const std::string& text);
/// A folder, or a name under which one can be made.
std::string folder_to_fill(const std::string& text);

}  // namespace accord
