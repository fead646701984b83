#include "simulator/modules/semaphores.h"

#include <algorithm>

namespace accord::sim {

void Semaphores::give(int semaphore, Token token) {
  auto& tokens = tokens_[static_cast<std::size_t>(semaphore)];
  const auto at = std::ranges::upper_bound(tokens, token.time.at, {}, [](const Token& other) { return other.time.at; });
  tokens.insert(at, std::move(token));
}

const Semaphores::Token* Semaphores::front(int semaphore) const {
  const auto& tokens = tokens_[static_cast<std::size_t>(semaphore)];
  return tokens.empty() ? nullptr : &tokens.front();
}

Semaphores::Token Semaphores::take(int semaphore) {
  auto& tokens = tokens_[static_cast<std::size_t>(semaphore)];
  Token token = std::move(tokens.front());
  tokens.pop_front();
  return token;
}

void Semaphores::add_waiter(int semaphore, int unit) {
  auto& waiters = waiters_[static_cast<std::size_t>(semaphore)];
  if (std::ranges::count(waiters, unit) == 0) waiters.push_back(unit);
}

const Semaphores::Token* Semaphores::overflow(int semaphore, Cycle now) const {
  const auto& tokens = tokens_[static_cast<std::size_t>(semaphore)];
  const auto over = static_cast<std::size_t>(maximum_);
  return tokens.size() > over && tokens[over].time <= now ? &tokens[over] : nullptr;
}

}  // namespace accord::sim
