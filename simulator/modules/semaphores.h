#pragma once

#include <deque>
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

  /// Units that are to hear of each token until they have taken one: a token that is given later may have an earlier
  /// time.
  const std::vector<int>& waiters(int semaphore) const { return waiters_[static_cast<std::size_t>(semaphore)]; }
  void add_waiter(int semaphore, int unit);
  void remove_waiter(int semaphore, int unit) { std::erase(waiters_[static_cast<std::size_t>(semaphore)], unit); }

 private:
  std::int64_t maximum_;
  std::vector<std::deque<Token>> tokens_;  ///< ascending in time
  std::vector<std::vector<int>> waiters_;
};

}  // namespace accord::sim
