#include <cstring>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "archdsl/source/error.h"
#include "compiler/network/npy.h"
#include "tests/scratch.h"

using namespace accord;

namespace {

std::string file_bytes(int version, const std::string& header, const std::string& data) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  if (version > 1) bytes += std::string(2, '\0');
  return bytes + header + data;
}

Value load_bytes(const std::string& bytes) {
  const Scratch file("array.npy");
  std::ofstream(file.path, std::ios::binary) << bytes;
  return load_npy(file.path);
}

std::string header(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

}  // namespace

TEST_CASE("Do arrays come back as they were saved?") {
  for (const auto type : {ElementType::fp32, ElementType::i64, ElementType::i32, ElementType::i8, ElementType::u8}) {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 0}, Shape{2, 3, 4}}) {
      Value value{type, shape, {}};
      std::size_t count = static_cast<std::size_t>(bytes(type));
      for (const auto extent : shape) count *= static_cast<std::size_t>(extent);
      for (std::size_t i = 0; i < count; ++i) value.data.push_back(static_cast<std::byte>(i * 7));
      const Scratch file("array.npy");
      save_npy(file.path, value);
      const auto again = load_npy(file.path);
      CHECK(again.type == type);
      CHECK(again.shape == shape);
      CHECK(again.data == value.data);
    }
  }
}

TEST_CASE("Are all header versions and wide types read?") {
  for (int version = 1; version <= 3; ++version) {
    const double two = 2.0;
    std::string data(8, '\0');
    std::memcpy(data.data(), &two, 8);
    const auto value = load_bytes(file_bytes(version, header("<f8", "False", "(1,)"), data));
    CHECK(value.type == ElementType::fp32);
    float narrow = 0;
    std::memcpy(&narrow, value.data.data(), 4);
    CHECK(narrow == 2.0F);
  }
  CHECK(load_bytes(file_bytes(1, header("|b1", "False", "(2,)"), std::string("\1\0", 2))).type == ElementType::u8);
}

TEST_CASE("Are arrays row-major afterwards whose first index lies innermost?") {
  // NumPy writes so what was transposed: here 2 x 3 x 2, whose element i, j, k is the character 6 * i + 2 * j + k.
  const auto value = load_bytes(file_bytes(1, header("|i1", "True", "(2, 3, 2)"), "agciekbhdjfl"));
  std::string read;
  for (const std::byte element : value.data) read += static_cast<char>(element);
  CHECK(read == "abcdefghijkl");
}

TEST_CASE("Is everything else a clear Error?") {
  const auto rejects = [](const std::string& bytes, const char* message) {
    CHECK_THROWS_WITH_AS(load_bytes(bytes), doctest::Contains(message), Error);
  };
  rejects("", "cut off");
  rejects("not an array at all", "not a NumPy array");
  rejects(file_bytes(4, header("<f4", "False", "()"), "1234"), "version 4");
  rejects(file_bytes(1, header("<f4", "Maybe", "(1,)"), "1234"), "fortran_order");
  rejects(file_bytes(1, header(">f4", "False", "(1,)"), "1234"), "'>f4' is not supported");
  rejects(file_bytes(1, header("<f4", "False", "(2,)"), "1234"), "cut off");
  rejects(file_bytes(1, header("<f4", "False", "(1,)"), "12345"), "beyond the array");
  rejects(file_bytes(1, header("<f4", "False", "(9999999999,9999999999)"), ""), "too large");
  rejects(file_bytes(1, header("<f4", "False", "(-1,)"), ""), "no tuple");
  rejects(file_bytes(1, header("<f4", "False", "(1000000000,)"), ""), "cut off");
  rejects(file_bytes(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n", "1234"), "structured");
  rejects(file_bytes(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (2,), }\n", "1234"),
          "'shape': twice");
  rejects(file_bytes(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), \n", "1234"), "no dictionary");
  CHECK_THROWS_WITH_AS(load_npy(Scratch("array.npy").path), doctest::Contains("cannot open"), Error);
}
