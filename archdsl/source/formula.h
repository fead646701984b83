#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace accord {

/// An integer timing expression such as "max(i, dim) + 4", compiled against an ordered list of variable names.
/// Operators + - * / (integer division, rounding up is `ceil_div(a,b)`), min, max, parentheses, select(c,a,b), < <= ==
/// > >=. Default-constructed: the constant 0.
class Formula {
 public:
  Formula() = default;
  /// Throws accord::Error with the byte offset in the message's front ("@12: ...") on a mistake.
  Formula(const std::string& text, std::span<const std::string> variables);
  /// `values` one per variable. Division by zero and overflow give INT64_MAX (saturating).
  std::int64_t evaluate(std::span<const std::int64_t> values) const;
  const std::string& text() const { return text_; }

 private:
  struct Node;
  std::string text_;
  std::shared_ptr<const std::vector<Node>> code_;  ///< postfix
};

}  // namespace accord
