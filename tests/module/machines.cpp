#include "machines.h"

#include <stdexcept>
#include <variant>

#include "archdsl/isa/emit.h"
#include "archdsl/tensor/parse.h"

namespace accord::test {

namespace {

TensorProgram parse(const std::vector<std::string>& texts, const std::map<std::string, ElementType>& types,
                    const std::vector<std::string>& iterators) {
  StatementContext context;
  context.operand_types = types;
  context.iterator_order = iterators;
  auto result = parse_statements(texts, context);
  if (auto* error = std::get_if<StatementError>(&result)) throw std::runtime_error(error->message);
  return std::get<TensorProgram>(result);
}

Step fixed(std::int64_t bytes) { return {Step::Kind::fixed, bytes}; }
const Step free_step{};

Memory memory(const std::string& name, std::int64_t capacity, std::int64_t word, int banks, std::int64_t latency,
              bool off_chip) {
  Memory result;
  result.name = name;
  result.capacity = capacity;
  result.word = word;
  result.banks = banks;
  result.latency = latency;
  result.off_chip = off_chip;
  result.energy = {1, 2};
  return result;
}

Route route(int source, int target, std::vector<WalkDim> walk, std::vector<int> links) {
  Route result;
  result.source = source;
  result.target = target;
  result.walk = std::move(walk);
  result.backward.resize(links.size(), false);
  result.links = std::move(links);
  return result;
}

Unit mover(const std::string& name, std::vector<Route> routes) {
  Unit unit;
  unit.name = name;
  unit.kind = UnitKind::mover;
  unit.queue = 8;
  unit.routes = std::move(routes);
  if (!unit.routes.empty() && !unit.routes[0].links.empty()) unit.link = unit.routes[0].links[0];
  unit.request = 64;
  unit.in_flight = 16;
  unit.setup = 20;
  return unit;
}

Capability matmul() {
  Capability result;
  result.name = "matmul";
  result.program = parse({"c[i,j] += i32(a[i,k]) * i32(b[k,j])"},
                         {{"a", ElementType::i8}, {"b", ElementType::i8}, {"c", ElementType::i32}}, {"i", "j", "k"});
  result.dims = {{"i", 1, 16, 1}, {"j", 1, 16, 1}, {"k", 1, 16, 1}};
  for (const Operand& operand : result.program.operands) {
    if (operand.name == "a") result.operands.push_back({1, false, {free_step, fixed(1)}});
    if (operand.name == "b") result.operands.push_back({1, true, {fixed(16), fixed(1)}});
    if (operand.name == "c") result.operands.push_back({2, false, {fixed(64), fixed(4)}});
  }
  const std::vector<std::string> names = {"i", "j", "k", "load"};
  result.start = Formula("14", names);
  result.interval = Formula("max(i, 16)", names);
  result.drain = Formula("34", names);
  result.pj_per_point = 0.5;
  return result;
}

Capability copy() {
  Capability result;
  result.name = "copy";
  result.program = parse({"y[n] = i8(x[n])"}, {{"x", ElementType::i32}, {"y", ElementType::i8}}, {"n"});
  result.dims = {{"n", 1, 256, 1}};
  for (const Operand& operand : result.program.operands) {
    result.operands.push_back(operand.name == "x" ? CapabilityOperand{2, false, {fixed(4)}}
                                                  : CapabilityOperand{0, false, {fixed(1)}});
  }
  return result;
}

}  // namespace

Mnemonic& add_mnemonic(Architecture& architecture, const std::string& name, Meaning meaning, int unit, int index) {
  Mnemonic& mnemonic = architecture.isa.mnemonics.emplace_back();
  mnemonic.name = name;
  mnemonic.opcode = architecture.isa.mnemonics.size();
  mnemonic.meaning = meaning;
  mnemonic.unit = unit;
  (meaning == Meaning::run ? mnemonic.capability : mnemonic.route) = index;
  int offset = 64;
  for (const std::string& argument : argument_names(architecture, mnemonic)) {
    Binding& binding = mnemonic.arguments.emplace_back();
    binding.field = static_cast<int>(mnemonic.fields.size());
    mnemonic.fields.push_back({argument, offset, 64, true});
    offset += 64;
  }
  mnemonic.where = {"machine.yaml", static_cast<int>(mnemonic.opcode), 1};
  return mnemonic;
}

Architecture matrix_machine(Sync::Kind sync) {
  Architecture machine;
  machine.name = "matrix";
  machine.hash = "matrix-1";
  machine.memories = {memory("dram", 1 << 20, 16, 1, 32, true), memory("spad", 16 << 10, 16, 4, 4, false),
                      memory("acc", 8 << 10, 64, 2, 4, false)};
  Link bus;
  bus.name = "bus";
  bus.width = 16;
  bus.duplex = true;
  bus.pj_per_byte = 3;
  machine.links = {bus};
  const Route load = route(0, 1, {{64, {}, {}}, {16, free_step, free_step}, {16, free_step, fixed(16)}}, {0});
  const Route load_acc = route(0, 2, {{1024, {}, {}}}, {0});
  const Route store = route(2, 0, {{64, {}, {}}, {16, fixed(64), free_step}}, {0});
  machine.units = {mover("load", {load, load_acc}), mover("store", {store})};
  machine.units[1].capabilities = {copy()};
  Unit mesh;
  mesh.name = "mesh";
  mesh.queue = 16;
  mesh.capabilities = {matmul()};
  machine.units.push_back(mesh);
  machine.controller.name = "control";
  machine.controller.loop_depth = 2;
  machine.sync.kind = sync;
  machine.sync.semaphores = sync == Sync::Kind::semaphores ? 4 : 0;
  machine.sync.semaphore_max = 2;
  machine.sync.entries = 8;
  machine.isa.width = 64 * 12;
  add_mnemonic(machine, "load", Meaning::transfer, 0, 0);
  add_mnemonic(machine, "load_acc", Meaning::transfer, 0, 1);
  add_mnemonic(machine, "store", Meaning::transfer, 1, 0);
  add_mnemonic(machine, "copy", Meaning::run, 1, 0);
  add_mnemonic(machine, "matmul", Meaning::run, 2, 0);
  add_mnemonic(machine, "fence", Meaning::fence);
  add_mnemonic(machine, "loop", Meaning::loop);
  for (int u = 0; u < 3; ++u) {
    const std::string unit = machine.units[static_cast<std::size_t>(u)].name;
    add_mnemonic(machine, "wait_" + unit, Meaning::wait, u);
    add_mnemonic(machine, "signal_" + unit, Meaning::signal, u);
  }
  return machine;
}

namespace {

Capability lanes(const std::string& name, const std::string& text, const std::map<std::string, ElementType>& types,
                 const std::vector<CapabilityDim>& dims) {
  Capability result;
  result.name = name;
  std::vector<std::string> iterators;
  for (const CapabilityDim& dim : dims) iterators.push_back(dim.name);
  result.program = parse({text}, types, iterators);
  result.dims = dims;
  for (const Operand& operand : result.program.operands) {
    CapabilityOperand& placed = result.operands.emplace_back();
    placed.memory = 1;
    placed.steps.assign(static_cast<std::size_t>(operand.rank), fixed(bytes(operand.type)));
    if (operand.rank == 2) placed.steps[0] = fixed(4 * bytes(operand.type));
  }
  result.interval = Formula("1", iterators);
  result.drain = Formula("3", iterators);
  return result;
}

}  // namespace

Architecture vector_machine() {
  Architecture machine;
  machine.name = "vector";
  machine.hash = "vector-1";
  machine.memories = {memory("l2", 1 << 20, 128, 1, 6, true), memory("vregs", 32 * 128, 128, 1, 1, false)};
  machine.memories[1].read_ports = 4;
  machine.memories[1].write_ports = 2;
  machine.units = {mover("mem", {route(0, 1, {{128, {}, {}}}, {}), route(1, 0, {{128, {}, {}}}, {})})};
  machine.units[0].request = 128;
  machine.units[0].setup = 0;
  Unit alu;
  alu.name = "alu";
  alu.capabilities = {
      lanes("dot", "c[i] += i32(a[i,k]) * i32(b[i,k])",
            {{"a", ElementType::i8}, {"b", ElementType::i8}, {"c", ElementType::i32}},
            {{"i", 32, 32, 1}, {"k", 4, 4, 1}}),
      lanes("add", "z[i] = x[i] + y[i]", {{"x", ElementType::i32}, {"y", ElementType::i32}, {"z", ElementType::i32}},
            {{"i", 32, 32, 1}})};
  machine.units.push_back(alu);
  machine.controller.name = "control";
  machine.controller.loop_depth = 2;
  machine.isa.width = 64 * 8;
  machine.isa.registers = {{"r", 32, false, 4, 0}};
  machine.isa.register_count = 4;
  const auto address_registers = [](Mnemonic& mnemonic, int argument, int reg) {
    mnemonic.arguments[static_cast<std::size_t>(argument)].base = Binding::Base::fixed_register;
    mnemonic.arguments[static_cast<std::size_t>(argument)].reg = reg;
  };
  address_registers(add_mnemonic(machine, "load", Meaning::transfer, 0, 0), 0, 0);
  address_registers(add_mnemonic(machine, "store", Meaning::transfer, 0, 1), 1, 1);
  add_mnemonic(machine, "dot", Meaning::run, 1, 0);
  add_mnemonic(machine, "add", Meaning::run, 1, 1);
  add_mnemonic(machine, "fence", Meaning::fence);
  add_mnemonic(machine, "loop", Meaning::loop);
  Mnemonic& bump = add_mnemonic(machine, "bump", Meaning::add);
  for (int r = 0; r < 4; ++r) {
    bump.fields.push_back({"r" + std::to_string(r), 64 + 64 * r, 64, true});
    RegisterUpdate& update = bump.updates.emplace_back();
    update.reg = r;
    update.amount.field = r;
  }
  return machine;
}

std::int64_t Assembler::emit(const std::string& mnemonic,
                             const std::vector<std::pair<std::string, std::int64_t>>& fields) {
  const Isa& isa = architecture_.isa;
  std::size_t m = 0;
  while (m < isa.mnemonics.size() && isa.mnemonics[m].name != mnemonic) ++m;
  if (m == isa.mnemonics.size()) throw std::runtime_error("no mnemonic " + mnemonic);
  Instruction instruction{static_cast<int>(m), {}};
  std::size_t used = 0;
  for (const Field& field : isa.mnemonics[m].fields) {
    instruction.fields.push_back(0);
    for (const auto& [name, value] : fields) {
      if (name != field.name) continue;
      instruction.fields.back() = value;
      ++used;
    }
  }
  if (used != fields.size()) throw std::runtime_error("unknown field of " + mnemonic);
  const std::size_t size = static_cast<std::size_t>(isa.width / 8);
  program.text.resize(program.text.size() + size);
  encode(isa, instruction, program.text.data() + program.text.size() - size);
  return count_++;
}

void Assembler::image(const std::string& memory, std::int64_t address, const std::vector<std::int8_t>& bytes) {
  Image image;
  image.memory = memory;
  image.address = address;
  for (const std::int8_t byte : bytes) image.bytes.own().push_back(static_cast<std::byte>(byte));
  program.images.push_back(image);
}

void Assembler::layer(const std::string& name, const std::vector<std::string>& outputs) {
  Layer layer;
  layer.name = name;
  layer.outputs = outputs;
  program.layers.push_back(layer);
  program.map.push_back({mapped_, count_ - mapped_, static_cast<int>(program.layers.size()) - 1, name + ".statement"});
  mapped_ = count_;
}

}  // namespace accord::test
