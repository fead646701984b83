#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "archdsl/source/error.h"
#include "cli/files.h"
#include "cli/npy.h"
#include "cli/scratch_file.h"

using namespace accord;

namespace {

/// A version 1.0 file, put together from the format's description.
std::string npy(std::string header, const std::string& data) {
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += '\1';
  file += '\0';
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header + data;
}

Value read(const std::string& bytes) {
  const ScratchFile file;
  write_text(file.path(), bytes);
  return read_npy(file.path());
}

}  // namespace

TEST_CASE("what NumPy writes is read") {
  const auto value =
      read(npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1), }", std::string("\1\0\xff\xff", 4)));
  CHECK(value.type == ElementType::i16);
  CHECK(value.shape == Shape{2, 1});
  CHECK(value.data[0] == std::byte{1});
  CHECK(value.data[3] == std::byte{0xff});
}

TEST_CASE("a scalar has no dimensions, a vector one") {
  CHECK(read(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (), }", "a")).shape.empty());
  CHECK(read(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }", "a")).shape == Shape{1});
}

TEST_CASE("float64 becomes fp32") {
  const auto value =
      read(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", std::string("\0\0\0\0\0\0\xf8\x3f", 8)));
  CHECK(value.type == ElementType::fp32);
  CHECK(*reinterpret_cast<const float*>(value.data.data()) == 1.5F);
}

TEST_CASE("what is no array of that kind is an error") {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  CHECK_THROWS_AS(read(""), Error);
  CHECK_THROWS_AS(read("NUMPY"), Error);
  CHECK_THROWS_AS(read(npy(header, "1234567")), Error);
  CHECK_THROWS_AS(read(npy(header, "12345678").substr(0, 40)), Error);
  CHECK_THROWS_AS(read(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "12345678")), Error);
  CHECK_THROWS_AS(read(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "1234")), Error);
  CHECK_THROWS_AS(read(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "1234")), Error);
  CHECK_THROWS_AS(read(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999), }", "")),
                  Error);
  CHECK_THROWS_AS(read_npy("/nonexistent.npy"), Error);
}

TEST_CASE("what is written reads back") {
  const ScratchFile file;
  const Value value{ElementType::i32, {1, 2}, std::vector<std::byte>(8, std::byte{7})};
  write_npy(value, file.path());
  const auto back = read_npy(file.path());
  CHECK(back.type == value.type);
  CHECK(back.shape == value.shape);
  CHECK(back.data == value.data);
  CHECK((read_text(file.path()).size() - 8) % 64 == 0);
}

TEST_CASE("bf16 is written as fp32") {
  const ScratchFile file;
  write_npy({ElementType::bf16, {1}, {std::byte{0xc0}, std::byte{0x3f}}}, file.path());
  const auto back = read_npy(file.path());
  CHECK(back.type == ElementType::fp32);
  CHECK(*reinterpret_cast<const float*>(back.data.data()) == 1.5F);
}
