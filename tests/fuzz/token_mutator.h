#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace accord {

/// Changes a text by whole words and lines, so that more of it stays readable than after changes of bytes: a word
/// becomes another word of the text or a number near a limit, a line moves, repeats or goes, a stretch repeats.
class TokenMutator {
 public:
  TokenMutator(std::string text, unsigned seed) : text_(std::move(text)), random_(seed) {}

  std::string run();

 private:
  struct Stretch {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  std::size_t pick(std::size_t count) { return count == 0 ? 0 : random_() % count; }
  Stretch word();
  Stretch line();
  std::string value();
  void replace_word();
  void move_line();

  std::string text_;
  std::minstd_rand random_;
};

}  // namespace accord
