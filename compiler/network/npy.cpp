#include "compiler/network/npy.h"

#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/network/network.h"

namespace accord {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::int64_t max_npy_elements = std::int64_t{1} << 30;
constexpr std::size_t max_header = 1 << 16;

struct Header {
  std::string descr;
  Shape shape;
  bool columns_first = false;  ///< Fortran order, in which NumPy writes what was transposed
};

std::string read_bytes(std::istream& stream, std::size_t count) {
  std::string bytes(count, '\0');
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(count))) throw Error("the file is cut off");
  return bytes;
}

/// The text after `'key':` in the header's dictionary.
std::string_view value_of(std::string_view header, std::string_view key) {
  const auto quoted = fmt::format("'{}':", key);
  const auto at = header.find(quoted);
  if (at == std::string_view::npos) throw Error(fmt::format("the header lacks {}", quoted));
  if (header.find(quoted, at + 1) != std::string_view::npos)
    throw Error(fmt::format("the header has {} twice", quoted));
  auto rest = header.substr(at + quoted.size());
  const auto start = rest.find_first_not_of(' ');
  return start == std::string_view::npos ? std::string_view() : rest.substr(start);
}

Shape parse_shape(std::string_view text) {
  const auto close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) throw Error("the header's shape is no tuple");
  Shape shape;
  std::int64_t count = 1;
  const auto* at = text.data() + 1;
  const auto* end = text.data() + close;
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::int64_t extent = 0;
    const auto [next, code] = std::from_chars(at, end, extent);
    if (code != std::errc() || extent < 0) throw Error("the header's shape is no tuple of sizes");
    if (extent > max_npy_elements || (extent > 0 && count > max_npy_elements / extent))
      throw Error("the array is too large");
    count *= extent;
    shape.push_back(extent);
    at = next;
  }
  return shape;
}

Header parse_header(std::string_view text) {
  const auto last = text.find_last_not_of(" \n");
  if (!text.starts_with('{') || last == std::string_view::npos || text[last] != '}') {
    throw Error("the header is no dictionary");
  }
  const auto order = value_of(text, "fortran_order");
  const bool columns_first = order.starts_with("True");
  if (!columns_first && !order.starts_with("False"))
    throw Error("the header's fortran_order is neither True nor False");
  const auto descr = value_of(text, "descr");
  if (!descr.starts_with('\'')) throw Error("structured arrays are not supported");
  const auto close = descr.find('\'', 1);
  if (close == std::string_view::npos) throw Error("the header is cut off");
  return {std::string(descr.substr(1, close - 1)), parse_shape(value_of(text, "shape")), columns_first};
}

Header read_header(std::istream& stream) {
  const auto start = read_bytes(stream, magic.size() + 2);
  if (!start.starts_with(magic)) throw Error("not a NumPy array file");
  const int version = start[magic.size()];
  if (version < 1 || version > 3) throw Error(fmt::format("format version {} is not supported", version));
  const auto length_bytes = read_bytes(stream, version == 1 ? 2 : 4);
  std::size_t length = 0;
  for (std::size_t i = length_bytes.size(); i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(length_bytes[i]);
  if (length > max_header) throw Error("the header is too long");
  return parse_header(read_bytes(stream, length));
}

struct FileType {
  std::string_view descr;
  ElementType type;
};
constexpr FileType file_types[] = {{"<f4", ElementType::fp32}, {"<i8", ElementType::i64}, {"<i4", ElementType::i32},
                                   {"<i2", ElementType::i16},  {"|i1", ElementType::i8},  {"|u1", ElementType::u8},
                                   {"<f2", ElementType::fp16}};

std::optional<ElementType> type_of(std::string_view descr) {
  if (descr == "|b1") return ElementType::u8;
  for (const auto& entry : file_types) {
    if (entry.descr == descr) return entry.type;
  }
  return std::nullopt;
}

std::vector<std::byte> read_data(std::istream& stream, std::size_t size) {
  std::vector<std::byte> data;
  // Grows as the file does, so that a false shape cannot claim memory.
  constexpr std::size_t block = 1 << 24;
  while (data.size() < size) {
    const auto start = data.size();
    data.resize(std::min(size, start + block));
    if (!stream.read(reinterpret_cast<char*>(data.data() + start), static_cast<std::streamsize>(data.size() - start))) {
      throw Error("the file is cut off");
    }
  }
  return data;
}

/// Row-major, from an array whose first index lies innermost.
void reorder(Value& value) {
  const auto size = static_cast<std::size_t>(bytes(value.type));
  std::vector<std::byte> rows(value.data.size());
  Shape at(value.shape.size(), 0);
  for (std::size_t from = 0; from < value.data.size(); from += size) {
    std::size_t to = 0;
    for (std::size_t d = 0; d < at.size(); ++d)
      to = to * static_cast<std::size_t>(value.shape[d]) + static_cast<std::size_t>(at[d]);
    std::memcpy(rows.data() + to * size, value.data.data() + from, size);
    for (std::size_t d = 0; d < at.size() && ++at[d] == value.shape[d]; ++d) at[d] = 0;
  }
  value.data = std::move(rows);
}

Value read_value(std::istream& stream) {
  const auto header = read_header(stream);
  const auto count = count_of(header.shape);
  Value value;
  value.shape = header.shape;
  if (header.descr == "<f8") {
    const auto wide = read_data(stream, count * 8);
    value.data.resize(count * 4);
    for (std::size_t i = 0; i < count; ++i) {
      double number;
      std::memcpy(&number, wide.data() + 8 * i, 8);
      const auto narrow = static_cast<float>(number);
      std::memcpy(value.data.data() + 4 * i, &narrow, 4);
    }
  } else {
    const auto type = type_of(header.descr);
    if (!type) throw Error(fmt::format("element type '{}' is not supported", header.descr));
    value.type = *type;
    value.data = read_data(stream, count * static_cast<std::size_t>(bytes(*type)));
  }
  if (header.columns_first) reorder(value);
  if (stream.peek() != std::istream::traits_type::eof()) throw Error("there is data beyond the array");
  return value;
}

std::string_view descr_of(ElementType type) {
  for (const auto& entry : file_types) {
    if (entry.type == type) return entry.descr;
  }
  return {};
}

/// The value in a type that NumPy has.
Value storable(const Value& value) {
  if (value.type == ElementType::i4) return {ElementType::i8, value.shape, value.data};
  if (!descr_of(value.type).empty()) return value;
  Value wide{ElementType::fp32, value.shape, {}};
  const auto count = count_of(value.shape);
  const auto size = static_cast<std::size_t>(bytes(value.type));
  wide.data.resize(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    store_element(wide.data.data() + 4 * i, ElementType::fp32, load_element(value.data.data() + size * i, value.type));
  }
  return wide;
}

std::string header_text(const Value& value) {
  const auto comma = value.shape.size() == 1 ? "," : "";
  auto text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr_of(value.type),
                          fmt::join(value.shape, ", "), comma);
  const auto used = magic.size() + 4 + text.size() + 1;
  text.append((64 - used % 64) % 64, ' ');
  return text + '\n';
}

}  // namespace

Value load_npy(const std::filesystem::path& path) {
  try {
    std::error_code code;
    std::ifstream stream(path, std::ios::binary);
    if (!stream || !std::filesystem::is_regular_file(path, code)) throw Error("cannot open the file");
    return read_value(stream);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

void save_npy(const std::filesystem::path& path, const Value& given) {
  const auto value = storable(given);
  const auto header = header_text(value);
  std::ofstream stream(path, std::ios::binary);
  const char version_and_length[] = {1, 0, static_cast<char>(header.size() & 0xff),
                                     static_cast<char>(header.size() >> 8)};
  stream << magic;
  stream.write(version_and_length, sizeof version_and_length);
  stream << header;
  stream.write(reinterpret_cast<const char*>(value.data.data()), static_cast<std::streamsize>(value.data.size()));
  if (!stream.flush()) throw Error(fmt::format("{}: cannot write the file", path.string()));
}

}  // namespace accord
