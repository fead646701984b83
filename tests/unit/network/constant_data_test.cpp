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
