#include "walking_machine.h"

namespace accord::test {

namespace {

constexpr int dims = 4;

Memory walked_memory(const std::string& name, std::int64_t capacity, std::int64_t word, std::int64_t latency) {
  Memory result;
  result.name = name;
  result.capacity = capacity;
  result.word = word;
  result.latency = latency;
  result.off_chip = name == "dram";
  result.energy = {1, 2};
  return result;
}

Route walked_route(int source, int target) {
  Route result;
  result.source = source;
  result.target = target;
  result.walk.assign(dims, {std::int64_t{1} << 40, {}, {}});
  result.links = {0};
  result.backward = {false};
  return result;
}

Unit walking_mover(const std::string& name, std::vector<Route> routes) {
  Unit unit;
  unit.name = name;
  unit.kind = UnitKind::mover;
  unit.queue = 16;
  unit.routes = std::move(routes);
  unit.link = 0;
  unit.in_flight = 16;
  unit.setup = 20;
  return unit;
}

}  // namespace

Architecture walking_machine(Sync::Kind sync) {
  Architecture machine;
  machine.name = "walking";
  machine.hash = "walking-1";
  machine.memories = {walked_memory("dram", dram_bytes, 16, 32), walked_memory("spad", spad_bytes, 16, 4),
                      walked_memory("twin", spad_bytes, 16, 4), walked_memory("lists", list_bytes, 8, 3)};
  Link bus;
  bus.name = "bus";
  bus.width = 16;
  bus.duplex = true;
  bus.pj_per_byte = 3;
  machine.links = {bus};
  Route pad_in = walked_route(0, 1), gather_in = walked_route(0, 1), both_in = walked_route(0, 1),
        pad_out = walked_route(1, 0), gather_out = walked_route(1, 0);
  pad_in.pad = both_in.pad = Padding{ElementType::i16, -300};
  pad_out.pad = Padding{ElementType::u8, 7};
  gather_in.gather = Gather{3, ElementType::i32, 1};
  both_in.gather = Gather{3, ElementType::i16, 2};
  gather_out.gather = Gather{3, ElementType::u8, 1};
  both_in.also = {2};
  machine.units = {walking_mover("in", {pad_in, gather_in, both_in}), walking_mover("out", {pad_out, gather_out}),
                   walking_mover("lister", {walked_route(0, 3)})};
  machine.controller.name = "control";
  machine.sync.kind = sync;
  machine.sync.semaphores = sync == Sync::Kind::semaphores ? 2 : 0;
  machine.sync.semaphore_max = 4;
  machine.sync.entries = 16;
  machine.isa.width = 64 * 24;
  add_mnemonic(machine, "pad_in", Meaning::transfer, 0, 0);
  add_mnemonic(machine, "gather_in", Meaning::transfer, 0, 1);
  add_mnemonic(machine, "both_in", Meaning::transfer, 0, 2);
  add_mnemonic(machine, "pad_out", Meaning::transfer, 1, 0);
  add_mnemonic(machine, "gather_out", Meaning::transfer, 1, 1);
  add_mnemonic(machine, "load_list", Meaning::transfer, 2, 0);
  add_mnemonic(machine, "fence", Meaning::fence);
  for (int u = 0; u < 3; ++u) {
    const std::string unit = machine.units[static_cast<std::size_t>(u)].name;
    add_mnemonic(machine, "wait_" + unit, Meaning::wait, u);
    add_mnemonic(machine, "signal_" + unit, Meaning::signal, u);
  }
  return machine;
}

void WalkCase::apply(const std::vector<std::int8_t>& source, std::vector<std::int8_t>& target,
                     const std::vector<std::int8_t>& element, const std::vector<std::int64_t>& list, int dim) const {
  const auto of = [&](const std::string& name, int d) { return argument(name + std::to_string(d)); };
  const std::int64_t n[] = {of("n", 0), of("n", 1), of("n", 2), of("n", 3)};
  std::int64_t at[dims];
  for (const bool filling : {true, false}) {
    for (at[3] = 0; at[3] < n[3]; ++at[3]) {
      for (at[2] = 0; at[2] < n[2]; ++at[2]) {
        for (at[1] = 0; at[1] < n[1]; ++at[1]) {
          for (at[0] = 0; at[0] < n[0]; ++at[0]) {
            bool filled = false;
            std::int64_t from = argument("src.base"), to = argument("dst.base");
            for (int d = 0; d < dims; ++d) {
              const std::int64_t step = at[d] - of("lo", d);
              const bool outside = step < 0 || at[d] >= n[d] - of("hi", d);
              filled = filled || outside;
              const std::int64_t row = d == dim && !outside ? list[static_cast<std::size_t>(step)] : step;
              from += d == 0 ? step : row * of("src.stride", d);
              to += d == 0 ? at[0] : at[d] * of("dst.stride", d);
            }
            if (filled != filling) continue;
            target[static_cast<std::size_t>(to)] = filled ? element[static_cast<std::size_t>(at[0]) % element.size()]
                                                          : source[static_cast<std::size_t>(from)];
          }
        }
      }
    }
  }
}

}  // namespace accord::test
