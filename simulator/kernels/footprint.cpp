#include "simulator/kernels/footprint.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "archdsl/isa/int128.h"

namespace accord::sim {

namespace {

constexpr Int128 limit = Int128{1} << 48;
constexpr std::int64_t most_sorted = std::int64_t{1} << 24;  ///< runs

/// The sum of floor((first + i * step) / word) over i < count; first and step are not negative.
std::int64_t sum_of_quotients(std::int64_t count, std::int64_t first, std::int64_t step, std::int64_t word) {
  std::int64_t sum = 0;
  while (count > 0) {
    sum += first / word * count + step / word * (count * (count - 1) / 2);
    first %= word;
    step %= word;
    const std::int64_t beyond = step * count + first;
    count = beyond / word;
    first = beyond % word;
    std::swap(step, word);
  }
  return sum;
}

/// Words of runs that begin at `address`, repeated over `dims`, innermost first.
std::int64_t words_from(std::int64_t run, std::int64_t address, std::int64_t word, std::span<const Stride> dims) {
  if (dims.empty()) return (address + run - 1) / word - address / word + 1;
  const auto [count, step] = dims.back();
  const auto inner = dims.first(dims.size() - 1);
  if (inner.empty()) {
    return sum_of_quotients(count, address + run - 1, step, word) - sum_of_quotients(count, address, step, word) +
           count;
  }
  if (step % word == 0) return count * words_from(run, address, word, inner);
  std::int64_t words = 0;
  for (std::int64_t i = 0; i < count; ++i) words += words_from(run, address + i * step, word, inner);
  return words;
}

/// Runs of `run` bytes from `first` on, repeated over `dims`, innermost first.
struct Runs {
  std::int64_t first, run;
  std::span<const Stride> dims;

  std::int64_t extent() const {
    std::int64_t bytes = run;
    for (const Stride& dim : dims) bytes += (dim.count - 1) * dim.step;
    return bytes;
  }
};

/// Whether all steps have a common divisor that keeps the runs of the one from those of the other.
bool pass_by(const Runs& a, const Runs& b) {
  std::int64_t common = 0;
  for (const Runs* runs : {&a, &b}) {
    for (const Stride& dim : runs->dims) common = std::gcd(common, dim.step);
  }
  if (common == 0) return false;
  const std::int64_t apart = ((b.first - a.first) % common + common) % common;
  return apart >= a.run && common - apart >= b.run;
}

/// Counts the words of runs by the stretch of bytes in which they lie. Steps grow outwards, so that few of a dim's
/// repetitions lie in more than one.
class WordsByStretch {
 public:
  /// `counts`: of the stretches from the one of byte `lowest` on.
  WordsByStretch(std::int64_t word, std::int64_t stretch, std::int64_t lowest, std::span<std::int64_t> counts)
      : word_(word), stretch_(stretch), first_(lowest / stretch), counts_(counts) {}

  void add(const Runs& runs) {
    const std::int64_t last = runs.first + runs.extent() - 1;
    if (of(last) == of(runs.first)) {
      count_at(runs.first) += words_from(runs.run, runs.first, word_, runs.dims);
    } else if (runs.dims.empty()) {
      for (std::int64_t at = runs.first; at <= last; at = end_of(at))
        count_at(at) += words_from(std::min(end_of(at), last + 1) - at, at, word_, {});
    } else {
      add_repetitions(runs);
    }
  }

 private:
  std::int64_t of(std::int64_t address) const { return address / stretch_; }
  std::int64_t end_of(std::int64_t address) const { return (of(address) + 1) * stretch_; }
  std::int64_t& count_at(std::int64_t address) { return counts_[static_cast<std::size_t>(of(address) - first_)]; }

  /// Of the outermost dim: as many at once as lie in one stretch.
  void add_repetitions(const Runs& runs) {
    const auto [count, step] = runs.dims.back();
    Runs part{runs.first, runs.run, runs.dims.first(runs.dims.size() - 1)};
    const std::int64_t extent = part.extent();
    for (std::int64_t i = 0; i < count;) {
      part.first = runs.first + i * step;
      const std::int64_t room = end_of(part.first) - part.first - extent;
      if (room < step || i + 1 == count) {
        add(part);
        ++i;
        continue;
      }
      std::vector<Stride> together(runs.dims.begin(), runs.dims.end());
      together.back().count = std::min(room / step + 1, count - i);
      add({part.first, runs.run, together});
      i += together.back().count;
    }
  }

  std::int64_t word_, stretch_, first_;
  std::span<std::int64_t> counts_;
};

std::int64_t count_of(const Runs& runs) {
  Int128 count = 1;
  for (const Stride& dim : runs.dims) count = std::min<Int128>(count * dim.count, limit);
  return static_cast<std::int64_t>(count);
}

/// Those of the outermost repetition's parts that may meet the other are looked at one by one, `budget` of them at
/// most: nullopt beyond.
std::optional<bool> meet(Runs a, Runs b, std::int64_t& budget) {
  std::int64_t extent = a.extent(), other = b.extent();
  if (a.first >= b.first + other || b.first >= a.first + extent || pass_by(a, b)) return false;
  if (a.dims.empty() && b.dims.empty()) return true;
  if (a.dims.empty() || (!b.dims.empty() && other > extent)) {
    std::swap(a, b);
    std::swap(extent, other);
  }
  const auto [count, step] = a.dims.back();
  const Runs part{a.first, a.run, a.dims.first(a.dims.size() - 1)};
  const std::int64_t reach = part.extent();
  const std::int64_t behind = b.first - a.first - reach, before = b.first + other - 1 - a.first;
  const std::int64_t from = behind < 0 ? 0 : behind / step + 1, to = std::min(count - 1, before / step);
  for (std::int64_t i = from; i <= to; ++i) {
    if (--budget < 0) return std::nullopt;
    const std::optional<bool> met = meet({a.first + i * step, part.run, part.dims}, b, budget);
    if (!met || *met) return met;
  }
  return false;
}

/// By all runs of the one.
bool meet_by_runs(const Footprint& a, std::int64_t base_a, const Footprint& b, std::int64_t base_b) {
  std::vector<std::int64_t> first;
  for_each_run(a, base_a, [&](std::int64_t address, std::int64_t) { first.push_back(address); });
  std::ranges::sort(first);
  bool met = false;
  for_each_run(b, base_b, [&](std::int64_t address, std::int64_t bytes) {
    const auto next = std::ranges::upper_bound(first, address - a.run);
    met = met || (next != first.end() && *next < address + bytes);
  });
  return met;
}

}  // namespace

bool meet(const Footprint& a, std::int64_t base_a, const Footprint& b, std::int64_t base_b) {
  if (a.extent == 0 || b.extent == 0) return false;
  const Runs all_a{base_a + a.offset, a.run, a.outer}, all_b{base_b + b.offset, b.run, b.outer};
  const std::int64_t runs_a = count_of(all_a), runs_b = count_of(all_b);
  // Strides that do not nest keep their parts in each other's ranges: from some point on sorting is quicker.
  std::int64_t budget =
      std::min(runs_a, runs_b) > most_sorted ? std::numeric_limits<std::int64_t>::max() : 8 * (runs_a + runs_b);
  if (const std::optional<bool> met = meet(all_a, all_b, budget)) return *met;
  return runs_a <= runs_b ? meet_by_runs(a, base_a, b, base_b) : meet_by_runs(b, base_b, a, base_a);
}

std::int64_t words_of(const Footprint& footprint, std::int64_t low, std::int64_t word) {
  return words_from(footprint.run, low % word, word, footprint.outer);
}

void count_words(const Footprint& footprint, std::int64_t low, std::int64_t word, std::int64_t stretch,
                 std::span<std::int64_t> counts) {
  std::vector<Stride> dims = footprint.outer;
  std::ranges::sort(dims, {}, &Stride::step);
  WordsByStretch(word, stretch, low, counts).add({low, footprint.run, dims});
}

std::optional<Footprint> make_footprint(std::int64_t element, std::int64_t offset, std::vector<Stride> dims) {
  Footprint result;
  Int128 low = offset, span = element;
  for (Stride& dim : dims) {
    if (dim.count <= 0) return result;
    const Int128 reach = Int128{dim.count - 1} * dim.step;
    if (reach < 0) low += reach;
    span += reach < 0 ? -reach : reach;
    if (span > limit || low < -limit || low > limit) return std::nullopt;
    dim.step = dim.step < 0 ? -dim.step : dim.step;
  }
  std::erase_if(dims, [](const Stride& dim) { return dim.count == 1 || dim.step == 0; });
  merge_windows(dims);
  result.offset = static_cast<std::int64_t>(low);
  result.extent = static_cast<std::int64_t>(span);
  result.run = element;
  for (const Stride& dim : dims) {
    if (result.outer.empty() && dim.step <= result.run) {
      result.run += (dim.count - 1) * dim.step;
    } else {
      result.outer.push_back(dim);
    }
  }
  Int128 bytes = result.run;
  for (const Stride& dim : result.outer) bytes = std::min<Int128>(bytes * dim.count, limit);
  result.bytes = static_cast<std::int64_t>(bytes);
  return result;
}

}  // namespace accord::sim
