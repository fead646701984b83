#include "compiler/lowering/share_transfers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "archdsl/source/error.h"
#include "compiler/lowering/instructions.h"

namespace accord {
namespace {

static_assert(std::tuple_size_v<decltype(LowOp::accesses)> > Multicasts::most_ways);  // and where it comes from

/// Whether two lists go the same steps, each on its own element and with values of its own.
bool alike(const OpList& a, const OpList& b) {
  return a.loops.empty() && b.loops.empty() &&
         std::ranges::equal(a.ops, b.ops, [](const LowOp& one, const LowOp& other) {
           return one.mnemonic == other.mnemonic && one.count == other.count && one.access_count == other.access_count;
         });
}

/// Weaves lists, in turns: each does its next operation, or waits for others with one that it cannot do alone.
class Weaver {
 public:
  Weaver(const Machine& machine, const std::vector<OpList>& lists)
      : machine_(machine), lists_(lists), next_(lists.size(), 0), buffers_(lists.size()) {
    for (std::size_t l = 0; l < lists.size(); ++l) {
      for (const Buffer& buffer : lists[l].buffers) add_buffer(l, buffer);
      woven_.cuts = woven_.cuts || lists[l].cuts;
    }
  }

  OpList run() {
    for (;;) {
      std::vector<std::size_t> turn, waiting;
      for (std::size_t l = 0; l < lists_.size(); ++l) {
        if (next_[l] == lists_[l].ops.size()) continue;
        (joint(l, next_op(l)) ? waiting : turn).push_back(l);
      }
      if (turn.empty() && waiting.empty()) return std::move(woven_);
      if (!do_turn(turn.empty() ? waiting : turn))
        throw Error("elements want other bytes of a transfer that reaches all");
    }
  }

 private:
  using Place = std::tuple<int, std::int64_t, std::int64_t>;

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

  /// Whether it is a transfer into a buffer.
  bool is_load(const LowOp& op) const {
    return machine_.architecture.isa.mnemonics[op.mnemonic].meaning == Meaning::transfer &&
           std::ranges::any_of(op.buffers(), [](const BufferAccess& access) { return access.write != 0; });
  }

  Hop hop_of(const LowOp& op) const { return {op.unit, machine_.architecture.isa.mnemonics[op.mnemonic].route}; }

  /// The buffer that a load fills.
  const BufferAccess& filled(const LowOp& op) const {
    return *std::ranges::find_if(op.buffers(), [](const BufferAccess& access) { return access.write != 0; });
  }

  /// Whether the load brings something to several lists whichever makes it.
  bool joint(std::size_t list, const LowOp& op) const {
    if (!is_load(op)) return false;
    return is_multicast(machine_.architecture, hop_of(op)) || users_[buffers_[list][filled(op).buffer]] > 1;
  }

  bool same_source(std::size_t a, std::size_t b) const {
    const LowOp &one = next_op(a), &other = next_op(b);
    const auto values = lists_[a].values.begin() + one.first;
    return is_load(other) && one.image == other.image && one.count == other.count &&
           std::equal(values, values + one.count, lists_[b].values.begin() + other.first);
  }

  LowOp& take_next(std::size_t list) { return take(woven_, lists_[list], next_[list]++, buffers_[list]); }

  /// The lists' next operations, of loads those with equal values together. False: none could be done.
  bool do_turn(const std::vector<std::size_t>& turn) {
    std::vector<bool> done(lists_.size(), false);
    bool any = false;
    for (std::size_t t = 0; t < turn.size(); ++t) {
      if (done[turn[t]]) continue;
      if (!is_load(next_op(turn[t]))) {
        take_next(turn[t]);
        any = true;
        continue;
      }
      std::vector<std::size_t> readers;
      for (std::size_t o = t; o < turn.size(); ++o) {
        if (!done[turn[o]] && same_source(turn[t], turn[o])) readers.push_back(turn[o]);
      }
      for (const std::size_t reader : readers) done[reader] = true;
      any |= load(readers);
    }
    return any;
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
  std::vector<std::size_t> next_;          ///< by list: its next operation
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

std::vector<OpList> share_transfers(const Machine& machine, std::vector<OpList> lists, bool together) {
  if (together) return {Weaver(machine, lists).run()};
  if (machine.multicasts.empty()) return lists;
  std::vector<OpList> result;
  while (!lists.empty()) {
    const auto others = std::stable_partition(lists.begin() + 1, lists.end(),
                                              [&](const OpList& list) { return alike(lists.front(), list); });
    std::vector<OpList> group(std::make_move_iterator(lists.begin()), std::make_move_iterator(others));
    lists.erase(lists.begin(), others);
    result.push_back(group.size() == 1 ? std::move(group.front()) : Weaver(machine, group).run());
  }
  return result;
}

}  // namespace accord
