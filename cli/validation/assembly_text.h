#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace accord {

/// Assembly that grows line by line.
class AssemblyText {
 protected:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace accord
