#include "archdsl/source/grammar.h"

#include <algorithm>
#include <cassert>
#include <sstream>

#include "archdsl/source/grammar_tables.h"

namespace accord {

const KeyRule* MapRule::find(std::string_view key) const {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const KeyRule& rule) { return rule.key == key; });
  return found == keys.end() ? nullptr : &*found;
}

std::span<const MapRule> grammar() {
  static const std::vector<MapRule> all = [] {
    std::vector<MapRule> rules;
    for (const auto& part : {tables::structure, tables::components, tables::isa})
      rules.insert(rules.end(), part.begin(), part.end());
    return rules;
  }();
  return all;
}

const MapRule& map_rule(std::string_view name) {
  const auto rules = grammar();
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const MapRule& rule) { return rule.name == name; });
  assert(found != rules.end());
  return *found;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\r";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace accord
