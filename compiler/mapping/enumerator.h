#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/mapping/candidates.h"
#include "compiler/mapping/longer_ways.h"

namespace accord {

/// Statements of the work in roles: an optional start, the main one, element-wise ones after it.
struct Roles {
  int start = -1;
  int main = 0;
  std::vector<int> after;
};

/// Iterators that may count dim `d`: they occur in exactly those operands in which the dim does. A constant may be
/// repeated along a dim that its access knows nothing of.
bool may_count(const Work& work, const Capability& capability, const Match& match, int d, int iterator);

/// Steps of a mapping, one bit each, the last for all further ones: those that together keep it from being an
/// assignment.
using Blame = std::uint64_t;
constexpr Blame nobody = 0;  ///< it is one
constexpr Blame everybody = ~nobody;
inline Blame blamed(std::size_t step) { return Blame{1} << std::min<std::size_t>(step, 63); }

/// Enumerates the assignments of one piece of work. The parts: candidates.cpp (assignments of the main statement),
/// complete.cpp (the other statements, extents), follow.cpp (element-wise statements after the main one), uses.cpp
/// (operands and their ways), carry.cpp (what transfers alone do).
class Enumerator {
 public:
  Enumerator(const Machine& machine, const Network& network, const Work& work, const Homes& homes,
             std::vector<std::string>& reasons)
      : machine_(machine), network_(network), work_(work), homes_(homes), reasons_(reasons) {}

  /// Assignments of a form: those whose dims count its lanes, all of a block at a time.
  Enumerator(const Machine& machine, const Network& network, std::shared_ptr<const WorkForm> form, const Homes& homes,
             std::vector<std::string>& reasons)
      : machine_(machine), network_(network), work_(form->work), homes_(homes), reasons_(reasons), form_(form) {}

  std::vector<Mapping> run();

 private:
  std::vector<std::string> texts_of(const std::vector<Rejection>& rejections) const;
  void visit_alike(const std::vector<Match>& matches);
  std::vector<int> openings_of(const Match& match) const;
  void visit_main(const Match& match);
  void visit_carriers();
  void carry(const Match& match);
  bool moves_runs(const Access& source, const Access& target) const;
  const Blocks* lanes_of(int iterator) const;
  bool has_room(const Match& match, int d, const Blocks& blocks) const;
  bool suits_form(const Match& match) const;
  bool dim_counts(const Match& match, int d, int iterator) const;
  bool keeps_blocks(const Mapping& mapping) const;
  void assign(const Match& match, std::size_t iterator, std::vector<std::vector<int>>& chains);
  void complete(const Match& match, std::vector<std::vector<int>> chains);
  Blame complete_after(const Mapping& mapping, std::size_t next);
  Blame add_padded(const Mapping& mapping);
  bool counts(Mapping& mapping, const std::vector<std::int64_t>& multiples);
  Blame extend(Mapping& mapping, const std::vector<std::int64_t>& multiples);
  std::vector<std::int64_t> whole_runs(const Mapping& mapping) const;
  void add(Mapping mapping);
  void add_with_ways(const Mapping& mapping);
  struct Matches;
  const Matches& matches_of(int statement);
  std::vector<StatementPlan> element_wise(const Mapping& mapping, int statement);
  std::vector<std::size_t> nearest(const Mapping& mapping, const Matches& matches) const;
  bool reaches_accumulator(const Mapping& mapping, const Match& match) const;
  bool keeps_layout(const Mapping& mapping, const StatementPlan& plan) const;
  Blame add_uses(Mapping& mapping);
  bool add_use(Mapping& mapping, int step, int operand);
  void repeat_along_dims(const StatementPlan& plan, int operand, Access& access) const;
  void repeat_along_lanes(const StatementPlan& plan, Use& use) const;
  Use start_use(const StatementPlan& main) const;
  bool wants_start(const Mapping& mapping) const;
  bool sets_number(const Match& match) const;
  Blame add_begun(const Mapping& mapping);
  std::vector<StatementPlan> beginning_steps(const Mapping& mapping, bool comes);
  void no_beginning(const Use& use);
  bool add_start(Mapping& mapping);
  bool add_carried(Mapping& mapping);
  std::vector<int> homes_of(const Use& use) const;
  bool lies_as_read(const Use& use) const;
  bool find_way(Use& use) const;
  std::string no_way(const Use& use) const;
  std::string name_of(const StatementPlan& step) const;
  std::string sums_apart(const Mapping& mapping, const Use& before, const Use& after) const;
  std::string sums_off_chip(const Mapping& mapping, const Use& use) const;
  int accumulator_depth(int memory) const;
  bool may_count_all(const Match& match, int d, const std::vector<int>& chain) const;
  bool same_wires(const Mapping& mapping, const Match& match, int d, int main_dim) const;
  std::vector<std::vector<int>> follow(const Mapping& mapping, const Match& match) const;
  bool fill(const Mapping& mapping, const Match& match, bool must, std::vector<std::vector<int>>& chains) const;
  bool pad_extents(Mapping& mapping, const std::vector<std::int64_t>& multiples);
  bool pad_once(Mapping& mapping);
  bool padding_adds_nothing(const Mapping& mapping);
  std::string takes_several(const Match& match) const;
  bool reduces_in_one(const Mapping& mapping);
  void reason(const std::string& text) { seen_.insert(text); }
  const Statement& statement(int index) const { return work_.program.statements[index]; }

  /// The capabilities that do a statement, and why others do not.
  struct Matches {
    std::vector<Match> found;
    std::vector<Rejection> rejections;
    std::vector<std::vector<std::size_t>> alike;  ///< those found, one list for all units that are alike; ascending
  };

  const Machine& machine_;
  const Network& network_;
  const Work& work_;
  const Homes& homes_;
  std::vector<std::string>& reasons_;
  LongerWays longer_ways_{machine_};
  std::map<int, Matches> matches_;        ///< by statement: the same for all assignments
  std::shared_ptr<const WorkForm> form_;  ///< that `work_` is; null: the layer's own work
  Roles roles_;
  std::set<std::string> seen_;
  std::vector<Mapping> found_;
  std::size_t found_before_ = 0;  ///< by other capabilities
  bool cut_ = false;              ///< this one has too many
  std::string takes_several_;     ///< why it does not do the work, should it take several instructions for a sum
  std::vector<int> openings_;     ///< with which its unit begins sums as the work does (StatementPlan::opening)
};

}  // namespace accord
