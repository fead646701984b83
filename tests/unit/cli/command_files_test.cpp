#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "archdsl/source/error.h"
#include "cli/command_files.h"
#include "cli/files.h"
#include "tests/scratch.h"
#include "tests/text_model.h"

using namespace accord;
using namespace accord::test;

namespace {

/// What is wrong with the files, without the folder that they lie in; empty: nothing.
std::string mistake(const CommandFiles& files, const std::filesystem::path& folder) {
  try {
    check_files(files);
    return {};
  } catch (const Error& error) {
    std::string text = error.what();
    const std::string prefix = folder.string() + "/";
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  }
}

}  // namespace

TEST_CASE("does an output that is an input of the command, under any name, end it?") {
  const Scratch scratch("files");
  const auto& in = scratch.path;
  std::filesystem::create_directories(in / "below");
  write_text(in / "m.onnx", "a model");
  std::filesystem::create_symlink("m.onnx", in / "link");
  std::filesystem::create_hard_link(in / "m.onnx", in / "hard");
  for (const std::string name : {"m.onnx", "below/../m.onnx", "link", "hard"}) {
    const CommandFiles files{{{"--model", in / "m.onnx"}}, {{"-o", in / name}}};
    CHECK(mistake(files, in) == name + ": -o would replace what --model names, the input");
  }
  CHECK(mistake({{{"--model", in / "m.onnx"}}, {{"-o", in / "m.elf"}}}, in).empty());
  CHECK(mistake({{{"--model", "mlp"}}, {{"-o", in / "m.onnx"}}}, in).empty());
}

TEST_CASE("do two outputs of one file end it, also before the file is there?") {
  const Scratch scratch("files");
  const auto& in = scratch.path;
  std::filesystem::create_directories(in);
  std::filesystem::create_symlink("later", in / "link");
  for (const std::string name : {"later", "./later", "link"}) {
    const CommandFiles files{{}, {{"--trace", in / "later"}, {"--vcd", {}}, {"--stats", {}}, {"--json", in / name}}};
    CHECK(mistake(files, in) == name + ": --trace and --json name the same file");
  }
  CHECK(mistake({{}, {{"--trace", "/dev/null"}, {"--json", "/dev/null"}}}, in).empty());
}

TEST_CASE("are all files of a command known?") {
  const Scratch scratch("files");
  const auto& in = scratch.path;
  std::filesystem::create_directories(in / "model");
  write_text(in / "model/model.onnx", "a model");
  write_text(in / "x.npy", "a tensor");

  RunCommand run;
  run.model.model = in / "model";
  run.model.inputs = {"x=" + (in / "x.npy").string()};
  run.recordings.vcd = in / "model/model.onnx";
  CHECK(mistake(files_of(run), in) == "model/model.onnx: --vcd would replace what --model names, the input");
  run.recordings.vcd = in / "x.npy";
  CHECK(mistake(files_of(run), in) == "x.npy: --vcd would replace what --input names, the input");
  run.recordings.vcd = run.report = in / "report";
  CHECK(mistake(files_of(run), in) == "report: --report and --vcd name the same file");

  write_text(in / "base.yaml", "accord: 1\n");
  write_text(in / "mine.yaml", "extends: base.yaml\n");
  ShowCommand derived;
  derived.choice.arch = in / "mine.yaml";
  derived.output = in / "base.yaml";
  CHECK(mistake(files_of(derived), in) == "base.yaml: -o would replace what arch names, the input");

  SimCommand sim;
  sim.outputs = {"a=" + (in / "y.npy").string(), "b=" + (in / "y.npy").string()};
  CHECK(mistake(files_of(sim), in) == "y.npy: --output and --output name the same file");

  ShowCommand show;
  show.choice.arch = "gemmini16";
  show.output = find_covenant("gemmini16");
  CHECK(mistake(files_of(show), in).ends_with("gemmini16.yaml: -o would replace what arch names, the input"));
}

TEST_CASE("is a model's external data known as the command's input?") {
  const Scratch scratch("files");
  std::filesystem::create_directories(scratch.path);
  auto model =
      parsed_model("<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x) => (float[2] y) { y = Add(x, c) }");
  auto& weight = *model.mutable_graph()->add_initializer();
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& location = *weight.add_external_data();
  location.set_key("location");
  location.set_value("weights.bin");
  write_text(scratch.path / "weights.bin", "");
  write_text(scratch.path / "net.onnx", model.SerializeAsString());
  RunCommand run;
  run.model.model = scratch.path / "net.onnx";
  run.json = scratch.path / "weights.bin";
  CHECK(mistake(files_of(run), scratch.path) == "weights.bin: --json would replace what --model names, the input");
}
