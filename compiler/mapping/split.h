#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/mapping/searcher.h"

namespace accord {

/// The parts of a mapping whose work is divided, each a mapping of its own on its own element: extents, tiles and where
/// its accesses begin are the part's. One part, the mapping itself, where nothing is divided.
std::vector<Mapping> parts_of(const Machine& machine, const Mapping& mapping);

/// The machine as one of several parts sees it while all of them run: what they share (links, ports, units) serves each
/// with its share. Ids are the machine's; links may follow.
class SharedMachine {
 public:
  SharedMachine(const Machine& whole, const std::vector<const Site*>& parts);
  const Machine& machine() const { return machine_; }

 private:
  Architecture architecture_;
  Machine machine_;
};

/// Shared machines, made on first need: those of parts with the same units, and as many, are the same.
class SharedMachines {
 public:
  explicit SharedMachines(const Machine& machine) : whole_(machine) {}
  const Machine& whole() const { return whole_; }
  /// As one part of the mapping's work sees it; whole where that is not divided.
  const Machine& of(const Mapping& mapping);

  /// By level, how typical parts of the mapping's work hold and get a use's tiles.
  const std::vector<SharedTiles>& reading(const Mapping& mapping, std::size_t use);

 private:
  /// Where parts run, and what tells from their loops which of them read the same.
  using Readers = std::pair<const std::vector<Site>*, std::vector<std::int64_t>>;

  const Machine& whole_;
  std::map<Readers, std::vector<SharedTiles>> readings_;
  std::map<std::vector<int>, std::unique_ptr<SharedMachine>> made_;
};

/// What dividing a mapping's work gives, quickest first; of one division several.
struct Divided {
  std::vector<Mapping> over_all;    ///< of all divisions those with the least bounds
  std::vector<Mapping> beyond;      ///< of more, since what these take is far from their bounds
  std::vector<Mapping> over_fewer;  ///< both of divisions over half of the elements at most, a quarter, and so on
  /// Predicted cycles of the quickest over all, quicker than the mapping or not.
  double least = std::numeric_limits<double>::infinity();
};

/// Divides a mapping's work over elements that are alike: divisions of its output loops, those with the least bound
/// first, are searched for tiles by `searcher`. Those predicted to be quicker than the undivided one. Bounds do not see
/// what parts wait for: that more elements are not slower than fewer takes a look at `fewer`. `known`: cycles of other
/// mappings' divisions, beyond which tiles need not be searched.
Divided divide(const SearchProblem& problem, const Searcher& searcher, SharedMachines& shared, const Mapping& undivided,
               bool fewer, double known = std::numeric_limits<double>::infinity());

/// Tilings near a divided mapping's, of the same division, as `near_tilings` (search.h) has them.
std::vector<Mapping> near_divided(const SearchProblem& problem, SharedMachines& shared, const Mapping& divided,
                                  std::size_t count);

}  // namespace accord
