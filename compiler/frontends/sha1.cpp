#include "compiler/frontends/sha1.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cassert>
#include <memory>

namespace accord {

std::string sha1_of(std::istream& stream) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  [[maybe_unused]] bool done = EVP_DigestInit_ex(digest.get(), EVP_sha1(), nullptr) == 1;
  std::array<char, 1 << 16> part{};
  while (stream.read(part.data(), part.size()).gcount() > 0) {
    done = done && EVP_DigestUpdate(digest.get(), part.data(), static_cast<std::size_t>(stream.gcount())) == 1;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned count = 0;
  done = done && EVP_DigestFinal_ex(digest.get(), bytes.data(), &count) == 1;
  assert(done);
  std::string text;
  for (unsigned b = 0; b < count; ++b) text += fmt::format("{:02x}", bytes[b]);
  return text;
}

}  // namespace accord
