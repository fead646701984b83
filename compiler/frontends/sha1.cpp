#include "compiler/frontends/sha1.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace accord {

namespace {

/// FIPS 180-4.
class Sha1 {
 public:
  void add_block(const unsigned char* block) {
    std::array<std::uint32_t, 80> w;
    for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
    for (std::size_t t = 16; t < 80; ++t) w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    auto [a, b, c, d, e] = state_;
    for (std::size_t t = 0; t < 80; ++t) {
      const std::uint32_t next = std::rotl(a, 5) + mixed(t, b, c, d) + e + w[t];
      e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
    }
    const std::array<std::uint32_t, 5> added = {a, b, c, d, e};
    for (std::size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
  }

  std::string text() const {
    std::string digest;
    for (const std::uint32_t word : state_) digest += fmt::format("{:08x}", word);
    return digest;
  }

 private:
  static std::uint32_t big_endian(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
  }

  static std::uint32_t mixed(std::size_t t, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999;
    if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1;
    if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    return (b ^ c ^ d) + 0xca62c1d6;
  }

  std::array<std::uint32_t, 5> state_ = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
};

constexpr std::size_t sha1_block = 64;

}  // namespace

std::string sha1_of(std::istream& stream) {
  Sha1 sha1;
  std::vector<char> part(std::size_t{1} << 16);
  std::uint64_t bytes = 0;
  std::size_t left = part.size();
  while (left == part.size()) {
    stream.read(part.data(), static_cast<std::streamsize>(part.size()));
    left = static_cast<std::size_t>(stream.gcount());
    bytes += left;
    if (left < part.size()) break;
    for (std::size_t at = 0; at < left; at += sha1_block)
      sha1.add_block(reinterpret_cast<const unsigned char*>(part.data() + at));
  }
  std::vector<unsigned char> end(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(left));
  end.push_back(0x80);
  while (end.size() % sha1_block != sha1_block - 8) end.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8) end.push_back(static_cast<unsigned char>((bytes * 8) >> shift));
  for (std::size_t at = 0; at < end.size(); at += sha1_block) sha1.add_block(end.data() + at);
  return sha1.text();
}

}  // namespace accord
