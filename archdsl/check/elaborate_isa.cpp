#include <fmt/format.h>

#include <algorithm>

#include "archdsl/check/elaborate.h"
#include "archdsl/check/mnemonic_reader.h"

namespace accord {

namespace {

constexpr int most_registers = 65536;

void read_opcode(Scope& scope, const Node* node, Isa& isa) {
  if (!node) return;
  const MapReader reader(scope, *node, "opcode", "opcode");
  isa.opcode_offset = static_cast<int>(reader.integer("offset", {}, Range{0, isa.width - 1}));
  isa.opcode_bits = static_cast<int>(reader.integer("bits"));
  if (isa.opcode_offset + isa.opcode_bits > isa.width) {
    scope.reporter().report("bad-encoding", node->place,
                            fmt::format("the opcode ends beyond the instruction's {} bits", isa.width));
  }
}

Register read_register(Scope& scope, const NodeEntry& entry) {
  Register result;
  result.name = entry.key.text;
  const std::string what = fmt::format("register `{}`", result.name);
  scope.check_name(result.name, entry.key.place, "register");
  if (entry.value.is_map()) {
    const MapReader reader(scope, entry.value, "register", what);
    result.is_signed = reader.flag("signed");
    result.bits = static_cast<int>(reader.integer("bits", {}, Range{1, result.is_signed ? 64 : 63}));
    result.count = static_cast<int>(reader.integer("count"));
  } else {
    result.bits = static_cast<int>(scope.integer(entry.value, what, {1, 63}).value_or(32));
  }
  return result;
}

void read_registers(Scope& scope, const Node* node, Isa& isa, std::vector<Place>& places) {
  for (const NodeEntry& entry : scope.entries(node, "registers", 4096)) {
    Register result = read_register(scope, entry);
    result.first = isa.register_count;
    isa.register_count = std::min(isa.register_count + result.count, 2 * most_registers);
    if (isa.register_count > most_registers) {
      scope.reporter().report("out-of-range", entry.key.place,
                              fmt::format("more than {} registers in all", most_registers));
    }
    isa.registers.push_back(std::move(result));
    places.push_back(entry.key.place);
  }
}

/// By register or file: whether a mnemonic changes it.
std::vector<bool> registers_set(const Isa& isa) {
  std::vector<bool> set(isa.registers.size());
  for (const Mnemonic& mnemonic : isa.mnemonics) {
    for (const RegisterUpdate& update : mnemonic.updates) {
      const Register* const changed = register_of(isa, update.reg);
      if (changed) set[static_cast<std::size_t>(changed - isa.registers.data())] = true;
    }
  }
  return set;
}

void read_mnemonics(Elaboration& elaboration, const Node& node, const std::vector<Place>& register_places) {
  Isa& isa = elaboration.architecture.isa;
  Reporter& reporter = elaboration.scope.reporter();
  std::vector<bool> used(isa.registers.size());
  for (const NodeEntry& entry : elaboration.scope.entries(&node, "mnemonics", 4096)) {
    isa.mnemonics.push_back(MnemonicReader(elaboration, entry, used).read());
    elaboration.mnemonic_places.push_back(entry.key.place);
  }
  if (reporter.errors() > 0) return;
  const std::vector<bool> set = registers_set(isa);
  for (std::size_t r = 0; r < used.size(); ++r) {
    const std::string& name = isa.registers[r].name;
    if (!used[r]) {
      reporter.report("unused-register", register_places[r], fmt::format("no mnemonic reads the register `{}`", name));
    } else if (!set[r]) {
      reporter.report("unset-register", register_places[r],
                      fmt::format("no mnemonic sets the register `{}`: it is always 0", name),
                      fmt::format("add `set_{}: {{means: {{set: [{}]}}, opcode: N, fields: {{{}: {}}}}}`", name, name,
                                  name, isa.registers[r].bits));
    }
  }
}

}  // namespace

void read_isa(Elaboration& elaboration, const Node& node) {
  elaboration.isa_place = node.place;
  Scope& scope = elaboration.scope;
  Isa& isa = elaboration.architecture.isa;
  const MapReader reader(scope, node, "isa", "isa");
  isa.width = static_cast<int>(reader.integer("width"));
  if (isa.width % 8 != 0) {
    scope.reporter().report("bad-encoding", reader.find("width")->place,
                            fmt::format("width {} is no whole number of bytes", isa.width));
  }
  read_opcode(scope, reader.find("opcode"), isa);
  std::vector<Place> register_places;
  read_registers(scope, reader.find("registers"), isa, register_places);
  const Node* const mnemonics = reader.find("mnemonics");
  if (mnemonics) read_mnemonics(elaboration, *mnemonics, register_places);
}

}  // namespace accord
