#include "simulator/cycle/word_streams.h"

#include <map>
#include <tuple>

#include "simulator/modules/clock.h"

namespace accord::sim::cycle {

std::vector<WordStream> word_streams(const Operation& operation, const Ports& ports, bool on_chip_only) {
  struct Word {
    double position;  ///< within its access, 0 to 1
    std::int64_t address;
  };
  std::map<std::tuple<bool, int, std::size_t>, std::vector<Word>> banks;
  for (const AccessShape& access : operation.shape->accesses) {
    const MemoryPorts& memory = *ports[static_cast<std::size_t>(access.memory)];
    if (on_chip_only && memory.off_chip()) continue;
    std::map<std::size_t, std::vector<std::int64_t>> own;
    const std::int64_t base = operation.base_of(access);
    for_each_run(access.footprint, base, [&](std::int64_t address, std::int64_t bytes) {
      for_each_word(memory.word(), address, bytes,
                    [&](std::int64_t at, std::int64_t) { own[memory.bank(at)].push_back(at); });
    });
    for (const bool write : {false, true}) {
      if (!(write ? access.writes : access.reads)) continue;
      for (const auto& [bank, addresses] : own) {
        auto& words = banks[{write, access.memory, bank}];
        for (std::size_t i = 0; i < addresses.size(); ++i)
          words.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(addresses.size()), addresses[i]});
      }
    }
  }
  std::vector<WordStream> streams;
  for (auto& [key, words] : banks) {
    std::ranges::stable_sort(words, {}, &Word::position);
    auto& stream = streams.emplace_back();
    stream.write = std::get<0>(key);
    stream.memory = ports[static_cast<std::size_t>(std::get<1>(key))].get();
    for (const Word& word : words) stream.addresses.push_back(word.address);
  }
  return streams;
}

namespace {

struct Sweep {
  Schedule& schedule;
  WordStream stream;
  std::function<void(Cycle end)> over;
  std::size_t next = 0;
  Cycle end = 0;
};

void present(const std::shared_ptr<Sweep>& sweep) {
  const Cycle at = now();
  while (sweep->next < sweep->stream.addresses.size()) {
    const std::int64_t address = sweep->stream.addresses[sweep->next++];
    const Timeline::Slot slot = sweep->stream.memory->access(sweep->stream.write, address, at);
    sweep->end = std::max(sweep->end, slot.end);
    if (slot.first > at) return sweep->schedule.at(slot.first, [sweep] { present(sweep); });  // enough for this cycle
  }
  sweep->over(sweep->end);
}

}  // namespace

void sweep(Schedule& schedule, WordStream stream, std::function<void(Cycle end)> over) {
  present(std::make_shared<Sweep>(Sweep{schedule, std::move(stream), std::move(over)}));
}

}  // namespace accord::sim::cycle
