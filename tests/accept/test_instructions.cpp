// Do capabilities, walks, sync and instructions mean what docs/covenant.md says?
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/accept/accepted.h"

using namespace accord;
using namespace accord::test;

namespace {

using Values = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

Values::value_type index_of(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) - names.begin();
}

/// The binding of a run's argument.
const Binding& binding(const Mnemonic& m, const Capability& c, const std::string& argument) {
  return m.arguments.at(static_cast<std::size_t>(index_of(run_arguments(c), argument)));
}

const Binding& binding(const Mnemonic& m, const Route& r, const std::string& argument) {
  return m.arguments.at(static_cast<std::size_t>(index_of(transfer_arguments(r), argument)));
}

}  // namespace

TEST_CASE("a unit's capabilities have types, dims and timing of their own") {
  const Architecture a = accepted("capabilities_many");
  const Unit& alu = unit(a, "alu");
  CHECK(alu.capabilities.size() == 4);
  const Capability& multiply = capability(alu, "multiply");
  CHECK(multiply.dims.at(0).minimum == 4);
  CHECK(multiply.dims.at(0).multiple == 4);
  CHECK(multiply.interval.evaluate(Values{12}) == 3);
  CHECK(multiply.drain.evaluate(Values{8}) == 3);
  CHECK(multiply.drain.evaluate(Values{12}) == 5);
  CHECK(capability(alu, "add16").pj_per_point == 0.5);
  CHECK(capability(alu, "add16").dims.at(0).minimum == 8);
  CHECK(capability(alu, "scale").interval.evaluate(Values{3}) == 3);
}

TEST_CASE("a dim's form gives its least and greatest extent") {
  const Architecture a = accepted("dims_every_form");
  const Capability& relu = capability(unit(a, "alu"), "relu");
  REQUIRE(relu.dims.size() == 4);
  const auto is = [&](std::size_t d, std::int64_t low, std::int64_t high, std::int64_t multiple) {
    return relu.dims[d].minimum == low && relu.dims[d].maximum == high && relu.dims[d].multiple == multiple;
  };
  CHECK(is(0, 3, 3, 1));
  CHECK(is(1, 1, 4, 1));
  CHECK(is(2, 2, 8, 2));
  CHECK(is(3, 6, 12, 3));
}

TEST_CASE("held operands have a load argument, by default 1") {
  const Architecture a = accepted("operand_held");
  const Capability& matmul = capability(unit(a, "alu"), "matmul");
  Names arguments = run_arguments(matmul);
  std::sort(arguments.begin(), arguments.end());
  CHECK(arguments == Names{"a.base", "a.stride0", "b.base", "b.load", "c.base", "i", "j", "k"});
  CHECK(matmul.interval.evaluate(Values{8, 4, 4, 1}) == 12);
  CHECK(matmul.interval.evaluate(Values{8, 4, 4, 0}) == 8);
  CHECK(binding(mnemonic(a, "matmul"), matmul, "j").bias == 4);
  const Architecture b = accepted("operand_held_by_default_loaded");
  const Binding& load = binding(mnemonic(b, "relu"), capability(unit(b, "alu"), "relu"), "x.load");
  CHECK(load.field == -1);
  CHECK(load.bias == 1);
}

TEST_CASE("operands without indices are scalar arguments") {
  const Architecture a = accepted("operand_scalars");
  const Names arguments = run_arguments(capability(unit(a, "alu"), "relu"));
  CHECK(index_of(arguments, "scale") < 5);
  CHECK(index_of(arguments, "low") < 5);
  CHECK(arguments.size() == 5);
}

TEST_CASE("movers change data on the way") {
  const Architecture a = accepted("mover_capabilities");
  const Unit& dma = unit(a, "dma");
  CHECK(dma.kind == UnitKind::mover);
  CHECK(dma.setup == 7);
  CHECK(capability(dma, "widen").interval.evaluate(Values{16}) == 0);
  CHECK(capability(dma, "narrow").interval.evaluate(Values{16}) == 16);
}

TEST_CASE("a capability may be several statements") {
  const Architecture a = accepted("statements_in_a_row");
  CHECK(capability(unit(a, "alu"), "pool").program.statements.size() == 2);
  CHECK(capability(unit(a, "alu"), "lowest").program.statements.size() == 2);
}

TEST_CASE("steps that a walk leaves out are dense") {
  const Architecture a = accepted("walk_dense");
  const std::vector<WalkDim>& walk = unit(a, "dma").routes.at(0).walk;
  REQUIRE(walk.size() == 3);
  CHECK(walk[1].source.bytes == 16);
  CHECK(walk[1].target.bytes == 16);
  CHECK(walk[2].source.bytes == 0);
  CHECK(walk[2].target.bytes == 64);
  const Architecture eight = accepted("walk_eight_dimensions");
  CHECK(unit(eight, "dma").routes.at(0).walk.back().source.bytes == 4 * 64);
  CHECK(transfer_arguments(unit(eight, "dma").routes.at(0)).size() == 2 + 8);
}

TEST_CASE("free steps are arguments, wired ones are not") {
  const Architecture a = accepted("walk_overlapping");
  const Route& r = unit(a, "dma").routes.at(0);
  CHECK(transfer_arguments(r) == Names{"src.base", "dst.base", "n0", "n1", "n2", "src.stride2"});
  CHECK(r.walk[1].source.bytes == 2);
  CHECK(r.walk[2].source.kind == Step::Kind::free);
}

TEST_CASE("routes pad and gather") {
  const Architecture pads = accepted("route_pads");
  const Route& padded = unit(pads, "dma").routes.at(0);
  REQUIRE(padded.pad.has_value());
  CHECK(padded.pad->value == -128);
  CHECK(binding(mnemonic(pads, "ld"), padded, "hi1").bias == 0);
  CHECK(binding(mnemonic(pads, "ld"), padded, "lo1").field >= 0);
  const Architecture gathers = accepted("route_gathers");
  const Route& gathered = unit(gathers, "dma").routes.at(2);
  REQUIRE(gathered.gather.has_value());
  CHECK(gathered.gather->type == ElementType::u8);
  CHECK(gathered.gather->dim == 1);
}

TEST_CASE("registers are added to, before and after") {
  const Architecture a = accepted("register_add");
  const Mnemonic& add = mnemonic(a, "add");
  CHECK(add.meaning == Meaning::add);
  REQUIRE(add.updates.size() == 3);
  CHECK(add.updates[0].base == Binding::Base::fixed_register);
  CHECK(add.updates[1].base == Binding::Base::indexed_register);
  CHECK(add.updates[2].reg == a.isa.registers.at(1).first + 3);
  const Architecture b = accepted("register_post_increment");
  const Mnemonic& ld = mnemonic(b, "ld");
  REQUIRE(ld.updates.size() == 1);
  CHECK(value_of(ld.updates[0].amount, Values{0, 0, -3}, Values{0}) == 13);
}

TEST_CASE("loops take their count from a register") {
  const Architecture a = accepted("loop_of_instructions");
  CHECK(a.controller.loop_depth == 3);
  const Mnemonic& loop = mnemonic(a, "loop");
  CHECK(loop.meaning == Meaning::loop);
  CHECK(value_of(loop.arguments.at(0), Values{5}, Values{0, 7}) == 7);
  CHECK(value_of(loop.arguments.at(1), Values{5}, Values{0, 7}) == 5);
}

TEST_CASE("sync has three kinds") {
  CHECK(accepted("sync_in_order").sync.kind == Sync::Kind::in_order);
  CHECK(accepted("interlock").sync.entries == 4);
  const Architecture a = accepted("sync_semaphores_short");
  CHECK(a.sync.kind == Sync::Kind::semaphores);
  CHECK(a.sync.semaphores == 16);
  CHECK(a.sync.semaphore_max == 255);
  const Architecture b = accepted("sync_semaphores_in_arrays");
  CHECK(b.sync.semaphore_max == 1);
  CHECK(mnemonic(b, "wait_alu").units.size() == 4);
  CHECK(goes_to(mnemonic(b, "wait_alu"), mnemonic(b, "wait_alu").units.at(3)));
}

TEST_CASE("fields choose elements of arrays") {
  const Architecture a = accepted("mnemonic_element_and_index");
  const auto name = [&](const std::string& m, const Values& fields) {
    return a.units.at(static_cast<std::size_t>(unit_of(mnemonic(a, m), fields))).name;
  };
  CHECK(name("relu", {1, 2, 0, 0, 0}) == "core[1][2].alu");
  CHECK(name("relu", {0, 1, 0, 0, 0}) == "core[0][1].alu");
  CHECK(unit_of(mnemonic(a, "relu"), Values{2, 0, 0, 0, 0}) == -1);
  CHECK(unit_of(mnemonic(a, "relu"), Values{0, 3, 0, 0, 0}) == -1);
  CHECK(name("relu1", {1, 0, 0}) == "core[1][1].alu");
  const Architecture b = accepted("mnemonic_named_element");
  CHECK(b.units.at(static_cast<std::size_t>(mnemonic(b, "relu1").unit)).name == "core[1].alu");
}

TEST_CASE("fields have unit, bias, sign and place") {
  const Architecture a = accepted("field_forms");
  CHECK(a.isa.opcode_offset == 4);
  CHECK(a.isa.opcode_bits == 6);
  const Mnemonic& ld = mnemonic(a, "ld");
  CHECK(ld.fields.at(0).offset == 90);
  CHECK(ld.fields.at(1).offset == 10);
  CHECK(ld.fields.at(2).is_signed);
  CHECK(mnemonic(a, "relu").fields.at(0).offset == 10);
  CHECK(mnemonic(a, "relu").fields.at(1).offset == 14);
  const Route& r = unit(a, "dma").routes.at(0);
  const Values raw = {3, 2, -5};
  CHECK(value_of(binding(ld, r, "dst.base"), raw, Values{1000}) == 48);
  CHECK(value_of(binding(ld, r, "n0"), raw, Values{1000}) == 48);
  CHECK(value_of(binding(ld, r, "src.base"), raw, Values{1000}) == 1000 - 5 + 2048);
}

TEST_CASE("bindings may be constants; a sum of a field and numbers") {
  const Architecture a = accepted("binding_constants");
  const Capability& relu = capability(unit(a, "alu"), "relu");
  const Mnemonic& m = mnemonic(a, "relu");
  CHECK(value_of(binding(m, relu, "i"), Values{5}, Values{0}) == 8);
  CHECK(value_of(binding(m, relu, "x.base"), Values{5}, Values{0}) == 21);
  CHECK(value_of(binding(m, relu, "y.base"), Values{5}, Values{0}) == 512);
}

TEST_CASE("resolved names are literal, the controller feeds groups") {
  const Architecture a = accepted("resolved_names");
  CHECK(memory(a, "core[0].buf").capacity == 1024);
  CHECK(unit(a, "core[0].dma").routes.size() == 2);
  CHECK(accepted("controller_feeds").controller.issue_width == 4);
  CHECK(accepted("controller_feeds_array").units.size() == 4);
}
