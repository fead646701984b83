#pragma once

#include <doctest/doctest.h>
#include <onnx/defs/parser.h>

#include <fstream>
#include <string>

#include "compiler/frontends/onnx.h"
#include "tests/scratch.h"

namespace accord::test {

/// The model that the text says, in ONNX's own notation; the test fails where it says none.
inline onnx::ModelProto parsed_model(const std::string& text) {
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser::Parse(model, text.c_str());
  REQUIRE_MESSAGE(status.IsOK(), status.ErrorMessage());
  return model;
}

/// The model by way of a file.
inline Network imported_model(const onnx::ModelProto& model, const OnnxOptions& options = {}) {
  const Scratch file("model.onnx");
  std::ofstream(file.path, std::ios::binary) << model.SerializeAsString();
  return import_onnx(file.path, options);
}

}  // namespace accord::test
