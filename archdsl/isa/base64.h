#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace accord {

/// Appends RFC 4648 base64 with padding.
void append_base64(std::string& to, std::span<const std::byte> bytes);

/// Decodes one padded run and appends it; returns the offset of the first wrong character (the text's size where the
/// length is no multiple of 4), nullopt on success. On failure some bytes may have been appended.
std::optional<std::size_t> decode_base64(std::string_view text, std::vector<std::byte>& to);

}  // namespace accord
