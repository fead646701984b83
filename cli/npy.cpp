#include "cli/npy.h"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"

namespace accord {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::int64_t max_bytes = std::int64_t{1} << 33;
constexpr std::size_t max_header = 1 << 16;
constexpr std::size_t alignment = 64;  // of the data, which the format asks for

struct Header {
  std::string descr;
  bool fortran = false;
  Shape shape;
};

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view why) {
  throw Error(fmt::format("{}: {}", file.string(), why));
}

/// The text after `'key':` in the header's Python dictionary.
std::string_view after_key(std::string_view header, std::string_view key, const std::filesystem::path& file) {
  const auto at = header.find(fmt::format("'{}'", key));
  const auto colon = at == std::string_view::npos ? at : header.find(':', at);
  if (colon == std::string_view::npos) fail(file, fmt::format("NPY header without '{}'", key));
  const auto start = header.find_first_not_of(' ', colon + 1);
  return start == std::string_view::npos ? std::string_view{} : header.substr(start);
}

Shape parse_shape(std::string_view text, const std::filesystem::path& file) {
  const auto end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) fail(file, "NPY header with a malformed shape");
  Shape shape;
  const char* at = text.data() + 1;
  const char* const last = text.data() + end;
  while (at < last) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, last, extent);
    if (error != std::errc{} || extent < 0) fail(file, "NPY header with a malformed shape");
    shape.push_back(extent);
    at = next;
  }
  return shape;
}

std::string read_header(std::ifstream& in, const std::filesystem::path& file) {
  char start[8] = {};
  if (!in.read(start, sizeof start) || std::string_view(start, magic.size()) != magic) fail(file, "not an NPY file");
  unsigned char length_bytes[4] = {};
  const int count = start[6] == 1 ? 2 : 4;
  if (!in.read(reinterpret_cast<char*>(length_bytes), count)) fail(file, "NPY file is cut off");
  std::size_t length = 0;
  for (int i = count - 1; i >= 0; --i) length = length << 8 | length_bytes[i];
  if (length > max_header) fail(file, "NPY header is too long");
  std::string header(length, '\0');
  if (!in.read(header.data(), static_cast<std::streamsize>(length))) fail(file, "NPY file is cut off");
  return header;
}

Header parse_header(std::string_view text, const std::filesystem::path& file) {
  Header header;
  const auto descr = after_key(text, "descr", file);
  const auto close = descr.size() < 2 ? std::string_view::npos : descr.find(descr[0], 1);
  if (close == std::string_view::npos) fail(file, "NPY header with a malformed type");
  header.descr = descr.substr(1, close - 1);
  header.fortran = after_key(text, "fortran_order", file).starts_with("True");
  header.shape = parse_shape(after_key(text, "shape", file), file);
  return header;
}

ElementType element_type_of(const std::string& descr, const std::filesystem::path& file) {
  static const std::map<std::string, ElementType> types = {
      {"<f2", ElementType::fp16}, {"<f4", ElementType::fp32}, {"|i1", ElementType::i8},  {"|u1", ElementType::u8},
      {"|b1", ElementType::u8},   {"<i2", ElementType::i16},  {"<i4", ElementType::i32}, {"<i8", ElementType::i64}};
  const auto found = types.find(descr);
  if (found == types.end()) fail(file, fmt::format("element type '{}' is not supported", descr));
  return found->second;
}

std::size_t byte_count(const Shape& shape, int element_bytes, const std::filesystem::path& file) {
  std::int64_t count = element_bytes;
  for (const auto extent : shape) {
    if (extent > 0 && count > max_bytes / extent) fail(file, "array is too large");
    count *= extent;
  }
  return static_cast<std::size_t>(count);
}

Value narrowed_doubles(const std::vector<std::byte>& data, Shape shape) {
  Value value{ElementType::fp32, std::move(shape), std::vector<std::byte>(data.size() / 2)};
  for (std::size_t i = 0; i < data.size() / 8; ++i) {
    double element = 0;
    std::memcpy(&element, data.data() + 8 * i, 8);
    store_element(value.data.data() + 4 * i, ElementType::fp32, element);
  }
  return value;
}

std::string_view descr_of(ElementType type) {
  switch (type) {
    case ElementType::i4:
    case ElementType::i8: return "|i1";
    case ElementType::u8: return "|u1";
    case ElementType::i16: return "<i2";
    case ElementType::i32: return "<i4";
    case ElementType::i64: return "<i8";
    case ElementType::fp16: return "<f2";
    default: return "<f4";
  }
}

Value widened_to_fp32(const Value& value) {
  const auto step = static_cast<std::size_t>(bytes(value.type));
  const std::size_t count = value.data.size() / step;
  Value wide{ElementType::fp32, value.shape, std::vector<std::byte>(count * 4)};
  for (std::size_t i = 0; i < count; ++i) {
    const double element = load_element(value.data.data() + i * step, value.type);
    store_element(wide.data.data() + 4 * i, ElementType::fp32, element);
  }
  return wide;
}

}  // namespace

Value read_npy(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file, "cannot be opened");
  Header header = parse_header(read_header(in, file), file);
  if (header.fortran && header.shape.size() > 1) fail(file, "Fortran order is not supported");
  const bool is_double = header.descr == "<f8";
  const ElementType type = is_double ? ElementType::fp32 : element_type_of(header.descr, file);
  const std::size_t size = byte_count(header.shape, is_double ? 8 : bytes(type), file);
  const auto start = in.tellg();
  in.seekg(0, std::ios::end);
  if (static_cast<std::size_t>(in.tellg() - start) < size) fail(file, "NPY file is cut off");
  in.seekg(start);
  std::vector<std::byte> data(size);
  in.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(size));
  if (is_double) return narrowed_doubles(data, std::move(header.shape));
  return {type, std::move(header.shape), std::move(data)};
}

void write_npy(const Value& value, const std::filesystem::path& file) {
  if (descr_of(value.type) == "<f4" && value.type != ElementType::fp32) return write_npy(widened_to_fp32(value), file);
  std::string shape;
  for (const auto extent : value.shape) shape += fmt::format("{}, ", extent);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr_of(value.type), shape);
  const std::size_t unpadded = magic.size() + 4 + header.size() + 1;
  header.append((alignment - unpadded % alignment) % alignment, ' ');
  header.push_back('\n');
  std::ofstream out(file, std::ios::binary);
  out << magic << '\1' << '\0' << static_cast<char>(header.size() & 0xff) << static_cast<char>(header.size() >> 8);
  out << header;
  out.write(reinterpret_cast<const char*>(value.data.data()), static_cast<std::streamsize>(value.data.size()));
  if (!out.flush()) fail(file, "cannot be written");
}

}  // namespace accord
