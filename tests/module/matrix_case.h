#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "machines.h"
#include "simulator/simulate.h"

namespace accord::test {

/// y[16,16] = a[16,16] * b[16,16] on matrix_machine, with seeded values: a at dram 0, b at dram 1024, zeros at 2048,
/// y at dram 8192; a at spad 0, b at spad 4096 (another bank), y at acc 0.
struct Product {
  Product(const Architecture& machine, unsigned seed) : assembler(machine) {
    std::mt19937 random(seed);
    for (int i = 0; i < 256; ++i) {
      a.push_back(static_cast<std::int8_t>(random()));
      b.push_back(static_cast<std::int8_t>(random()));
    }
    assembler.image("dram", 0, a);
    assembler.image("dram", 1024, b);
    assembler.image("dram", 2048, std::vector<std::int8_t>(1024, 0));
    assembler.program.symbols.push_back({"y", "dram", 8192, ElementType::i32, {16, 16}, {64, 4}, Symbol::Role::output});
  }

  void load_tile(std::int64_t from, std::int64_t to) {
    assembler.emit("load",
                   {{"src.base", from}, {"dst.base", to}, {"n0", 16}, {"n1", 1}, {"n2", 16}, {"src.stride2", 16}});
  }
  void load_a() { load_tile(0, 0); }
  void load_b() { load_tile(1024, 4096); }
  void load_zeros() { assembler.emit("load_acc", {{"src.base", 2048}, {"dst.base", 0}, {"n0", 1024}}); }
  void load() {
    load_a();
    load_b();
    load_zeros();
  }
  void multiply(std::int64_t load_weights = 1) {
    assembler.emit("matmul",
                   {{"i", 16}, {"j", 16}, {"k", 16}, {"b.base", 4096}, {"a.stride0", 16}, {"b.load", load_weights}});
  }
  void store() { assembler.emit("store", {{"dst.base", 8192}, {"n0", 64}, {"n1", 16}, {"dst.stride1", 64}}); }
  /// The whole product, each step behind a fence.
  void fenced() {
    load();
    assembler.emit("fence");
    multiply();
    assembler.emit("fence");
    store();
  }

  std::vector<std::int32_t> expected(int times = 1) const {
    std::vector<std::int32_t> y(256, 0);
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t j = 0; j < 16; ++j) {
        for (std::size_t k = 0; k < 16; ++k) y[i * 16 + j] += times * a[i * 16 + k] * b[k * 16 + j];
      }
    }
    return y;
  }
  bool matches(const Value& value, int times = 1) const {
    const auto wanted = expected(times);
    return value.data.size() == 1024 && std::memcmp(value.data.data(), wanted.data(), 1024) == 0;
  }

  Assembler assembler;
  std::vector<std::int8_t> a, b;
};

}  // namespace accord::test
