#include "compiler/codegen/text.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace accord;

TEST_CASE("Is text in blocks what one long list of instructions would be?") {
  std::mt19937 random(3);
  for (const std::size_t size : {1, 12, 300000, 3 << 20}) {
    CAPTURE(size);
    Text text(size);
    std::vector<std::byte> expected;
    std::size_t count = 0;
    const std::size_t most = size > 1000 ? 20 : 3000000 / size;
    for (int round = 0; round < 40; ++round) {
      const std::size_t more = random() % (most / 4 + 1);
      std::vector<std::byte> instructions(more * size);
      for (std::size_t i = 0; i < instructions.size(); i += 97) instructions[i] = static_cast<std::byte>(random());
      if (round % 2 == 0) {
        text.append(instructions);
      } else {
        for (std::size_t i = 0; i < more; ++i) {
          std::copy_n(instructions.begin() + static_cast<std::ptrdiff_t>(i * size), size, text.add());
        }
      }
      expected.insert(expected.end(), instructions.begin(), instructions.end());
      count += more;
      if (round % 3 == 0) {
        count = count == 0 ? 0 : random() % count;
        text.cut(count);
        expected.resize(count * size);
      }
      const std::size_t first = count == 0 ? 0 : random() % count;
      const std::vector<std::byte> tail(expected.begin() + static_cast<std::ptrdiff_t>(first * size), expected.end());
      CHECK((text.from(first) == tail));
    }
    CHECK((text.take() == expected));
    CHECK(text.take().empty());
  }
}
