#include "tests/mutation/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "simulator/kernels/binder.h"
#include "simulator/kernels/program_map.h"
#include "simulator/modules/front_end.h"
#include "simulator/modules/hazard_log.h"

namespace accord::test {

namespace {

/// An entry of a unit's queue.
struct Event {
  Meaning kind{};
  int unit = -1;
  int epoch = 0;           ///< fences and ends of stages before it
  std::int64_t place = 0;  ///< in its unit's queue, over all epochs
  std::int64_t semaphore = -1;
  sim::Operation operation{};
  std::vector<std::int64_t> known{};  ///< by unit: so many entries of its queue are surely done before this one begins
};

class Order {
 public:
  Order(const Architecture& architecture, const Program& program)
      : architecture_(architecture),
        map_(program, static_cast<std::int64_t>(program.text.size()) / (architecture.isa.width / 8)),
        hazards_(architecture, map_),
        binder_(architecture),
        units_(architecture.units.size()),
        queues_(units_) {
    sim::FrontEnd front(architecture, program, map_, hazards_);
    for (std::size_t s = 0; s < map_.stages().size(); ++s) {
      if (map_.stages()[s].host) continue;
      front.enter(s);
      while (const sim::Decoded* decoded = front.next()) record(*decoded, front.arguments());
      fence();
    }
    while (learn()) {
    }
  }

  std::optional<std::string> unordered_pair() const {
    for (std::size_t b = 0; b < events_.size(); ++b) {
      if (!is_operation(events_[b])) continue;
      for (std::size_t a = b; a-- > 0 && events_[a].epoch == events_[b].epoch;) {
        if (auto pair = compare(events_[a], events_[b])) return pair;
      }
    }
    return std::nullopt;
  }

 private:
  static bool is_operation(const Event& event) { return event.kind == Meaning::run || event.kind == Meaning::transfer; }
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

  void record(const sim::Decoded& decoded, std::span<const std::int64_t> arguments) {
    if (decoded.meaning == Meaning::fence) return fence();
    Event event;
    event.kind = decoded.meaning;
    event.unit = decoded.unit;
    event.epoch = epoch_;
    event.known = fenced_.empty() ? std::vector<std::int64_t>(units_, 0) : fenced_;
    event.place = static_cast<std::int64_t>(queues_[at(decoded.unit)].size());
    if (is_operation(event)) {
      std::string error;
      event.operation.instruction = decoded.index;
      event.operation.mnemonic = decoded.mnemonic;
      if (!binder_.bind(decoded.mnemonic, decoded.unit, arguments, event.operation, error)) return;
    } else {
      event.semaphore = arguments[0];
      by_semaphore_[event.semaphore].push_back(events_.size());
    }
    queues_[at(decoded.unit)].push_back(events_.size());
    events_.push_back(std::move(event));
  }

  void fence() {
    ++epoch_;
    fenced_.clear();
    for (const auto& queue : queues_) fenced_.push_back(static_cast<std::int64_t>(queue.size()));
  }

  static bool join(std::vector<std::int64_t>& into, const std::vector<std::int64_t>& from) {
    bool grew = false;
    for (std::size_t u = 0; u < into.size(); ++u) {
      grew = grew || from[u] > into[u];
      into[u] = std::max(into[u], from[u]);
    }
    return grew;
  }

  /// One round; false where nothing new follows.
  bool learn() {
    bool grew = false;
    for (std::size_t e = 0; e < events_.size(); ++e) {
      Event& event = events_[e];
      if (event.place > 0) {
        const Event& before = events_[queues_[at(event.unit)][at(event.place - 1)]];
        grew = join(event.known, before.known) || grew;
      }
      if (event.kind == Meaning::wait) grew = learn_from_signals(event) || grew;
      if (architecture_.sync.kind == Sync::Kind::interlock) grew = learn_from_ranges(e) || grew;
    }
    return grew;
  }

  /// An interlocked operation begins when those of other units before it are done whose ranges on chip it conflicts
  /// with; a unit's operations end in order.
  bool learn_from_ranges(std::size_t e) {
    Event& event = events_[e];
    bool grew = false;
    for (std::size_t before = e; before-- > 0 && events_[before].epoch == event.epoch;) {
      const Event& other = events_[before];
      if (other.unit == event.unit || event.known[at(other.unit)] > other.place) continue;
      if (!meet_on_chip(event.operation, other.operation)) continue;
      event.known[at(other.unit)] = other.place + 1;
      join(event.known, other.known);
      grew = true;
    }
    return grew;
  }

  bool meet_on_chip(const sim::Operation& a, const sim::Operation& b) const {
    for (const sim::AccessShape& mine : a.shape->accesses) {
      if (architecture_.memories[at(mine.memory)].off_chip || mine.footprint.extent == 0) continue;
      for (const sim::AccessShape& other : b.shape->accesses) {
        if (other.memory != mine.memory || other.footprint.extent == 0 || (!mine.writes && !other.writes)) continue;
        if (a.low(mine) < b.high(other) && b.low(other) < a.high(mine)) return true;
      }
    }
    return false;
  }

  /// A fence sees every wait before it passed: what is left of the signals before it are tokens that all have seen.
  bool learn_from_signals(Event& wait) {
    std::int64_t waits = 0, tokens = 0;
    std::map<int, std::vector<const Event*>> signals;  // that may come before it, by unit
    for (const std::size_t e : by_semaphore_[wait.semaphore]) {
      const Event& event = events_[e];
      const bool signals_it = event.kind == Meaning::signal;
      if (event.epoch < wait.epoch) tokens += signals_it ? 1 : -1;
      if (event.epoch != wait.epoch) continue;
      if (!signals_it && event.unit == wait.unit && event.place <= wait.place) ++waits;
      const bool after = event.unit == wait.unit ? event.place > wait.place : event.known[at(wait.unit)] > wait.place;
      if (signals_it && !after) signals[event.unit].push_back(&event);
    }
    for (const auto& [unit, of_unit] : signals) tokens += static_cast<std::int64_t>(of_unit.size());
    bool grew = false;
    for (const auto& [unit, of_unit] : signals) {
      const std::int64_t others = tokens - static_cast<std::int64_t>(of_unit.size());
      for (std::int64_t j = 1; j <= static_cast<std::int64_t>(of_unit.size()) && others + j - 1 < waits; ++j) {
        const Event& signal = *of_unit[at(j - 1)];
        std::vector<std::int64_t> known = signal.known;
        known[at(signal.unit)] = std::max(known[at(signal.unit)], signal.place + 1);
        grew = join(wait.known, known) || grew;
      }
    }
    return grew;
  }

  bool ordered(const Event& a, const Event& b) const {
    return b.known[at(a.unit)] > a.place || a.known[at(b.unit)] > b.place;
  }

  std::optional<std::string> compare(const Event& a, const Event& b) const {
    if (!is_operation(a) || a.unit == b.unit || ordered(a, b)) return std::nullopt;
    for (const sim::AccessShape& mine : a.operation.shape->accesses) {
      const Memory& memory = architecture_.memories[at(mine.memory)];
      if (architecture_.sync.kind == Sync::Kind::interlock && !memory.off_chip) continue;
      for (const sim::AccessShape& other : b.operation.shape->accesses) {
        if (other.memory != mine.memory || (!mine.writes && !other.writes)) continue;
        const auto address = shared_byte(a.operation, mine, b.operation, other);
        if (address < 0) continue;
        return fmt::format("{} of {} and {} of {} both touch address {} of {}", describe(a), unit_name(a), describe(b),
                           unit_name(b), address, memory.name);
      }
    }
    return std::nullopt;
  }

  std::string describe(const Event& event) const {
    return hazards_.describe(event.operation.instruction, event.operation.mnemonic);
  }
  const std::string& unit_name(const Event& event) const { return architecture_.units[at(event.unit)].name; }

  /// -1: none.
  static std::int64_t shared_byte(const sim::Operation& a, const sim::AccessShape& mine, const sim::Operation& b,
                                  const sim::AccessShape& other) {
    if (mine.footprint.extent == 0 || other.footprint.extent == 0) return -1;
    if (a.low(mine) >= b.high(other) || b.low(other) >= a.high(mine)) return -1;
    std::vector<std::pair<std::int64_t, std::int64_t>> runs;
    sim::for_each_run(mine.footprint, a.base[at(mine.operand)],
                      [&](std::int64_t address, std::int64_t length) { runs.emplace_back(address, address + length); });
    std::ranges::sort(runs);
    std::int64_t greatest = 0;  // runs may overlap: none is longer than the pattern's one length
    for (const auto& [low, high] : runs) greatest = std::max(greatest, high - low);
    std::int64_t found = -1;
    sim::for_each_run(other.footprint, b.base[at(other.operand)], [&](std::int64_t address, std::int64_t length) {
      auto run = std::ranges::lower_bound(runs, std::pair(address - greatest, std::int64_t{0}));
      for (; found < 0 && run != runs.end() && run->first < address + length; ++run) {
        if (run->second > address) found = std::max(run->first, address);
      }
    });
    return found;
  }

  const Architecture& architecture_;
  sim::ProgramMap map_;
  sim::HazardLog hazards_;
  sim::Binder binder_;
  std::size_t units_;
  int epoch_ = 0;
  std::vector<std::int64_t> fenced_;
  std::vector<Event> events_;
  std::vector<std::vector<std::size_t>> queues_;  ///< by unit: its entries
  std::map<std::int64_t, std::vector<std::size_t>> by_semaphore_;
};

}  // namespace

std::optional<std::string> unordered_pair(const Architecture& architecture, const Program& program) {
  if (architecture.sync.kind == Sync::Kind::in_order) return std::nullopt;
  return Order(architecture, program).unordered_pair();
}

}  // namespace accord::test
