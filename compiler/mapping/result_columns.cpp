#include "compiler/mapping/result_columns.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/mapping/plan.h"

namespace accord {
namespace {

constexpr std::size_t channels = 1, columns = 3;  ///< indices of images

/// What the rewriting looks at in `y[n, k, p, q] += x[.., .., .., s*q + t + offset] * w[..]`.
struct Convolution {
  int x = -1, y = -1;  ///< operands: the image, and what the last statement writes
  int q = -1;          ///< iterator
  std::int64_t stride = 1;
};

std::int64_t coefficient(const AffineIndex& index, int iterator) {
  const auto term = std::ranges::find(index.terms, iterator, [](const auto& entry) { return entry.first; });
  return term == index.terms.end() ? 0 : term->second;
}

/// Whether the access is of rank 4, and its columns are q and nothing else.
bool has_columns(const Access& access, int q) {
  if (access.indices.size() != 4) return false;
  const AffineIndex& index = access.indices[columns];
  const bool alone = index.terms.size() == 1 && coefficient(index, q) == 1 && index.offset == 0;
  return alone && std::ranges::count_if(access.indices, [&](const auto& i) { return coefficient(i, q) != 0; }) == 1;
}

/// Image, iterator and stride, by the statement that adds products.
std::optional<Convolution> main_statement(const Work& work) {
  for (const Statement& statement : work.program.statements) {
    const auto& result = statement.target.indices;
    if (statement.reduction != Reduction::add || statement.accesses.size() != 2 || looks_up(statement)) continue;
    if (result.size() != 4 || result[columns].terms.size() != 1) continue;
    const int q = result[columns].terms[0].first;
    for (const Access& access : statement.accesses) {
      const WorkOperand& operand = work.operands[access.operand];
      if (operand.constant || operand.tensor == no_tensor || access.indices.size() != 4) continue;
      const std::int64_t stride = coefficient(access.indices[columns], q);
      if (stride > 0) return Convolution{access.operand, work.program.statements.back().target.operand, q, stride};
    }
  }
  return {};
}

/// Whether the access is to the image, lacks q, or has it as columns of what the work itself writes.
bool follows(const Work& work, const Access& access, const Convolution& conv) {
  if (access.operand == conv.x || !depends(access, conv.q)) return true;
  const auto writes = [&](const Statement& statement) { return statement.target.operand == access.operand; };
  return std::ranges::any_of(work.program.statements, writes) && has_columns(access, conv.q);
}

std::optional<Convolution> convolution_of(const Work& work) {
  const auto conv = main_statement(work);
  if (!conv || conv->x == conv->y || work.operands[conv->y].tensor == no_tensor) return {};
  std::ptrdiff_t reads = 0;
  for (const Statement& statement : work.program.statements) {
    if (looks_up(statement) || !follows(work, statement.target, *conv)) return {};
    for (const Access& access : statement.accesses) {
      if (!follows(work, access, *conv)) return {};
      reads += access.operand == conv->x ? 1 : 0;
    }
  }
  return reads == 1 ? conv : std::nullopt;
}

class Splitter {
 public:
  Splitter(const Work& work, const Convolution& conv, std::int64_t m) : work_(work), conv_(conv), m_(m) {
    work_.program.iterators[conv.q].extent /= m;
    if (m > 1) phase_ = add_iterator(work_.program, "e", m);
  }

  Work run() {
    std::set<int> split;
    for (Statement& statement : work_.program.statements) {
      rewrite(statement.target, split);
      for (Access& access : statement.accesses) rewrite(access, split);
    }
    for (const int operand : split) {
      WorkOperand& own = work_.operands[operand];
      own.tensor = no_tensor;
      own.shape[channels] *= m_;
      own.shape[columns] /= m_;
    }
    return std::move(work_);
  }

 private:
  /// q becomes m*j + e in the image; j elsewhere, and e one of m channels.
  void rewrite(Access& access, std::set<int>& split) const {
    if (!depends(access, conv_.q) || phase_ < 0) return;
    const bool last = work_.program.iterators[conv_.q].extent == 1;  // iterators of one occur nowhere
    auto& terms = access.indices[columns].terms;
    const auto q = std::ranges::find(terms, conv_.q, [](const auto& entry) { return entry.first; });
    if (access.operand == conv_.x) {
      const std::int64_t stride = q->second;
      q->second *= m_;
      if (last) terms.erase(q);
      terms.emplace_back(phase_, stride);
      return;
    }
    if (last) terms.erase(q);
    for (auto& term : access.indices[channels].terms) term.second *= m_;
    access.indices[channels].terms.emplace_back(phase_, 1);
    split.insert(access.operand);
  }

  Work work_;
  const Convolution conv_;
  std::int64_t m_;
  int phase_ = -1;  ///< e
};

/// Steps of the operands of this type that are wired, longer than an element.
std::set<std::int64_t> long_steps(const Architecture& architecture, ElementType type) {
  std::set<std::int64_t> found;
  for (const Unit& unit : architecture.units) {
    for (const Capability& capability : unit.capabilities) {
      for (std::size_t o = 0; o < capability.operands.size(); ++o) {
        if (capability.program.operands[o].type != type) continue;
        for (const Step& step : capability.operands[o].steps) {
          if (step.kind == Step::Kind::fixed && step.bytes > bytes(type)) found.insert(step.bytes);
        }
      }
    }
  }
  return found;
}

}  // namespace

std::vector<std::int64_t> columns_apart(const Architecture& architecture, const Work& work) {
  const auto conv = convolution_of(work);
  if (!conv) return {};
  const ElementType type = work.program.operands[conv->x].type;
  std::vector<std::int64_t> found;
  for (const std::int64_t step : long_steps(architecture, type)) {
    const std::int64_t one = conv->stride * bytes(type);
    if (step % one == 0 && work.program.iterators[conv->q].extent % (step / one) == 0) found.push_back(step / one);
  }
  return found;
}

std::optional<ColumnWork> split_columns(const Network& network, const Work& work, std::int64_t m) {
  const auto conv = convolution_of(work);
  if (!conv || m < 1 || work.program.iterators[conv->q].extent % m != 0) return {};
  ColumnWork made;
  made.columns = m;
  made.x = conv->x;
  made.y = conv->y;
  made.work = Splitter(work, *conv, m).run();
  made.result = network.tensor(work.operands[conv->y].tensor);
  made.result.name += "/columns";
  made.result.shape = made.work.operands[conv->y].shape;
  return made;
}

}  // namespace accord
