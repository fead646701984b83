#include "simulator/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "archdsl/source/error.h"
#include "simulator/cycle/datapath.h"
#include "simulator/cycle/work.h"
#include "simulator/kernels/address_space.h"
#include "simulator/kernels/empty_layers.h"
#include "simulator/kernels/load_images.h"
#include "simulator/kernels/symbols.h"
#include "simulator/modules/function_datapath.h"
#include "simulator/modules/machine.h"
#include "simulator/modules/transaction_datapath.h"
#include "simulator/report/collect.h"
#include "simulator/report/explain.h"
#include "simulator/report/run_recorder.h"

namespace accord {

namespace {

using sim::ByteStore;
using sim::memory_index;

void check_fits(const Architecture& architecture, const Program& program) {
  if (program.architecture_hash != architecture.hash) {
    throw Error(fmt::format("the program was made for another architecture ({}, hash {}; this is {}, hash {})",
                            program.architecture, program.architecture_hash, architecture.name, architecture.hash));
  }
  const auto size = static_cast<std::size_t>(architecture.isa.width / 8);
  if (program.text.size() % size != 0) throw Error("the program's text ends within an instruction");
  std::set<std::string_view> symbols;
  for (const Symbol& symbol : program.symbols) symbols.insert(symbol.name);
  for (const Layer& layer : program.layers) {
    for (const std::string& output : layer.outputs) {
      if (!symbols.contains(output)) {
        throw Error(fmt::format("layer {} has an output without symbol: {}", layer.name, output));
      }
    }
  }
}

std::vector<ByteStore> make_stores(const Architecture& architecture, bool held) {
  std::vector<ByteStore> stores;
  for (const Memory& memory : architecture.memories) {
    sim::reserve_for(memory, [&] { stores.emplace_back(memory.capacity, held); });
  }
  return stores;
}

std::map<std::string, sim::Host::Place> place_symbols(const Architecture& architecture, const Program& program,
                                                      std::vector<ByteStore>& stores) {
  std::map<std::string, sim::Host::Place> places;
  for (const Symbol& symbol : program.symbols) {
    ByteStore& store = stores[memory_index(architecture, symbol.memory)];
    sim::check_symbol(symbol, store.capacity());
    if (!places.emplace(symbol.name, sim::Host::Place{&symbol, &store}).second)
      throw Error("two symbols are named " + symbol.name);
  }
  return places;
}

void load_inputs(const Program& program, const std::map<std::string, sim::Host::Place>& places, const Values& inputs) {
  std::set<std::string> wanted;
  for (const Symbol& symbol : program.symbols) {
    if (symbol.role != Symbol::Role::input) continue;
    wanted.insert(symbol.name);
    const auto given = inputs.find(symbol.name);
    if (given == inputs.end()) throw Error("no value for input " + symbol.name);
    std::size_t size = static_cast<std::size_t>(bytes(symbol.type));
    for (const std::int64_t extent : symbol.shape) size *= static_cast<std::size_t>(extent);
    if (given->second.type != symbol.type || given->second.shape != symbol.shape || given->second.data.size() != size) {
      throw Error(
          fmt::format("input {} has another type or shape than the program's {}", symbol.name, name(symbol.type)));
    }
    sim::write_symbol(symbol, given->second.data.data(), *places.at(symbol.name).store);
  }
  for (const auto& [name, value] : inputs) {
    if (!wanted.contains(name)) throw Error("the program has no input " + name);
  }
}

Values read_outputs(const std::vector<std::string>& names, const std::map<std::string, sim::Host::Place>& places) {
  Values values;
  for (const std::string& name : names) {
    const sim::Host::Place& place = places.at(name);
    values.emplace(name, sim::read_symbol(*place.symbol, *place.store));
  }
  return values;
}

std::vector<std::string> unit_names(const Architecture& architecture) {
  std::vector<std::string> names;
  for (const Unit& unit : architecture.units) names.push_back(unit.name);
  return names;
}

sim::MakeDatapath datapath_of(Fidelity fidelity) {
  return [fidelity](sim::RunState& run, std::vector<ByteStore>& stores) -> std::unique_ptr<sim::Datapath> {
    if (fidelity == Fidelity::function) return std::make_unique<sim::FunctionDatapath>(run);
    if (fidelity == Fidelity::cycle) return std::make_unique<sim::CycleDatapath>(run);
    return std::make_unique<sim::TransactionDatapath>(run, stores);
  };
}

// Parts of a cycle, of which clocks make a million and ports 64 of each, are counted in 64 bits.
constexpr sim::Cycle longest_run = sim::Cycle{1} << 36;

// That issue within so many cycles. Neither a fence nor a stage's end keeps the interval.
std::int64_t most_instructions(const Architecture& architecture, const Program& program, std::int64_t cycles) {
  const Controller& controller = architecture.controller;
  const bool keeps = program.stages.size() == 1 &&
                     std::ranges::count(architecture.isa.mnemonics, Meaning::fence, &Mnemonic::meaning) == 0;
  const std::int64_t width = std::max(1, controller.issue_width);
  const std::int64_t groups = keeps ? cycles / std::max(1, controller.issue_interval) : cycles;
  return groups >= std::numeric_limits<std::int64_t>::max() / width - 1 ? std::numeric_limits<std::int64_t>::max()
                                                                        : (groups + 1) * width;
}

/// One run, from images to result.
class Simulation {
 public:
  Simulation(const Architecture& architecture, const Program& program, const Values& inputs,
             const SimulateOptions& options)
      : program_(program),
        options_(options),
        stores_(make_stores(architecture, options.values)),
        map_(program, static_cast<std::int64_t>(program.text.size()) / (architecture.isa.width / 8)),
        places_(place_symbols(architecture, program, stores_)),
        empty_layers_(sim::find_empty_layers(program, map_.has_work())),
        hazards_(architecture, map_),
        binder_(architecture, options.shortcuts),
        evaluator_(architecture, binder_, pointers(stores_), unwritten()),
        components_(component_costs(architecture)),
        layers_(program.layers.size(), ComponentNumbers(architecture)),
        leaves_(unit_names(architecture), architecture.sync.semaphores),
        run_{architecture, program, map_, binder_, evaluator_, hazards_, layers_, leaves_, components_},
        front_(architecture, program, map_, hazards_, options.shortcuts),
        host_(places_, options.check_hazards),
        sequence_(run_, front_, host_) {
    if (options.values) {
      sim::load_images(architecture, program, stores_);
      load_inputs(program, places_, inputs);
    }
    if (options.check_hazards && options.fidelity != Fidelity::function &&
        architecture.sync.kind != Sync::Kind::in_order) {
      run_.races = &races_.emplace(architecture, hazards_, run_.pool);
    }
    run_.in_order = architecture.sync.kind == Sync::Kind::in_order;
    run_.timed = options.fidelity != Fidelity::function;
    run_.values = options.values;
    run_.checks_hazards = options.check_hazards;
    assert(run_.values || (run_.timed && !options.check_hazards));
    run_.most_cycles = std::min(options.most_cycles, longest_run);
    front_.long_run = options.on_long_run;
    front_.limit(most_instructions(architecture, program, options.most_cycles));
    run_.ahead = run_.in_order && options.fidelity == Fidelity::transaction;
    run_.end_layer = [this](int layer) { end_layer(layer); };
    for (const auto& [layer, leaders] : empty_layers_) layers_.follow(leaders, layer);
  }

  SimulateResult run() {
    const bool late = run_.timed && !run_.ahead;
    layers_.on_end = [this, late](int layer, sim::Cycle end) {
      if (!late) return end_layer(layer);
      run_.agenda.add({end, std::numeric_limits<std::int64_t>::max(), nullptr, layer, layers_sequence_++, 0});
    };
    if (options_.explain || options_.sensitivities) run_.graph.record();
    sim::RunRecorder recorder(run_, {options_.trace, options_.vcd, options_.stats, options_.stats_interval});
    sim::Machine machine(run_, front_, sequence_, stores_, datapath_of(options_.fidelity));
    end_leading_layers();
    machine.run();
    SimulateResult result = run_.timed ? sim::collect(run_, machine, close(machine)) : sim::collect_values(run_);
    if (run_.timed && !hazards_.fatal && (options_.explain || options_.sensitivities))
      result.explanation = sim::explain(run_, result.total_cycles, options_.sensitivities, result.broken_invariants);
    if (run_.timed) recorder.write(result.total_cycles);
    result.timed = run_.timed;
    result.instructions = front_.executed();
    for (const Symbol& symbol : program_.symbols) {
      if (run_.values && symbol.role == Symbol::Role::output)
        result.outputs.merge(read_outputs({symbol.name}, places_));
    }
    result.cut_short = hazards_.fatal;
    result.hazards = hazards_.take();
    return result;
  }

 private:
  static std::vector<ByteStore*> pointers(std::vector<ByteStore>& stores) {
    std::vector<ByteStore*> result;
    for (ByteStore& store : stores) result.push_back(&store);
    return result;
  }

  sim::Evaluator::Report unwritten() {
    if (!options_.check_hazards) return nullptr;
    return [this](const sim::Operation& operation, const std::string& message) {
      hazards_.report("uninitialised_read", operation.started, operation.instruction, operation.mnemonic, message);
    };
  }

  // The last operations' ends may lie behind all events.
  sim::Time close(sim::Machine& machine) {
    const sim::Time total = machine.close();
    if (total.at > run_.most_cycles && !hazards_.fatal) run_.out_of_time(total, -1, -1);
    return total;
  }

  // Layers before the first that has work.
  void end_leading_layers() {
    for (const auto& [layer, leaders] : empty_layers_) {
      if (leaders.empty()) layers_.end_host(layer, 0);
    }
  }

  void end_layer(int layer) {
    if (!options_.on_layer || hazards_.fatal) return;
    const std::vector<std::string>& outputs = program_.layers[static_cast<std::size_t>(layer)].outputs;
    options_.on_layer(layer, run_.values ? read_outputs(outputs, places_) : Values{});
  }

  const Program& program_;
  const SimulateOptions& options_;
  std::vector<ByteStore> stores_;
  sim::ProgramMap map_;
  std::map<std::string, sim::Host::Place> places_;
  std::vector<sim::EmptyLayer> empty_layers_;
  sim::HazardLog hazards_;
  sim::Binder binder_;
  sim::Evaluator evaluator_;
  std::vector<ComponentCost> components_;
  sim::Layers layers_;
  sim::Leaves leaves_;
  sim::RunState run_;
  std::optional<sim::RaceDetector> races_;
  sim::FrontEnd front_;
  sim::Host host_;
  sim::Sequence sequence_;
  std::int64_t layers_sequence_ = 0;
};

}  // namespace

SimulateResult simulate(const Architecture& architecture, const Program& program, const Values& inputs,
                        const SimulateOptions& options) {
  check_fits(architecture, program);
  const bool recorded = !options.trace.empty() || !options.vcd.empty() || !options.stats.empty();
  if (options.fidelity == Fidelity::function && (recorded || options.explain || options.sensitivities))
    throw Error("a trace, samples or an explanation need time, which fidelity function does not have");
  if (options.fidelity == Fidelity::cycle && (options.explain || options.sensitivities))
    throw Error("an explanation follows the reservations of fidelity transaction; cycle has none");
  if (options.fidelity == Fidelity::cycle) {
    for (const Memory& memory : architecture.memories) {
      if (memory.dram)
        throw Error(fmt::format(
            "{} is a DRAM part, whose banks and rows only fidelity transaction has; fidelity cycle takes it with "
            "`word`, `banks` and `latency` in place of `dram`",
            memory.name));
    }
    sim::check_work(architecture, program);
  }
  return Simulation(architecture, program, inputs, options).run();
}

}  // namespace accord
