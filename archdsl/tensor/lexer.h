#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace accord {

enum class TokenKind : std::uint8_t { name, integer, real, symbol, end };

/// A piece of a statement; `text` views into the statement.
struct Token {
  TokenKind kind{};
  std::string_view text;
  std::size_t offset = 0;
  double value = 0;  ///< of a number
};

/// Splits a statement; the last token is `end`. Throws StatementError.
std::vector<Token> tokenise(std::string_view text);

}  // namespace accord
