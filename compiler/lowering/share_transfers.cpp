#include "compiler/lowering/share_transfers.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <set>
#include <tuple>

#include "archdsl/source/error.h"
#include "compiler/lowering/equal_loads.h"
#include "compiler/lowering/instructions.h"

namespace accord {
namespace {

static_assert(std::tuple_size_v<decltype(LowOp::accesses)> > Multicasts::most_ways);  // and where it comes from

/// Whether it is a transfer into a buffer.
bool is_load(const Machine& machine, const LowOp& op) {
  return machine.architecture.isa.mnemonics[op.mnemonic].meaning == Meaning::transfer &&
         std::ranges::any_of(op.buffers(), [](const BufferAccess& access) { return access.write != 0; });
}

/// Weaves lists, in turns: each does its next operation, or waits with a load for the others that want it.
class Weaver {
 public:
  Weaver(const Machine& machine, const std::vector<OpList>& lists)
      : machine_(machine),
        lists_(lists),
        next_(lists.size(), 0),
        equal_(lists, [&](const LowOp& op) { return is_load(machine, op); }),
        buffers_(lists.size()) {
    for (std::size_t l = 0; l < lists.size(); ++l) {
      assert(lists[l].loops.empty());
      for (const Buffer& buffer : lists[l].buffers) add_buffer(l, buffer);
      woven_.cuts = woven_.cuts || lists[l].cuts;
    }
  }

  OpList run() {
    for (;;) {
      bool alone = false;
      Waiting waiting;
      for (std::size_t l = 0; l < lists_.size(); ++l) {
        if (next_[l] == lists_[l].ops.size()) continue;
        const int load = equal_.of(l, next_[l]);
        if (load >= 0) {
          waiting[load].push_back(l);
        } else {
          take_next(l);
          alone = true;
        }
      }
      if (alone) continue;
      if (waiting.empty()) return std::move(woven_);
      if (!load_all(waiting) && !load_some(waiting))
        throw Error("elements want other bytes of a transfer that reaches all");
    }
  }

 private:
  using Place = std::tuple<int, std::int64_t, std::int64_t>;
  using Waiting = std::map<int, std::vector<std::size_t>>;  ///< lists, by the load that they want

  /// Buffers of several lists in one place are one.
  void add_buffer(std::size_t list, const Buffer& buffer) {
    const auto fresh = static_cast<int>(woven_.buffers.size());
    const auto [at, added] = places_.try_emplace(Place{buffer.memory, buffer.base, buffer.bytes}, fresh);
    if (added) {
      woven_.buffers.push_back(buffer);
      users_.push_back(0);
    }
    buffers_[list].push_back(at->second);
    ++users_[at->second];
    taken_.insert(buffer.memory);
  }

  const LowOp& next_op(std::size_t list) const { return lists_[list].ops[next_[list]]; }

  Hop hop_of(const LowOp& op) const { return {op.unit, machine_.architecture.isa.mnemonics[op.mnemonic].route}; }

  /// The buffer that a load fills.
  const BufferAccess& filled(const LowOp& op) const {
    return *std::ranges::find_if(op.buffers(), [](const BufferAccess& access) { return access.write != 0; });
  }

  LowOp& take_next(std::size_t list) { return take(woven_, lists_[list], next_[list]++, buffers_[list]); }

  /// What all are there for that want it. False: nothing.
  bool load_all(const Waiting& waiting) {
    bool any = false;
    for (const auto& [wanted, readers] : waiting) {
      if (readers.size() == equal_.wanting(wanted)) any |= load(readers);
    }
    return any;
  }

  /// Each waits for one that wants something else first: one load for those that are there, of the list that is
  /// furthest behind. False: all are multicasts that would reach others.
  bool load_some(const Waiting& waiting) {
    std::vector<const std::vector<std::size_t>*> groups;
    for (const auto& [wanted, readers] : waiting) groups.push_back(&readers);
    const auto done = [&](const std::vector<std::size_t>* readers) {
      const std::size_t list = readers->front();
      return static_cast<double>(next_[list]) / static_cast<double>(lists_[list].ops.size());
    };
    std::ranges::stable_sort(groups, {}, done);
    return std::ranges::any_of(groups, [&](const auto* readers) { return load(*readers); });
  }

  /// By the fewest transfers what the lists load next, the same. False: some that share a place are not there yet, or a
  /// multicast would reach others.
  bool load(const std::vector<std::size_t>& readers) {
    std::map<int, int> there;  // by buffer
    std::vector<Way> ways;
    for (const std::size_t reader : readers) {
      const LowOp& op = next_op(reader);
      const std::uint32_t buffer = filled(op).buffer;
      ++there[buffers_[reader][buffer]];
      ways.push_back({hop_of(op), lists_[reader].buffers[buffer].memory});
    }
    if (std::ranges::any_of(there, [&](const auto& of) { return of.second < users_[of.first]; })) return false;
    const auto groups = machine_.multicasts.cover(ways, taken_);
    if (!groups) return false;
    for (const std::size_t reader : readers) equal_.got(equal_.of(reader, next_[reader]));
    for (const auto& group : *groups) transfer(group, readers);
    return true;
  }

  /// The first user's transfer, for all of them: to all their buffers, in the time that the way takes which serves all.
  void transfer(const Multicasts::Group& group, const std::vector<std::size_t>& readers) {
    LowOp& op = take_next(readers[group.users.front()]);
    const Hop alone = hop_of(op);
    for (std::size_t u = 1; u < group.users.size(); ++u) add_accesses(op, readers[group.users[u]]);
    if (group.hop != alone) bring_by(machine_, woven_, group.hop, op);
  }

  /// What the reader's own transfer would touch.
  void add_accesses(LowOp& op, std::size_t reader) {
    for (BufferAccess access : lists_[reader].ops[next_[reader]++].buffers()) {
      access.buffer = static_cast<std::uint32_t>(buffers_[reader][access.buffer]);
      const bool known = std::ranges::any_of(op.buffers(), [&](const BufferAccess& other) {
        return other.buffer == access.buffer && other.write == access.write;
      });
      if (known) continue;
      if (op.access_count == op.accesses.size()) throw Error("a transfer touches too many tiles");
      op.accesses[op.access_count++] = access;
    }
  }

  const Machine& machine_;
  const std::vector<OpList>& lists_;
  std::vector<std::size_t> next_;  ///< by list: its next operation
  EqualLoads equal_;
  std::map<Place, int> places_;            ///< of the woven list's buffers
  std::vector<std::vector<int>> buffers_;  ///< by list: its buffers in the woven list
  std::vector<int> users_;                 ///< by buffer: lists that have it
  std::set<int> taken_;                    ///< memories with buffers
  OpList woven_;
};

}  // namespace

LowOp& take(OpList& to, const OpList& from, std::size_t at, const std::vector<int>& buffers) {
  LowOp op = from.ops[at];
  const auto values = from.values.begin() + op.first;
  op.first = static_cast<std::uint32_t>(to.values.size());
  to.values.insert(to.values.end(), values, values + op.count);
  for (BufferAccess& access : op.buffers()) access.buffer = static_cast<std::uint32_t>(buffers[access.buffer]);
  return to.ops.emplace_back(op);
}

bool needs_others(const Mapping& part) {
  return std::ranges::any_of(part.uses, [](const Use& use) {
    return std::ranges::any_of(use.shared, [](const SharedTiles& tiles) { return tiles.joint; });
  });
}

OpList share_transfers(const Machine& machine, const std::vector<OpList>& lists) {
  return Weaver(machine, lists).run();
}

}  // namespace accord
