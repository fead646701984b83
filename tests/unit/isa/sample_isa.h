#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "archdsl/graph/architecture.h"
#include "archdsl/isa/program.h"

namespace accord::test {

inline Binding constant(std::int64_t bias) { return {.bias = bias}; }
inline Binding field(int index, std::int64_t unit = 1, std::int64_t bias = 0) {
  return {.field = index, .unit = unit, .bias = bias};
}
inline Binding fixed(int reg) { return {.base = Binding::Base::fixed_register, .reg = reg}; }
inline Binding fixed(int reg, int field_index, std::int64_t unit = 1) {
  return {.base = Binding::Base::fixed_register, .reg = reg, .field = field_index, .unit = unit};
}
inline Binding indexed(int reg, int index_field, int field_index = -1, std::int64_t unit = 1) {
  return {.base = Binding::Base::indexed_register,
          .reg = reg,
          .index_field = index_field,
          .field = field_index,
          .unit = unit};
}
inline RegisterUpdate update(int reg, Binding amount) { return {.reg = reg, .amount = amount}; }
inline RegisterUpdate update_indexed(int reg, int index_field, Binding amount) {
  return {.base = Binding::Base::indexed_register, .reg = reg, .index_field = index_field, .amount = amount};
}

/// Adds a register (file) after those that are there; returns its first number.
int add_register(Isa& isa, const std::string& name, int bits, bool is_signed = false, int count = 1);

/// Adds a mnemonic with the next opcode.
Mnemonic& add_mnemonic(Isa& isa, const std::string& name, Meaning meaning, std::vector<Field> fields,
                       std::vector<Binding> arguments, std::vector<RegisterUpdate> updates = {});

/// Random width, registers, mnemonics and fields (which do not overlap); all legal.
Isa random_isa(std::mt19937_64& random);

/// An architecture around it: one memory "dram" of 1 GiB, controller "core".
Architecture around(Isa isa);

/// Any raw value that fits; often an extreme one.
std::int64_t random_raw(std::mt19937_64& random, const Field& field);

/// A random legal instruction.
Instruction random_instruction(std::mt19937_64& random, const Isa& isa);

/// A random program for the architecture: instructions, some undefined bytes, images, symbols with odd names, layers,
/// stages with host work, a map with gaps.
Program random_program(std::mt19937_64& random, const Architecture& architecture);

/// All that a program holds, readable, for comparisons.
std::string describe(const Program& program);

/// The seed of this run: ACCORD_SEED, or a new one. Tests print it (CAPTURE).
std::uint64_t seed();

}  // namespace accord::test
