#include "compiler/network/constant_data.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>

using namespace accord;

TEST_CASE("Do a constant's bytes in a file at any address give aligned elements, and is the file let go then?") {
  auto file = std::make_shared<std::vector<std::uint8_t>>(64);
  std::iota(file->begin(), file->end(), std::uint8_t{0});
  for (std::size_t at = 0; at < 16; ++at) {
    CAPTURE(at);
    const auto part = std::as_bytes(std::span(*file)).subspan(at, 32);
    const ConstantBytes constant(part, file);
    CHECK(constant.unaligned().data() == part.data());
    CHECK(file.use_count() == 2);
    CHECK(reinterpret_cast<std::uintptr_t>(constant.data()) % alignof(std::int64_t) == 0);
    const bool copied = constant.data() != part.data();
    CHECK(copied == (reinterpret_cast<std::uintptr_t>(part.data()) % alignof(std::int64_t) != 0));
    CHECK(file.use_count() == (copied ? 1 : 2));
    CHECK(std::equal(part.begin(), part.end(), constant.aligned().begin(), constant.aligned().end()));
    CHECK(std::equal(part.begin(), part.end(), constant.unaligned().begin(), constant.unaligned().end()));
  }
}

TEST_CASE(
    "Is what is lent the bytes that stay, are they made for the loan alone, and does nothing ask for an order in "
    "vain?") {
  auto file = std::make_shared<std::vector<std::uint8_t>>(64);
  std::iota(file->begin(), file->end(), std::uint8_t{0});
  const auto given = std::make_shared<const ConstantBytes>(std::as_bytes(std::span(*file)).subspan(1, 32), file);
  int made = 0;
  const ConstantBytes reversed(given, [&made](std::span<const std::byte> from) {
    ++made;
    return owned(std::vector<std::byte>(from.rbegin(), from.rend()));
  });
  CHECK(reversed.size() == 32);
  CHECK(reversed.in_any_order().data() == given->unaligned().data());
  CHECK(made == 0);
  const auto lent = given->lend(), turned = reversed.lend();
  CHECK(reinterpret_cast<std::uintptr_t>(lent.get()) % alignof(std::int64_t) == 0);
  CHECK(std::equal(lent.get(), lent.get() + 32, given->unaligned().begin()));
  CHECK(std::equal(turned.get(), turned.get() + 32, given->unaligned().rbegin()));
  CHECK(made == 1);
  CHECK(file.use_count() == 2);
  const std::byte* kept = reversed.data();
  CHECK(made == 2);
  CHECK(std::equal(kept, kept + 32, turned.get()));
  CHECK(reversed.lend().get() == kept);
  CHECK(reversed.in_any_order().data() == kept);
  CHECK(made == 2);
}
