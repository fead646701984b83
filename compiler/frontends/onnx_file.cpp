#include "compiler/frontends/onnx_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "compiler/frontends/onnx_contributed.h"
#include "compiler/frontends/onnx_functions.h"
#include "compiler/frontends/onnx_pieces.h"
#include "compiler/frontends/sha1.h"

namespace accord {

namespace {

constexpr int first_opset = 7;
constexpr int last_opset = 23;
constexpr int deepest = 1000;  ///< messages within messages: a graph in a graph is three deep

int default_opset(const onnx::ModelProto& model) {
  std::optional<std::int64_t> opset;
  for (const auto& entry : model.opset_import()) {
    if (!entry.domain().empty() && entry.domain() != "ai.onnx") continue;
    if (opset && *opset != entry.version()) {
      throw Error(fmt::format("the model says that it uses opset {} and opset {}", *opset, entry.version()));
    }
    opset = entry.version();
  }
  if (!opset) throw Error("the model does not say which ONNX opset it uses");
  if (*opset < first_opset || *opset > last_opset) {
    throw Error(fmt::format("opset {} is not supported ({} to {} are)", *opset, first_opset, last_opset));
  }
  return static_cast<int>(*opset);
}

void refuse_functions_of_one_name(const onnx::ModelProto& model) {
  std::set<std::pair<std::string, std::string>> names;
  for (const auto& function : model.functions()) {
    if (names.emplace(function.domain(), function.name()).second) continue;
    throw Error(fmt::format("function '{}' is defined twice", function.name()));
  }
}

void parse_model(OnnxFile& file) {
  OnnxPieces pieces = take_out_raw_data(file.bytes->bytes());
  // Protobuf's own complaints would go to stderr beside our message.
  const google::protobuf::LogSilencer silence;
  PieceStream input(pieces.message);
  google::protobuf::io::CodedInputStream coded(&input);
  coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
  coded.SetRecursionLimit(deepest);
  if (!file.model.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage()) {
    throw Error(fmt::format("not an ONNX model, or the file is cut off, or graphs lie more than {} deep in one another",
                            deepest / 3));
  }
  if (!file.model.has_graph()) throw Error("the ONNX model has no graph");
  file.raw = std::move(pieces.raw);
  refuse_functions_of_one_name(file.model);
  inline_functions(file.model);
  expand_contributed(file.model);
}

}  // namespace

OnnxFile read_onnx_file(const std::filesystem::path& path) {
  OnnxFile file;
  file.path = path;
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) throw Error("no such file");
  file.bytes = std::make_shared<const MappedFile>(path);
  parse_model(file);
  file.opset = default_opset(file.model);
  return file;
}

std::string onnx_type_name(int onnx_type) {
  // Those that came after this library.
  static const std::map<int, std::string> later = {{17, "float8e4m3fn"},   {18, "float8e4m3fnuz"}, {19, "float8e5m2"},
                                                   {20, "float8e5m2fnuz"}, {21, "uint4"},          {22, "int4"},
                                                   {23, "float4e2m1"}};
  std::string known = onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(onnx_type));
  std::ranges::transform(known, known.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (!known.empty()) return known;
  const auto found = later.find(onnx_type);
  return found == later.end() ? std::to_string(onnx_type) : found->second;
}

// Numbers of types that came after this library.
constexpr int uint4 = 21, int4 = 22;

bool is_of_4_bits(int onnx_type) { return onnx_type == uint4 || onnx_type == int4; }

ElementType element_type_of(int onnx_type) {
  using Proto = onnx::TensorProto;
  switch (onnx_type) {
    case Proto::FLOAT:
    case Proto::DOUBLE:
    case Proto::FLOAT16:
    case Proto::BFLOAT16: return ElementType::fp32;
    case Proto::UINT8:
    case Proto::BOOL: return ElementType::u8;
    case Proto::INT8: return ElementType::i8;
    case Proto::INT16: return ElementType::i16;
    case Proto::UINT16:
    case Proto::INT32: return ElementType::i32;
    case Proto::INT64:
    case Proto::UINT32:
    case Proto::UINT64: return ElementType::i64;
    default: throw Error(fmt::format("element type {} is not supported", onnx_type_name(onnx_type)));
  }
}

ElementType constant_type_of(int onnx_type) {
  if (is_of_4_bits(onnx_type)) return onnx_type == int4 ? ElementType::i8 : ElementType::u8;
  return element_type_of(onnx_type);
}

namespace {

/// Bytes of one element in `raw_data`, or of two of 4 bits.
std::size_t raw_size(int onnx_type) {
  using Proto = onnx::TensorProto;
  switch (onnx_type) {
    case uint4:
    case int4:
    case Proto::UINT8:
    case Proto::INT8:
    case Proto::BOOL: return 1;
    case Proto::UINT16:
    case Proto::INT16:
    case Proto::FLOAT16:
    case Proto::BFLOAT16: return 2;
    case Proto::FLOAT:
    case Proto::INT32:
    case Proto::UINT32: return 4;
    default: return 8;
  }
}

/// Bytes of so many elements in `raw_data`.
std::size_t raw_bytes(int onnx_type, std::size_t count) {
  return (is_of_4_bits(onnx_type) ? count / 2 + count % 2 : count) * raw_size(onnx_type);
}

template <typename Stored, typename Source>
void store_all(std::vector<std::byte>& data, const Source* source, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<Stored>(source[i]);
    std::memcpy(data.data() + i * sizeof(Stored), &value, sizeof(Stored));
  }
}

template <typename Stored, typename Raw>
std::vector<std::byte> widened(std::span<const std::byte> raw) {
  const auto count = raw.size() / sizeof(Raw);
  std::vector<std::byte> data(count * sizeof(Stored));
  for (std::size_t i = 0; i < count; ++i) {
    Raw value;
    std::memcpy(&value, raw.data() + i * sizeof(Raw), sizeof(Raw));
    const auto stored = static_cast<Stored>(value);
    std::memcpy(data.data() + i * sizeof(Stored), &stored, sizeof(Stored));
  }
  return data;
}

std::vector<std::byte> widened_halves(const std::byte* halves, std::size_t count, ElementType type) {
  std::vector<std::byte> data(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(load_element(halves + 2 * i, type));
    std::memcpy(data.data() + 4 * i, &value, 4);
  }
  return data;
}

/// A byte for each element of 4 bits, the first of which is the lower half of a byte.
std::vector<std::byte> widened_nibbles(int onnx_type, std::span<const std::byte> raw, std::size_t count) {
  std::vector<std::byte> data(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte nibble = (raw[i / 2] >> (i % 2 == 0 ? 0 : 4)) & std::byte{0xf};
    const bool negative = onnx_type == int4 && (nibble & std::byte{8}) != std::byte{0};
    data[i] = negative ? nibble | std::byte{0xf0} : nibble;
  }
  return data;
}

void check_raw(int onnx_type, std::span<const std::byte> raw, std::size_t count) {
  if (raw.size() == raw_bytes(onnx_type, count)) return;
  throw Error(fmt::format("{} bytes of data where its shape needs {}", raw.size(), raw_bytes(onnx_type, count)));
}

/// Whether the elements of the file are those of the type that holds them, whatever they are: what is converted changes
/// its size.
bool is_stored_alike(int onnx_type) {
  return onnx_type != onnx::TensorProto::UINT64 && !is_of_4_bits(onnx_type) &&
         raw_size(onnx_type) == static_cast<std::size_t>(bytes(element_type_of(onnx_type)));
}

/// Integers wider than they are stored must be such as the narrow type has.
template <typename Stored, typename Source>
void check_range(const Source& field) {
  if constexpr (std::is_integral_v<Stored>) {
    for (const auto value : field) {
      if (std::in_range<Stored>(value)) continue;
      throw Error(fmt::format("the value {} is beyond its type, which has {} to {}", value,
                              std::numeric_limits<Stored>::min(), std::numeric_limits<Stored>::max()));
    }
  }
}

/// int64, of which unsigned ones are the lower half.
std::vector<std::byte> unsigned_longs(std::span<const std::byte> raw) {
  for (std::size_t i = 0; i < raw.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, raw.data() + i, sizeof value);
    check_range<std::int64_t>(std::span(&value, 1));
  }
  return {raw.begin(), raw.end()};
}

std::vector<std::byte> decode_raw(int onnx_type, std::span<const std::byte> raw, std::size_t count) {
  using Proto = onnx::TensorProto;
  check_raw(onnx_type, raw, count);
  switch (onnx_type) {
    case uint4:
    case int4: return widened_nibbles(onnx_type, raw, count);
    case Proto::DOUBLE: return widened<float, double>(raw);
    case Proto::UINT16: return widened<std::int32_t, std::uint16_t>(raw);
    case Proto::UINT32: return widened<std::int64_t, std::uint32_t>(raw);
    case Proto::UINT64: return unsigned_longs(raw);
    case Proto::FLOAT16: return widened_halves(raw.data(), count, ElementType::fp16);
    case Proto::BFLOAT16: return widened_halves(raw.data(), count, ElementType::bf16);
    default: return {raw.begin(), raw.end()};
  }
}

template <typename Stored, typename Field>
void decode_field(std::vector<std::byte>& data, const Field& field, std::size_t count) {
  if (static_cast<std::size_t>(field.size()) != count) {
    throw Error(fmt::format("{} values where its shape needs {}", field.size(), count));
  }
  if constexpr (!std::is_same_v<Stored, std::remove_cvref_t<decltype(*field.data())>>) check_range<Stored>(field);
  data.resize(count * sizeof(Stored));
  store_all<Stored>(data, field.data(), count);
}

void decode_halves(std::vector<std::byte>& data, const onnx::TensorProto& proto, std::size_t count) {
  std::vector<std::byte> packed;
  decode_field<std::uint16_t>(packed, proto.int32_data(), count);
  const auto type = proto.data_type() == onnx::TensorProto::FLOAT16 ? ElementType::fp16 : ElementType::bf16;
  data = widened_halves(packed.data(), count, type);
}

void decode_fields(std::vector<std::byte>& data, const onnx::TensorProto& proto, std::size_t count) {
  using Proto = onnx::TensorProto;
  switch (proto.data_type()) {
    case uint4:
    case int4: {
      std::vector<std::byte> pairs;
      decode_field<std::uint8_t>(pairs, proto.int32_data(), raw_bytes(proto.data_type(), count));
      data = widened_nibbles(proto.data_type(), pairs, count);
      return;
    }
    case Proto::FLOAT: return decode_field<float>(data, proto.float_data(), count);
    case Proto::DOUBLE: return decode_field<float>(data, proto.double_data(), count);
    case Proto::INT64: return decode_field<std::int64_t>(data, proto.int64_data(), count);
    case Proto::UINT32:
    case Proto::UINT64: return decode_field<std::int64_t>(data, proto.uint64_data(), count);
    case Proto::UINT16: check_range<std::uint16_t>(proto.int32_data()); [[fallthrough]];
    case Proto::INT32: return decode_field<std::int32_t>(data, proto.int32_data(), count);
    case Proto::INT16: return decode_field<std::int16_t>(data, proto.int32_data(), count);
    case Proto::INT8: return decode_field<std::int8_t>(data, proto.int32_data(), count);
    case Proto::UINT8:
    case Proto::BOOL: return decode_field<std::uint8_t>(data, proto.int32_data(), count);
    default: return decode_halves(data, proto, count);
  }
}

/// Where a tensor's data lies outside the model file.
struct ExternalData {
  std::filesystem::path path;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
  std::string checksum;  ///< SHA-1 of the file; empty: none is given
};

std::uint64_t parse_size(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) {
    throw Error(fmt::format("'{}' is no offset or length of external data", text));
  }
  return value;
}

ExternalData locate_external(const OnnxFile& file, const onnx::TensorProto& proto) {
  ExternalData external;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") external.path = entry.value();
    if (entry.key() == "offset") external.offset = parse_size(entry.value());
    if (entry.key() == "length") external.length = parse_size(entry.value());
    if (entry.key() == "checksum") external.checksum = entry.value();
  }
  const auto is_below = [](const std::filesystem::path& path, const std::filesystem::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
  };
  const bool upwards = std::any_of(external.path.begin(), external.path.end(), [](const auto& p) { return p == ".."; });
  if (external.path.empty() || external.path.is_absolute() || upwards) {
    throw Error(fmt::format("external data '{}' must lie below the model's folder", external.path.string()));
  }
  const auto folder = std::filesystem::absolute(file.path).parent_path();
  external.path = folder / external.path;
  std::error_code code;  // of a link without end, which is no file either
  if (!is_below(std::filesystem::weakly_canonical(external.path, code), std::filesystem::canonical(folder))) {
    throw Error(fmt::format("external data '{}' must lie below the model's folder", external.path.string()));
  }
  return external;
}

/// Once per file: its tensors share it.
void verify_checksum(const OnnxFile& file, const ExternalData& external) {
  if (external.checksum.empty()) return;
  std::string& found = (*file.digests)[external.path.string()];
  if (found.empty()) {
    std::ifstream stream(external.path, std::ios::binary);
    found = sha1_of(stream);
  }
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  if (!std::ranges::equal(found, external.checksum, same)) {
    throw Error(fmt::format("external data '{}' has the SHA-1 checksum {}, not {}", external.path.string(), found,
                            external.checksum));
  }
}

/// Nullopt if the file does not exist.
std::optional<std::vector<std::byte>> read_external(const OnnxFile& file, const onnx::TensorProto& proto,
                                                    std::uint64_t size) {
  const auto external = locate_external(file, proto);
  std::error_code code;
  if (!std::filesystem::is_regular_file(external.path, code)) return std::nullopt;
  const auto length = external.length.value_or(size);
  const auto file_size = std::filesystem::file_size(external.path, code);
  if (length != size || external.offset > file_size || length > file_size - external.offset) {
    throw Error(fmt::format("external data '{}' does not hold {} bytes at offset {}", external.path.string(), size,
                            external.offset));
  }
  verify_checksum(file, external);
  std::ifstream stream(external.path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(external.offset));
  std::vector<std::byte> data(size);
  if (!stream.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(size))) {
    throw Error(fmt::format("cannot read external data '{}'", external.path.string()));
  }
  return data;
}

bool has_values(const onnx::TensorProto& proto) {
  return proto.float_data_size() > 0 || proto.double_data_size() > 0 || proto.int32_data_size() > 0 ||
         proto.int64_data_size() > 0 || proto.uint64_data_size() > 0;
}

/// Of raw data that stayed in the file: the file's own bytes, where they need no conversion.
ConstantData data_in_file(const OnnxFile& file, int onnx_type, std::span<const std::byte> raw, std::size_t count) {
  check_raw(onnx_type, raw, count);
  MappedFile::fetch(raw);
  const std::shared_ptr<const void> keeper(raw.data(),
                                           [file = file.bytes, raw](const void*) { MappedFile::leave(raw); });
  if (!is_stored_alike(onnx_type)) return owned(decode_raw(onnx_type, raw, count));
  return std::make_shared<const ConstantBytes>(raw, keeper);
}

}  // namespace

std::optional<Tensor> read_tensor(const OnnxFile& file, const onnx::TensorProto& proto,
                                  std::span<const std::byte> raw) {
  Tensor tensor;
  tensor.name = proto.name();
  tensor.type = constant_type_of(proto.data_type());
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  check_shape(tensor.shape, max_elements);
  const auto count = count_of(tensor.shape);
  if (proto.has_segment()) throw Error("tensors in segments are not supported");
  if ((proto.has_raw_data() || !raw.empty()) && has_values(proto)) throw Error("its values are given twice");
  std::vector<std::byte> data;
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    const auto external = read_external(file, proto, raw_bytes(proto.data_type(), count));
    if (!external) return std::nullopt;
    data = decode_raw(proto.data_type(), *external, count);
  } else if (!raw.empty()) {
    tensor.data = data_in_file(file, proto.data_type(), raw, count);
    return tensor;
  } else if (proto.has_raw_data()) {
    data = decode_raw(proto.data_type(), std::as_bytes(std::span(proto.raw_data())), count);
  } else {
    decode_fields(data, proto, count);
  }
  tensor.data = owned(std::move(data));
  return tensor;
}

std::vector<std::filesystem::path> external_files(const std::filesystem::path& path) {
  std::set<std::filesystem::path> files;
  try {
    const OnnxFile file = read_onnx_file(path);
    for (const onnx::TensorProto& tensor : file.model.graph().initializer()) {
      if (tensor.data_location() == onnx::TensorProto::EXTERNAL) files.insert(locate_external(file, tensor).path);
    }
  } catch (const Error&) {  // who imports it says what is wrong with it
  }
  return {files.begin(), files.end()};
}

}  // namespace accord
