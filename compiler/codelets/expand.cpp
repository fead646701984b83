#include "compiler/codelets/expand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cassert>
#include <cctype>

#include "archdsl/source/error.h"

namespace accord {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

const Shape& shape_of(const Expansion& expansion, const std::string& name) {
  const auto tensor = expansion.tensors.find(name);
  if (tensor == expansion.tensors.end()) throw Error(fmt::format("'{}' is no operand that has a shape", name));
  return expansion.network->tensors[tensor->second].shape;
}

/// The output's index texts as operand `name` sees them under broadcasting: aligned right, 0 where its extent is 1.
std::string broadcast(const Expansion& expansion, const std::string& name, std::size_t drop) {
  const Shape& shape = shape_of(expansion, name);
  if (shape.size() < drop || shape.size() > expansion.index.size()) {
    throw Error(fmt::format("{}: an operand of rank {} is not supported", expansion.op->name, shape.size()));
  }
  const std::size_t outer = expansion.index.size() - drop;
  std::vector<std::string> parts;
  const std::size_t rank = shape.size() - drop;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t at = outer - rank + i;
    parts.push_back(shape[i] == 1 ? "0" : expansion.index[at]);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string without(const std::vector<std::string>& index, std::size_t drop) {
  return fmt::format("{}", fmt::join(index.begin(), index.end() - static_cast<std::ptrdiff_t>(drop), ", "));
}

std::string axis_dropped(const Expansion& expansion) {
  auto index = expansion.index;
  if (index.empty()) throw Error(fmt::format("{}: a scalar has no axis", expansion.op->name));
  index.erase(index.begin() + expansion.axis);
  return index.empty() ? "0" : fmt::format("{}", fmt::join(index, ", "));
}

/// `@axis` of a rank-0 operand leaves no brackets: the caller removes "[]".
std::string placeholder(const Expansion& expansion, const std::string& word, const std::string& operand) {
  if (word.empty()) return without(expansion.index, 0);
  if (word == "outer") return without(expansion.index, 1);
  if (word == "outer2") return without(expansion.index, 2);
  if (word == "axis") {
    const bool scalar = shape_of(expansion, operand).empty();
    return scalar ? "" : expansion.index.at(expansion.axis);
  }
  return broadcast(expansion, word, 0);
}

std::string replace_name(const Expansion& expansion, const std::string& word) {
  if (const auto it = expansion.names.find(word); it != expansion.names.end()) return it->second;
  if (const auto it = expansion.literals.find(word); it != expansion.literals.end()) return it->second;
  return word;
}

}  // namespace

std::string expand(const std::string& statement, const Expansion& expansion) {
  std::string out;
  std::string operand;  // the name before the bracket we are in
  for (std::size_t i = 0; i < statement.size();) {
    const char c = statement[i];
    if (c == '@') {
      std::size_t end = ++i;
      if (statement[end] == '-') {
        out += axis_dropped(expansion);
        i = end + 1;
        continue;
      }
      while (end < statement.size() && is_name(statement[end])) ++end;
      const std::string word = statement.substr(i, end - i);
      if (word == "outer2" && statement[end] == ':') {
        std::size_t stop = ++end;
        while (stop < statement.size() && is_name(statement[stop])) ++stop;
        out += broadcast(expansion, statement.substr(end, stop - end), 2);
        end = stop;
      } else {
        out += placeholder(expansion, word, operand);
      }
      i = end;
      if (out.ends_with('[')) {
        while (i < statement.size() && (statement[i] == ',' || statement[i] == ' ')) ++i;
        if (statement[i] == ']') {
          out.pop_back();
          ++i;
        }
      }
    } else if (is_name(c)) {
      std::size_t end = i;
      while (end < statement.size() && is_name(statement[end])) ++end;
      const std::string word = statement.substr(i, end - i);
      const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      if (!number) operand = word;
      out += number ? word : replace_name(expansion, word);
      i = end;
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

std::vector<std::string> iterate(const Shape& shape, std::vector<Iterator>& iterators, const std::string& prefix) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    names.push_back(fmt::format("{}{}", prefix, i));
    iterators.push_back({names.back(), shape[i]});
  }
  return names;
}

std::string access(const std::string& operand, const std::vector<std::string>& index) {
  return index.empty() ? operand : fmt::format("{}[{}]", operand, fmt::join(index, ", "));
}

}  // namespace accord
