#include "simulator/trace/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/kernels/operation.h"

namespace accord::sim {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{512} << 20;
constexpr std::size_t most_samples = 4096;
constexpr EventFile::Track layer_track{0, 1};

}  // namespace

ChromeTrace::ChromeTrace(const std::filesystem::path& file, RunNames names, const Architecture& architecture,
                         const Program& program, const ProgramMap& map)
    : architecture_(architecture),
      program_(program),
      map_(map),
      names_(std::move(names)),
      file_(file),
      units_(names_.numbers.units),
      states_(names_.components.size()),
      series_(0, most_samples) {
  for (const Memory& memory : architecture.memories) {
    lives_.emplace_back();
    if (!memory.off_chip) lives_.back().emplace(memory);
  }
  for (std::size_t c = 0; c < names_.components.size(); ++c) series_.begin_series();
  name_tracks();
}

void ChromeTrace::name_tracks() {
  file_.name_process(layer_track.process, "program");
  file_.name_track(layer_track, "layers");
  for (std::size_t c = 0; c < names_.components.size(); ++c) {
    file_.name_process(process(c), names_.components[c]);
    if (c < names_.numbers.units) file_.name_track(operations(c), "operations");
    file_.name_track(states(c), "state");
  }
}

bool ChromeTrace::full(Cycle at) {
  if (file_.bytes() <= most_bytes) return false;
  left_out_ = std::min(left_out_, at);
  return true;
}

void ChromeTrace::spent(int component, int leaf, Cycle from, Cycle until) {
  State& state = states_[static_cast<std::size_t>(component)];
  if (state.leaf != leaf || state.until != from) {
    write_state(static_cast<std::size_t>(component));
    state = {leaf, from, from};
  }
  state.until = until;
}

void ChromeTrace::write_state(std::size_t component) {
  const State& state = states_[component];
  if (state.leaf < 0 || state.leaf == names_.idle || full(state.from)) return;
  file_.slice(states(component), names_.leaves[static_cast<std::size_t>(state.leaf)], state.from, state.until);
}

void ChromeTrace::passed(int link, std::int64_t bytes, Cycle first, Cycle end) {
  series_.add(names_.numbers.of_link(link), bytes, first, std::max(end, first + 1));
}

void ChromeTrace::queued(int unit, Cycle at, int change) {
  std::deque<Cycle>& entries = units_[static_cast<std::size_t>(unit)].queued;
  if (change > 0) return entries.push_back(at);
  series_.add(static_cast<std::size_t>(unit), at - entries.front(), entries.front(), at);
  entries.pop_front();
}

void ChromeTrace::began(const Operation& operation) {
  if (full(operation.started)) return;
  units_[static_cast<std::size_t>(operation.unit)].begun.push_back(
      {operation.id, operation.instruction, operation.mnemonic, operation.layer, operation.started, unknown});
}

void ChromeTrace::ended(const Operation& operation) {
  use_memories(operation);
  const auto number = static_cast<std::size_t>(operation.unit);
  UnitTrack& unit = units_[number];
  const auto slice = std::ranges::find(unit.begun, operation.id, &Slice::operation);
  if (slice != unit.begun.end()) slice->until = operation.done;
  while (unit.begun.size() > 1 && unit.begun.front().until != unknown)
    write_first(unit, operations(number), unit.begun[1].from);
}

// Viewers nest the slices of a track; a pipelined unit begins its next operation before the last is done, so a slice
// ends where the next begins, and `done` tells the rest.
void ChromeTrace::write_first(UnitTrack& unit, EventFile::Track track, Cycle limit) {
  const Slice& slice = unit.begun.front();
  enter(unit, track, slice.layer, map_.statement(slice.instruction), slice.from);
  unit.last_end = std::max(slice.from, std::min(slice.until, limit));
  file_.slice(track, architecture_.isa.mnemonics[static_cast<std::size_t>(slice.mnemonic)].name, slice.from,
              unit.last_end, fmt::format(R"("instruction":{},"done":{})", slice.instruction, slice.until));
  unit.begun.pop_front();
}

void ChromeTrace::enter(UnitTrack& unit, EventFile::Track track, int layer, const std::string& statement, Cycle at) {
  if (unit.layer != layer) leave(unit, track, true);
  if (unit.statement != nullptr && *unit.statement != statement) leave(unit, track, false);
  if (unit.layer != layer) file_.begin(track, program_.layers[static_cast<std::size_t>(layer)].name, at);
  unit.layer = layer;
  if (unit.statement != nullptr || statement.empty()) return;
  file_.begin(track, statement, at);
  unit.statement = &statement;
}

void ChromeTrace::leave(UnitTrack& unit, EventFile::Track track, bool layer) {
  if (unit.statement != nullptr) file_.end(track, unit.last_end);
  unit.statement = nullptr;
  if (layer && unit.layer >= 0) file_.end(track, unit.last_end);
  if (layer) unit.layer = -1;
}

void ChromeTrace::use_memories(const Operation& operation) {
  const auto touch = [&](const AccessShape& access, const Footprint& footprint, bool reads) {
    const auto memory = static_cast<std::size_t>(access.memory);
    if (!lives_[memory]) return;
    const WordLives::Access use{reads, access.writes, operation.started, operation.done};
    const auto over = [&](std::int64_t bytes, Cycle from, Cycle until) {
      series_.add(names_.numbers.of_memory(access.memory), bytes * (until - from), from, until);
    };
    for_each_run(footprint, operation.base_of(access),
                 [&](std::int64_t address, std::int64_t n) { lives_[memory]->touch(address, n, use, over); });
  };
  for (const bool reads : {true, false}) {
    for (const AccessShape& access : operation.shape->accesses) {
      if (access.reads == reads) touch(access, access.footprint, reads);
    }
  }
  for (const AccessShape& target : targets_of(*operation.shape)) {
    for (const Footprint& box : operation.shape->filling.boxes) touch(target, box, false);
  }
}

void ChromeTrace::layer(const std::string& name, Cycle from, Cycle until) {
  file_.slice(layer_track, name, from, until);
}

void ChromeTrace::finish(Cycle total) {
  series_.reach(total);
  for (std::size_t u = 0; u < units_.size(); ++u) {
    UnitTrack& unit = units_[u];
    // What a run that ended early left under way has no end.
    while (!unit.begun.empty() && unit.begun.front().until != unknown)
      write_first(unit, operations(u), unit.begun.size() > 1 ? unit.begun[1].from : total);
    leave(unit, operations(u), true);
    for (const Cycle entered : unit.queued) series_.add(u, total - entered, entered, total);
    if (architecture_.sync.kind != Sync::Kind::in_order) write_counter(u, "queue", "entries", u, total);
  }
  for (std::size_t c = 0; c < states_.size(); ++c) write_state(c);
  for (std::size_t m = 0; m < lives_.size(); ++m) {
    if (!lives_[m]) continue;
    const std::size_t component = names_.numbers.of_memory(static_cast<int>(m));
    lives_[m]->finish([&](std::int64_t bytes, Cycle from, Cycle until) {
      series_.add(component, bytes * (until - from), from, until);
    });
    write_counter(component, "in use", "bytes", component, total);
  }
  for (std::size_t l = 0; l < names_.numbers.links; ++l) {
    const std::size_t component = names_.numbers.of_link(static_cast<int>(l));
    write_counter(component, "bandwidth", "bytes per cycle", component, total);
  }
  if (left_out_ < total) file_.mark("operations and states are left out from here on", left_out_);
  file_.close();
}

// Means over the samples, told where they change.
void ChromeTrace::write_counter(std::size_t component, const std::string& name, const std::string& unit,
                                std::size_t series, Cycle total) {
  double shown = -1;
  const Cycle interval = series_.interval();
  const auto show = [&](Cycle at, double value) {
    if (value != shown) file_.counter(process(component), name, unit, at, value);
    shown = value;
  };
  for (Cycle from = 0; from < total; from += interval) {
    const std::int64_t amount = series_.value(series, static_cast<std::size_t>(from / interval));
    show(from, static_cast<double>(amount) / static_cast<double>(std::min(interval, total - from)));
  }
  show(total, 0);
}

}  // namespace accord::sim
