#include "compiler/mapping/unused_operands.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace accord {
namespace {

class Tidier {
 public:
  explicit Tidier(Work& work) : work_(work), place_(work.operands.size(), -1), counted_(iterators().size(), false) {}

  void run() {
    for_each([&](Access& access) {
      place_[access.operand] = 0;
      for (const auto& index : access.indices) {
        for (const auto& term : index.terms) counted_[term.first] = true;
      }
    });
    for (std::size_t it = 0; it < counted_.size(); ++it) {
      if (!counted_[it]) iterators()[it].extent = 1;
    }
    keep_operands();
    for_each([&](Access& access) { access.operand = place_[access.operand]; });
  }

 private:
  std::vector<Iterator>& iterators() { return work_.program.iterators; }

  template <typename Visit>
  void for_each(Visit visit) {
    for (auto& statement : work_.program.statements) {
      visit(statement.target);
      for (auto& access : statement.accesses) visit(access);
    }
  }

  void keep_operands() {
    const auto operands = std::exchange(work_.operands, {});
    const auto named = std::exchange(work_.program.operands, {});
    for (std::size_t o = 0; o < operands.size(); ++o) {
      if (place_[o] < 0) continue;
      place_[o] = static_cast<int>(work_.operands.size());
      work_.operands.push_back(operands[o]);
      work_.program.operands.push_back(named[o]);
    }
  }

  Work& work_;
  std::vector<int> place_;  ///< of the operands, among those kept; -1: left out
  std::vector<bool> counted_;
};

}  // namespace

void drop_unused(Work& work) { Tidier(work).run(); }

}  // namespace accord
