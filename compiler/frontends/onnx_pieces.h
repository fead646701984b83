#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include <google/protobuf/io/zero_copy_stream.h>

namespace accord {

/// An ONNX model in memory without the raw data of its initialisers: those bytes, most of the file, are read where they
/// lie instead of being copied into the parsed message.
struct OnnxPieces {
  std::vector<std::span<const std::byte>> message;  ///< one after another: the model that protobuf parses
  std::vector<std::span<const std::byte>> raw;      ///< of each initialiser what was taken out; empty: nothing
  std::deque<std::string> lengths;                  ///< that the message has instead of the file's own
};

/// Where the file is not plainly a model with one graph, nothing is taken out, and protobuf may judge the whole.
OnnxPieces take_out_raw_data(std::span<const std::byte> file);

/// Reads bytes that lie in several places.
class PieceStream : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit PieceStream(const std::vector<std::span<const std::byte>>& pieces) : pieces_(pieces) {}
  bool Next(const void** data, int* size) override;
  void BackUp(int count) override;
  bool Skip(int count) override;
  std::int64_t ByteCount() const override { return before_ + static_cast<std::int64_t>(at_); }

 private:
  const std::vector<std::span<const std::byte>>& pieces_;
  std::size_t piece_ = 0;
  std::size_t at_ = 0;       ///< within the piece
  std::int64_t before_ = 0;  ///< bytes of the pieces before it
};

}  // namespace accord
