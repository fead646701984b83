#include "compiler/frontends/onnx_pieces.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "archdsl/source/error.h"

namespace accord {

namespace {

using FileBytes = std::span<const std::byte>;

// https://protobuf.dev/programming-guides/encoding
constexpr std::uint32_t varint = 0, eight_bytes = 1, length_prefixed = 2, four_bytes = 5;

// onnx.proto
constexpr std::uint32_t graph_of_model = 7, initializer_of_graph = 5, raw_data_of_tensor = 9;

/// Less is quicker copied than noted.
constexpr std::size_t least = 4096;

/// FileBytes that are no message for sure, or that this reader leaves to protobuf.
class Unclear {};

struct MessageField {
  std::uint32_t number = 0;
  std::uint32_t wire_type = 0;
  FileBytes whole;    ///< with tag and length
  FileBytes payload;  ///< of one with a length
};

class FieldReader {
 public:
  explicit FieldReader(FileBytes message) : rest_(message) {}
  bool at_end() const { return rest_.empty(); }

  MessageField next() {
    const FileBytes begin = rest_;
    const std::uint64_t tag = read_varint();
    if (tag > std::numeric_limits<std::uint32_t>::max() || tag >> 3 == 0) throw Unclear();
    MessageField field{static_cast<std::uint32_t>(tag >> 3), static_cast<std::uint32_t>(tag & 7), {}, {}};
    switch (field.wire_type) {
      case varint: read_varint(); break;
      case eight_bytes: take(8); break;
      case four_bytes: take(4); break;
      case length_prefixed: field.payload = take(read_varint()); break;
      default: throw Unclear();
    }
    field.whole = begin.first(begin.size() - rest_.size());
    return field;
  }

 private:
  std::uint64_t read_varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(take(1)[0]);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return skip_tenth_byte(value);
  }

  /// Negative numbers take ten bytes; what they say matters to nobody here.
  std::uint64_t skip_tenth_byte(std::uint64_t value) {
    if (std::to_integer<unsigned>(take(1)[0]) > 1) throw Unclear();
    return value | std::uint64_t{1} << 63;
  }

  FileBytes take(std::uint64_t size) {
    if (size > rest_.size()) throw Unclear();
    const FileBytes taken = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(static_cast<std::size_t>(size));
    return taken;
  }

  FileBytes rest_;
};

/// A message that is put together from pieces of the file.
class Pieces {
 public:
  void add(FileBytes piece) {
    if (piece.empty()) return;
    size_ += piece.size();
    if (!list_.empty() && list_.back().data() + list_.back().size() == piece.data()) {
      list_.back() = {list_.back().data(), list_.back().size() + piece.size()};
    } else {
      list_.push_back(piece);
    }
  }
  void add(const Pieces& other) {
    for (const FileBytes piece : other.list_) add(piece);
  }
  std::size_t size() const { return size_; }
  std::vector<FileBytes>& list() { return list_; }

 private:
  std::vector<FileBytes> list_;
  std::size_t size_ = 0;
};

class RawDataTaker {
 public:
  OnnxPieces run(FileBytes file) {
    Pieces model;
    bool found = false;
    for (FieldReader reader(file); !reader.at_end();) {
      const MessageField field = reader.next();
      if (field.number != graph_of_model) {
        model.add(field.whole);
        continue;
      }
      if (std::exchange(found, true)) throw Unclear();  // graphs that have to be merged
      add_message(model, field, graph(field));
    }
    result_.message = std::move(model.list());
    return std::move(result_);
  }

 private:
  Pieces graph(const MessageField& message) {
    if (message.wire_type != length_prefixed) throw Unclear();
    Pieces graph;
    for (FieldReader reader(message.payload); !reader.at_end();) {
      const MessageField field = reader.next();
      if (field.number != initializer_of_graph) {
        graph.add(field.whole);
      } else {
        const Pieces kept = initialiser(field);
        if (result_.raw.back().empty())
          graph.add(field.whole);
        else
          add_message(graph, field, kept);
      }
    }
    return graph;
  }

  Pieces initialiser(const MessageField& message) {
    if (message.wire_type != length_prefixed) throw Unclear();
    result_.raw.emplace_back();
    Pieces tensor;
    for (FieldReader reader(message.payload); !reader.at_end();) {
      const MessageField field = reader.next();
      if (field.number != raw_data_of_tensor || field.payload.size() < least) {
        tensor.add(field.whole);
        if (field.number == raw_data_of_tensor && !result_.raw.back().empty()) throw Unclear();
      } else if (!std::exchange(result_.raw.back(), field.payload).empty()) {
        throw Unclear();  // of several the last one counts
      }
    }
    return tensor;
  }

  /// The field again, with other contents.
  void add_message(Pieces& to, const MessageField& field, const Pieces& contents) {
    std::string& head = result_.lengths.emplace_back();
    for (const std::uint64_t number :
         {std::uint64_t{field.number} << 3 | length_prefixed, std::uint64_t{contents.size()}}) {
      std::uint64_t rest = number;
      for (; rest > 0x7f; rest >>= 7) head.push_back(static_cast<char>((rest & 0x7f) | 0x80));
      head.push_back(static_cast<char>(rest));
    }
    to.add(std::as_bytes(std::span(head)));
    to.add(contents);
  }

  OnnxPieces result_;
};

}  // namespace

OnnxPieces take_out_raw_data(std::span<const std::byte> file) {
  try {
    return RawDataTaker().run(file);
  } catch (const Unclear&) {
    return {{file}, {}, {}};
  }
}

bool PieceStream::Next(const void** data, int* size) {
  while (piece_ < pieces_.size() && at_ == pieces_[piece_].size()) {
    before_ += static_cast<std::int64_t>(pieces_[piece_++].size());
    at_ = 0;
  }
  if (piece_ == pieces_.size()) return false;
  const auto rest = pieces_[piece_].subspan(at_);
  *data = rest.data();
  *size = static_cast<int>(std::min<std::size_t>(rest.size(), std::numeric_limits<int>::max()));
  at_ += static_cast<std::size_t>(*size);
  return true;
}

void PieceStream::BackUp(int count) { at_ -= static_cast<std::size_t>(count); }

bool PieceStream::Skip(int count) {
  const void* data = nullptr;
  for (int size = 0; count > 0; count -= size) {
    if (!Next(&data, &size)) return false;
    if (size > count) {
      BackUp(size - count);
      return true;
    }
  }
  return true;
}

}  // namespace accord
