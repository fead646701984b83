#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "simulator/kernels/operation.h"

namespace accord::sim {

/// Counting semaphores. A count rises at the time of a token.
class Semaphores {
 public:
  struct Token {
    Time time;
    std::int64_t instruction;
    int mnemonic;
  };

  Semaphores(int count, std::int64_t maximum)
      : maximum_(maximum), tokens_(static_cast<std::size_t>(count)), waiters_(tokens_.size()) {}

  int count() const { return static_cast<int>(tokens_.size()); }
  void give(int semaphore, Token token);
  /// The earliest token; nullptr where there is none yet.
  const Token* front(int semaphore) const;
  Token take(int semaphore);
  /// The token that took the count over the maximum by `now`; nullptr where none did.
  const Token* overflow(int semaphore, Cycle now) const;

  void add_waiter(int semaphore, int unit) { waiters_[static_cast<std::size_t>(semaphore)].push_back(unit); }
  std::vector<int> take_waiters(int semaphore) {
    return std::exchange(waiters_[static_cast<std::size_t>(semaphore)], {});
  }

 private:
  std::int64_t maximum_;
  std::vector<std::deque<Token>> tokens_;  ///< ascending in time
  std::vector<std::vector<int>> waiters_;
};

}  // namespace accord::sim
