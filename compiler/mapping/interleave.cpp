#include "compiler/mapping/interleave.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "archdsl/tensor/rounding.h"

namespace accord {
namespace {

constexpr std::size_t channels = 1, rows = 2;  ///< indices of images and filters

/// What the rewriting looks at in `y[.., p, ..] += x[.., s*p + r + offset, ..] * w[.., r, ..]`.
struct Convolution {
  int statement = -1;
  std::size_t x = 0, w = 0;  ///< accesses of the statement
  int p = -1, r = -1;        ///< iterators
  std::int64_t stride = 1;
  std::int64_t offset = 0;
};

/// The iterator, if the index is nothing else.
std::optional<int> lone(const AffineIndex& index) {
  const bool alone = index.terms.size() == 1 && index.terms[0].second == 1 && index.offset == 0;
  return alone ? std::optional<int>(index.terms[0].first) : std::nullopt;
}

std::optional<Convolution> convolution_of(const Work& work, int number) {
  const Statement& statement = work.program.statements[static_cast<std::size_t>(number)];
  if (statement.reduction != Reduction::add || statement.accesses.size() != 2 || looks_up(statement)) return {};
  Convolution found;
  found.statement = number;
  found.w = work.operands[statement.accesses[1].operand].constant ? 1 : 0;
  found.x = 1 - found.w;
  const Access &x = statement.accesses[found.x], &w = statement.accesses[found.w], &y = statement.target;
  if (!work.operands[w.operand].constant || work.operands[x.operand].constant) return {};
  if (x.indices.size() != 4 || w.indices.size() != 4 || y.indices.size() != 4) return {};
  const auto p = lone(y.indices[rows]), r = lone(w.indices[rows]);
  if (!p || !r || x.indices[rows].terms.size() != 2) return {};
  for (const auto& [iterator, coefficient] : x.indices[rows].terms) {
    if (iterator == *p) found.stride = coefficient;
    if (iterator != *p && (iterator != *r || coefficient != 1)) return {};
  }
  found.p = *p;
  found.r = *r;
  found.offset = x.indices[rows].offset;
  return found;
}

std::int64_t modulo(std::int64_t value, std::int64_t by) { return (value % by + by) % by; }

/// Where rows of the image and of the filter come to lie.
struct RowLayout {
  std::int64_t rows = 1;                      ///< side by side
  std::int64_t results = 1;                   ///< rows at once
  std::int64_t shift = 0;                     ///< rows of zeros before the filter's, so that x' begins at whole rows
  std::int64_t count = 1;                     ///< rows of w'
  std::int64_t by_result = 1, by_filter = 1;  ///< rows of x' from one row of results, or of w', to the next
  std::int64_t offset = 0;
  std::int64_t height = 0;  ///< of x'
};

RowLayout side_by_side(const Convolution& conv, std::int64_t height, std::int64_t filter_rows, std::int64_t results) {
  RowLayout layout;
  layout.rows = conv.stride * results;
  layout.results = results;
  layout.shift = modulo(conv.offset, layout.rows);
  layout.count = ceil_div(filter_rows + conv.stride * (results - 1) + layout.shift, layout.rows);
  layout.offset = (conv.offset - layout.shift) / layout.rows;
  layout.height = height / layout.rows;
  return layout;
}

/// `window`: the image's rows that `results` rows of the result read.
RowLayout several_times(const Convolution& conv, std::int64_t height, std::int64_t window, std::int64_t side,
                        std::int64_t results) {
  RowLayout layout;
  layout.rows = side;
  layout.results = results;
  layout.count = ceil_div(window, side);
  const std::int64_t stride = conv.stride * results;
  const std::int64_t step = layout.count == 1 ? stride : std::gcd(stride, side);
  layout.by_result = stride / step;
  layout.by_filter = side / step;
  layout.height = (height / results - 1) * layout.by_result + (layout.count - 1) * layout.by_filter + 1;
  return layout;
}

class Interleaver {
 public:
  Interleaver(const Network& network, const Work& work, const Convolution& conv, const RowLayout& layout)
      : network_(network), conv_(conv), layout_(layout) {
    const Statement& statement = work.program.statements[conv.statement];
    made_.work = work;
    made_.rows = layout.rows;
    made_.x = statement.accesses[conv.x].operand;
    made_.w = statement.accesses[conv.w].operand;
  }

  InterleavedWork run() {
    make_image();
    make_weights();
    auto& program = made_.work.program;
    program.iterators[conv_.p].extent /= layout_.results;
    program.iterators[conv_.r].extent = layout_.count;
    if (layout_.results > 1) phase_ = add("e", layout_.results);
    rewrite_main(program.statements[conv_.statement]);
    for (auto& statement : program.statements) {
      rewrite_rows(statement.target);
      for (auto& access : statement.accesses) rewrite_rows(access);
    }
    return std::move(made_);
  }

 private:
  int add(const std::string& name, std::int64_t extent) { return add_iterator(made_.work.program, name, extent); }

  void make_image() {
    WorkOperand& operand = made_.work.operands[made_.x];
    made_.image = interleaved(network_.tensor(operand.tensor), made_.rows);
    made_.image.shape[rows] = layout_.height;
    operand.shape = made_.image.shape;
    operand.tensor = no_tensor;
  }

  void make_weights() {
    WorkOperand& operand = made_.work.operands[made_.w];
    const Tensor& from = network_.tensor(operand.tensor);
    made_.weights = from;
    made_.weights.name += "/rows";
    made_.weights.quantisation.reset();
    Shape& shape = made_.weights.shape;
    shape = {layout_.results * from.shape[0], made_.rows * from.shape[1], layout_.count, from.shape[3]};
    const auto run = static_cast<std::size_t>(from.shape[3] * bytes(from.type));  // a row of the filter
    std::vector<std::byte> data(static_cast<std::size_t>(shape[0] * shape[1] * layout_.count) * run);
    for (std::int64_t e = 0; e < layout_.results; ++e) {
      for (std::int64_t row = 0; row < from.shape[0] * from.shape[1] * from.shape[2]; ++row) {
        const std::int64_t filter = e * from.shape[0] + row / from.shape[2] / from.shape[1];
        const std::int64_t c = row / from.shape[2] % from.shape[1];
        const std::int64_t at = row % from.shape[2] + conv_.stride * e + layout_.shift;
        const std::int64_t channel = filter * shape[1] + at % made_.rows * from.shape[1] + c;
        const std::int64_t to = channel * layout_.count + at / made_.rows;
        std::memcpy(data.data() + static_cast<std::size_t>(to) * run,
                    from.data->data() + static_cast<std::size_t>(row) * run, run);
      }
    }
    made_.weights.data = owned(std::move(data));
    operand.shape = shape;
    operand.tensor = no_tensor;
  }

  void rewrite_main(Statement& statement) {
    Access &x = statement.accesses[conv_.x], &w = statement.accesses[conv_.w];
    if (w.indices[channels].terms.empty()) {  // a single channel has no iterator
      const int c = add("c", 1);
      x.indices[channels].terms.emplace_back(c, 1);
      w.indices[channels].terms.emplace_back(c, 1);
    }
    made_.work.program.iterators[*lone(w.indices[channels])].extent *= made_.rows;
    AffineIndex& row = x.indices[rows];
    std::erase_if(row.terms, [&](const auto& term) { return term.first == conv_.p || term.first == conv_.r; });
    for (const auto& [iterator, step] : {std::pair{conv_.p, layout_.by_result}, {conv_.r, layout_.by_filter}}) {
      if (made_.work.program.iterators[iterator].extent > 1) row.terms.emplace_back(iterator, step);
    }
    std::ranges::sort(row.terms);
    row.offset = layout_.offset;
    if (layout_.count == 1) w.indices[rows].terms.clear();
    if (phase_ >= 0) w.indices[0].terms.emplace_back(phase_, made_.weights.shape[0] / layout_.results);
  }

  /// p becomes m*p + e, but in the image.
  void rewrite_rows(Access& access) const {
    if (access.operand == made_.x || phase_ < 0) return;
    for (auto& index : access.indices) {
      const auto term = std::ranges::find(index.terms, conv_.p, [](const auto& entry) { return entry.first; });
      if (term == index.terms.end()) continue;
      const std::int64_t coefficient = term->second;
      term->second *= layout_.results;
      if (made_.work.program.iterators[conv_.p].extent == 1) index.terms.erase(term);
      index.terms.emplace_back(phase_, coefficient);
    }
  }

  const Network& network_;
  const Convolution conv_;
  const RowLayout layout_;
  int phase_ = -1;  ///< e
  InterleavedWork made_;
};

/// Whether only the main statement reads the operand.
bool read_once(const Work& work, int operand) {
  std::ptrdiff_t times = 0;
  for (const auto& statement : work.program.statements) {
    times += statement.target.operand == operand ? 1 : 0;
    times += std::ranges::count(statement.accesses, operand, &Access::operand);
  }
  return times == 1;
}

const WorkOperand& input_of(const Work& work, const Convolution& conv) {
  return work.operands[work.program.statements[conv.statement].accesses[conv.x].operand];
}

/// The work's convolution, where image and filter are its alone and it is not in groups.
std::optional<Convolution> rearrangeable(const Work& work) {
  for (std::size_t s = 0; s < work.program.statements.size(); ++s) {
    const auto conv = convolution_of(work, static_cast<int>(s));
    if (!conv) continue;
    const int w = work.program.statements[s].accesses[conv->w].operand;
    const WorkOperand &image = input_of(work, *conv), &filter = work.operands[w];
    if (image.tensor == no_tensor || filter.tensor == no_tensor) return {};
    if (!read_once(work, work.program.statements[s].accesses[conv->x].operand) || !read_once(work, w)) return {};
    if (filter.shape[channels] != image.shape[channels]) return {};  // groups
    return conv;
  }
  return {};
}

/// Rows of the image for `results` rows of the result; 0 where they are too many, or do not divide all.
std::int64_t window_of(const Work& work, const Convolution& conv, std::int64_t results) {
  constexpr std::int64_t most = 64;
  const auto& iterators = work.program.iterators;
  const std::int64_t window = iterators[conv.r].extent + conv.stride * (results - 1);
  return iterators[conv.p].extent % results != 0 || window > most ? 0 : window;
}

}  // namespace

Tensor interleaved(const Tensor& image, std::int64_t side_by_side) {
  Tensor result = image;
  result.name += "/rows";
  result.shape[channels] *= side_by_side;
  result.shape[rows] /= side_by_side;
  return result;
}

std::optional<InterleavedWork> interleave_rows(const Network& network, const Work& work, std::int64_t results) {
  const auto conv = rearrangeable(work);
  if (!conv) return {};
  const std::int64_t height = input_of(work, *conv).shape[rows], side = conv->stride * results;
  if (side <= 1 || height % side != 0 || work.program.iterators[conv->p].extent % results != 0) return {};
  const std::int64_t filter_rows = work.program.iterators[conv->r].extent;
  return Interleaver(network, work, *conv, side_by_side(*conv, height, filter_rows, results)).run();
}

std::vector<std::int64_t> gatherable_rows(const Work& work, std::int64_t results) {
  const auto conv = rearrangeable(work);
  const std::int64_t window = conv ? window_of(work, *conv, results) : 0;
  std::vector<std::int64_t> found;
  for (std::int64_t side = 2; side <= window; ++side) {
    if (ceil_div(window, side) < ceil_div(window, side - 1)) found.push_back(side);
  }
  return found;
}

std::optional<InterleavedWork> gather_rows(const Network& network, const Work& work, std::int64_t side,
                                           std::int64_t results) {
  const auto conv = rearrangeable(work);
  const std::int64_t window = conv ? window_of(work, *conv, results) : 0;
  if (side < 2 || side > window) return {};
  const std::int64_t height = work.program.iterators[conv->p].extent;
  const RowLayout layout = several_times(*conv, height, window, side, results);
  InterleavedWork made = Interleaver(network, work, *conv, layout).run();
  made.step = conv->stride * results / layout.by_result;
  made.top = -conv->offset;
  return made;
}

bool is_plain(const Work& work) {
  if (work.program.statements.size() != 1) return false;
  const Statement& statement = work.program.statements[0];
  if (statement.reduction != Reduction::assign || statement.accesses.size() != 1) return false;
  const Access &x = statement.accesses[0], &y = statement.target;
  const auto tensor = [&](const Access& access) {
    const WorkOperand& operand = work.operands[access.operand];
    return operand.tensor != no_tensor && !operand.constant && access.indices.size() == 4;
  };
  if (!tensor(x) || !tensor(y) || x.indices != y.indices || x.operand == y.operand) return false;
  return std::ranges::all_of(y.indices, [](const AffineIndex& index) { return index.terms.empty() || lone(index); });
}

Work interleave_plain(const Work& plain, std::int64_t side_by_side) {
  Work work = plain;
  Statement& statement = work.program.statements[0];
  const AffineIndex channel = statement.target.indices[channels], row = statement.target.indices[rows];
  auto& iterators = work.program.iterators;
  const int c = channel.terms.empty() ? add_iterator(work.program, "c", 1) : *lone(channel);
  iterators[c].extent *= side_by_side;
  iterators[*lone(row)].extent /= side_by_side;
  for (Access* access : {&statement.target, statement.accesses.data()}) {
    access->indices[channels].terms = {{c, 1}};
    if (iterators[*lone(row)].extent == 1) access->indices[rows].terms.clear();
    Shape& shape = work.operands[access->operand].shape;
    shape[channels] *= side_by_side;
    shape[rows] /= side_by_side;
  }
  return work;
}

}  // namespace accord
