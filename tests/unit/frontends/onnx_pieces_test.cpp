#include "compiler/frontends/onnx_pieces.h"

#include <algorithm>
#include <optional>
#include <random>

#include <doctest/doctest.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include "archdsl/source/mapped_file.h"
#include "compiler/frontends/zoo.h"
#include "models.h"

using namespace accord;

namespace {

/// The model that protobuf makes of the bytes, written again; nothing where it refuses them.
std::optional<std::string> by_protobuf(const std::string& bytes) {
  const google::protobuf::LogSilencer silence;
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) return std::nullopt;
  return model.SerializeAsString();
}

/// The same by way of the pieces, with what was taken out put back.
std::optional<std::string> by_pieces(std::span<const std::byte> bytes, int& taken) {
  const google::protobuf::LogSilencer silence;
  const auto pieces = take_out_raw_data(bytes);
  PieceStream stream(pieces.message);
  onnx::ModelProto model;
  if (!model.ParseFromZeroCopyStream(&stream)) return std::nullopt;
  for (std::size_t i = 0; i < pieces.raw.size(); ++i) {
    if (pieces.raw[i].empty()) continue;
    ++taken;
    model.mutable_graph()
        ->mutable_initializer(static_cast<int>(i))
        ->set_raw_data(pieces.raw[i].data(), pieces.raw[i].size());
  }
  return model.SerializeAsString();
}

/// How many initialisers' data were taken out.
int compare(const std::string& bytes) {
  int taken = 0;
  const auto expected = by_protobuf(bytes);
  const auto got = by_pieces(std::as_bytes(std::span(bytes)), taken);
  CHECK((expected == got));  // without the parentheses it would print megabytes
  return taken;
}

onnx::TensorProto tensor(const std::string& name, std::size_t bytes) {
  onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(onnx::TensorProto::INT8);
  proto.add_dims(static_cast<std::int64_t>(bytes));
  proto.set_raw_data(std::string(bytes, 'x'));
  return proto;
}

/// A field with a length.
std::string field(int number, const std::string& contents) {
  std::string result;
  google::protobuf::io::StringOutputStream stream(&result);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.WriteTag(static_cast<std::uint32_t>(number << 3 | 2));
  coded.WriteVarint32(static_cast<std::uint32_t>(contents.size()));
  coded.WriteString(contents);
  coded.Trim();
  return result;
}

onnx::ModelProto model_with_data() {
  onnx::ModelProto model;
  model.set_ir_version(-1);  // ten bytes long
  model.set_producer_name("pieces");
  auto& graph = *model.mutable_graph();
  graph.add_node()->set_op_type("Add");
  for (const std::size_t size : {5000, 10, 0, 4096, 4095}) {
    *graph.add_initializer() = tensor("t" + std::to_string(size), size);
  }
  graph.mutable_initializer(1)->add_float_data(1);
  graph.set_name("last");
  model.add_opset_import()->set_version(17);
  return model;
}

}  // namespace

TEST_CASE("Is a model in pieces the model that protobuf reads?") {
  for (const auto& path : shared_models()) {
    CAPTURE(path.string());
    int taken = 0;
    const MappedFile file(path);
    CHECK((by_pieces(file.bytes(), taken) == parsed_whole(path).SerializeAsString()));
  }
  for (const std::string name : {"mobilenet_v2", "lstm", "mlp"}) {
    CAPTURE(name);
    const Scratch scratch(name + ".onnx");
    write_zoo(name, scratch.path);
    int taken = 0;
    const MappedFile file(scratch.path);
    CHECK((by_pieces(file.bytes(), taken) == parsed_whole(scratch.path).SerializeAsString()));
    CHECK(taken > 0);
  }
  CHECK(compare(model_with_data().SerializeAsString()) == 2);
  CHECK(compare("") == 0);
}

TEST_CASE("Are graphs and data that stand twice left to protobuf, which merges them?") {
  const std::string model = model_with_data().SerializeAsString();
  CHECK(compare(model + model) == 0);
  const auto with_data_twice = [](std::size_t first, std::size_t second) {
    return field(7, field(5, tensor("a", first).SerializeAsString() + tensor("a", second).SerializeAsString()));
  };
  CHECK(compare(with_data_twice(5000, 6000)) == 0);
  CHECK(compare(with_data_twice(5000, 10)) == 0);
  CHECK(compare(with_data_twice(10, 5000)) == 1);
}

TEST_CASE("Are broken files read, and refused, as protobuf reads and refuses them?") {
  const std::string whole = model_with_data().SerializeAsString();
  for (std::size_t size = 0; size < whole.size(); size += size % 5000 < 200 ? 1 : 97) compare(whole.substr(0, size));
  std::mt19937 random(7);
  std::vector<std::size_t> places;  // what is no data
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] != 'x') places.push_back(i);
  }
  for (int round = 0; round < 3000; ++round) {
    std::string broken = whole;
    for (int change = 0; change <= round % 3; ++change) {
      broken[places[random() % places.size()]] = static_cast<char>(random() % 256);
    }
    compare(broken);
  }
}
