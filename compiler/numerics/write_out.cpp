#include "compiler/numerics/write_out.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/network/extract.h"
#include "compiler/numerics/equivalents.h"

namespace accord::numerics {
namespace {

class Writer {
 public:
  /// `results`: of the operators that may become others; null: of all.
  Writer(Network& network, const Computes& computes, const std::set<TensorId>* results)
      : network_(network), computes_(computes), results_(results) {}

  std::set<TensorId> run() {
    std::vector<Operator> operators = std::move(network_.operators);
    for (Operator& op : operators) {
      const bool may = results_ == nullptr || results_->contains(op.outputs.front());
      may ? emit(std::move(op), 0) : written_.push_back(std::move(op));
    }
    network_.operators = std::move(written_);
    return std::move(made_);
  }

 private:
  void emit(Operator op, int depth) {
    const Equivalent equivalent = equivalents(op.type).empty() ? nullptr : needed(extract(network_, op), depth);
    if (equivalent == nullptr) {
      if (depth > 0) made_.insert(op.outputs.begin(), op.outputs.end());
      return written_.push_back(std::move(op));
    }
    std::vector<Operator> steps;
    equivalent(network_, op, steps);
    for (Operator& step : steps) emit(std::move(step), depth + 1);
  }

  /// What the operator has to become; none: it stays.
  Equivalent needed(const Network& network, int depth) const {
    const Operator& op = network.operators.front();
    const auto& ways = equivalents(op.type);
    if (ways.empty() || depth == deepest || computes_(network)) return nullptr;
    const auto found = std::ranges::find_if(ways, [&](Equivalent way) { return reaches(network, way, depth); });
    return found == ways.end() ? nullptr : *found;
  }

  /// Whether the machine does all that the operator becomes.
  bool reaches(Network network, Equivalent way, int depth) const {
    std::vector<Operator> steps;
    if (!way(network, network.operators.front(), steps)) return false;
    return std::ranges::all_of(steps, [&](const Operator& step) {
      const Network one = extract(network, step);
      return computes_(one) || needed(one, depth + 1) != nullptr;
    });
  }

  static constexpr int deepest = 3;  ///< Softsign, Div, Reciprocal: some are ways to compute each other

  Network& network_;
  const Computes& computes_;
  const std::set<TensorId>* results_;
  std::vector<Operator> written_;
  std::set<TensorId> made_;
};

}  // namespace

std::set<TensorId> write_out(Network& network, const Computes& computes) {
  return Writer(network, computes, nullptr).run();
}

std::set<TensorId> write_out(Network& network, const Computes& computes, const std::set<TensorId>& results) {
  return Writer(network, computes, &results).run();
}

}  // namespace accord::numerics
