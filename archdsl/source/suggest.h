#pragma once

#include <span>
#include <string>
#include <string_view>

namespace accord {

/// The candidate nearest to `word` by edit distance (adjacent swaps count once); empty where none is near enough to be
/// a slip of the fingers.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "did you mean `spad`?", or the list of candidates where none is near and they are few, or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace accord
