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
  Writer(Network& network, const Computes& computes) : network_(network), computes_(computes) {}

  void run() {
    std::vector<Operator> operators = std::move(network_.operators);
    for (Operator& op : operators) emit(std::move(op), 0);
    network_.operators = std::move(written_);
  }

 private:
  void emit(Operator op, int depth) {
    const Equivalent equivalent = equivalents(op.type).empty() ? nullptr : needed(extract(network_, op), depth);
    if (equivalent == nullptr) return written_.push_back(std::move(op));
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
  std::vector<Operator> written_;
};

}  // namespace

void write_out(Network& network, const Computes& computes) { Writer(network, computes).run(); }

}  // namespace accord::numerics
