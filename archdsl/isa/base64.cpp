#include "archdsl/isa/base64.h"

#include <array>
#include <cstdint>

namespace accord {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t wrong = 0xff;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(wrong);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr std::array<std::uint8_t, 256> values_of = make_values();

}  // namespace

void append_base64(std::string& to, std::span<const std::byte> bytes) {
  std::size_t at = to.size();
  to.resize(at + (bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t group = std::to_integer<std::uint32_t>(bytes[i]) << 16;
    if (left > 1) group |= std::to_integer<std::uint32_t>(bytes[i + 1]) << 8;
    if (left > 2) group |= std::to_integer<std::uint32_t>(bytes[i + 2]);
    to[at++] = alphabet[group >> 18];
    to[at++] = alphabet[group >> 12 & 63];
    to[at++] = left > 1 ? alphabet[group >> 6 & 63] : '=';
    to[at++] = left > 2 ? alphabet[group & 63] : '=';
  }
}

std::optional<std::size_t> decode_base64(std::string_view text, std::vector<std::byte>& to) {
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const std::size_t digits = text.size() - padding;
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const std::uint8_t value = values_of[static_cast<unsigned char>(text[i])];
    if (value == wrong) return i;
    group = group << 6 | value;
    if (i % 4 != 3) continue;
    to.push_back(static_cast<std::byte>(group >> 16));
    to.push_back(static_cast<std::byte>(group >> 8));
    to.push_back(static_cast<std::byte>(group));
  }
  if (text.size() % 4 != 0) return text.size();
  if (padding == 2) to.push_back(static_cast<std::byte>(group >> 4));
  if (padding == 1) {
    to.push_back(static_cast<std::byte>(group >> 10));
    to.push_back(static_cast<std::byte>(group >> 2));
  }
  return std::nullopt;
}

}  // namespace accord
