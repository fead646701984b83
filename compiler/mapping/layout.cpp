#include "compiler/mapping/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <limits>

#include "archdsl/tensor/rounding.h"

namespace accord {

bool is_window(const AffineIndex& index, const std::vector<std::int64_t>& extents) {
  auto terms = index.terms;
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::int64_t span = 1;
  for (const auto& [it, coefficient] : terms) {
    if (span > 1 && coefficient < span) return true;
    span = coefficient * (extents[it] - 1) + span;
  }
  return false;
}

namespace {

void add_axes(const Mapping& mapping, const Use& use, bool windowed, std::span<const std::int64_t> extents,
              const HomeStrides& strides, Layout& layout) {
  for (std::size_t m = 0; m < use.access.indices.size(); ++m) {
    const AffineIndex& index = use.access.indices[m];
    const std::int64_t stride = m < strides.size() ? strides[m] : 0;
    if (windowed && is_window(index, mapping.extent)) {
      LayoutAxis axis{index.terms, 1, stride, 1, -1};
      for (const auto& [it, coefficient] : index.terms) axis.extent += coefficient * (extents[it] - 1);
      layout.axes.push_back(std::move(axis));
      continue;
    }
    for (const auto& [it, coefficient] : index.terms) {
      const auto same = std::find_if(layout.axes.begin(), layout.axes.end(), [&](const LayoutAxis& axis) {
        return axis.terms.size() == 1 && axis.terms[0].first == it;
      });
      if (same != layout.axes.end()) {
        same->home_step += coefficient * stride;
      } else {
        layout.axes.push_back({{{it, 1}}, extents[it], coefficient * stride, 1, -1});
      }
    }
  }
}

int axis_of(const Layout& layout, int iterator) {
  for (std::size_t a = 0; a < layout.axes.size(); ++a) {
    for (const auto& term : layout.axes[a].terms) {
      if (term.first == iterator) return static_cast<int>(a);
    }
  }
  return -1;
}

struct WiredDim {
  int dim = -1;
  std::int64_t step = 0;
  std::int64_t maximum = 1;
};

/// Dims of the capability that the operand steps through by wire, narrowest step first; free ones in `free_dims`.
std::vector<WiredDim> wired_dims(const Capability& capability, int operand, std::vector<int>& free_dims) {
  std::vector<WiredDim> wired;
  const Access& access = access_of(capability, operand);
  for (std::size_t position = 0; position < access.indices.size(); ++position) {
    const auto& step = capability.operands[operand].steps[position];
    for (const auto& [dim, coefficient] : access.indices[position].terms) {
      if (step.kind == Step::Kind::fixed) {
        wired.push_back({dim, step.bytes * coefficient, capability.dims[dim].maximum});
      } else {
        free_dims.push_back(dim);
      }
    }
  }
  std::sort(wired.begin(), wired.end(), [](const WiredDim& a, const WiredDim& b) { return a.step < b.step; });
  return wired;
}

class Packer {
 public:
  /// `dense`: nothing has to begin with a word.
  Packer(Layout& layout, std::int64_t word, std::int64_t element, bool dense)
      : layout_(layout), word_(word), size_(element), dense_(dense) {}

  /// A chain of iterators as one group; false where an iterator sits inside a window with others. The outermost may,
  /// if it steps the window by one: then the whole window lies in one run, and the others step into it.
  bool group(const std::vector<int>& chain, int dim, LayoutGroup& out) const {
    out.dim = dim;
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      const int a = axis_of(layout_, *it);
      if (a < 0) continue;
      LayoutAxis& axis = layout_.axes[a];
      if (axis.terms.size() != 1) {
        const bool by_one =
            std::find(axis.terms.begin(), axis.terms.end(), std::pair(*it, std::int64_t{1})) != axis.terms.end();
        // Also where one element remains of the window: the remainder lies as the tile does.
        out.dense = by_one && it + 1 == chain.rend() && axis.group < 0;
        if (!out.dense && axis.extent != 1) return false;
      }
      axis.weight = out.extent;
      out.extent *= axis.extent;
      out.axes.push_back(a);
    }
    return true;
  }

  /// Whether the dim's only iterator steps as far through a window that lies in one run already.
  bool steps_through(const std::vector<int>& chain, std::int64_t step) const {
    const int a = chain.size() == 1 ? axis_of(layout_, chain.front()) : -1;
    if (a < 0 || layout_.axes[a].group < 0) return false;
    return layout_.groups[layout_.axes[a].group].dense && iterator_step(layout_, chain.front()) == step;
  }

  /// Closes the group: one linear run, or blocks whose step is set by `place_blocks`.
  void push(LayoutGroup group, std::int64_t step, std::int64_t block) {
    group.step = step;
    group.block = std::min(block, std::max<std::int64_t>(group.extent, 1));
    if (group.extent > group.block) group.block = block;
    const int index = static_cast<int>(layout_.groups.size());
    for (const int a : group.axes) layout_.axes[a].group = index;
    size_ = std::max(size_, step * (std::min(group.block, group.extent) - 1) + inner(step));
    if (group.extent > group.block) blocked_.push_back(index);
    layout_.groups.push_back(std::move(group));
  }

  /// What lies there so far begins and ends with a word.
  void align() {
    if (!dense_) size_ = round_up(size_, word_);
  }

  /// As many as go into a word, so that none lies in two; a smaller tile takes no more room than a larger one.
  void fill_words() {
    if (size_ > word_) size_ = round_up(size_, word_);
    while (size_ < word_ && word_ % size_ != 0) ++size_;
  }

  /// What lies there so far, again and again.
  void push_free(LayoutGroup group) {
    const std::int64_t step = size_;
    const std::int64_t extent = group.extent;
    push(std::move(group), step, extent);
    size_ = step * extent;
  }

  /// `alike`: all hold the same, so that one serves for all.
  void place_blocks(bool alike) {
    for (const int g : blocked_) {
      align();
      if (alike) continue;
      layout_.groups[g].block_step = size_;
      size_ *= ceil_div(layout_.groups[g].extent, layout_.groups[g].block);
    }
    blocked_.clear();
  }

  std::int64_t size() const { return size_; }

 private:
  std::int64_t inner(std::int64_t step) const { return std::min(step, size_); }

  Layout& layout_;
  std::int64_t word_;
  std::int64_t size_;
  bool dense_;
  std::vector<int> blocked_;
};

/// Puts the dims first whose neighbours are closest in the home layout: where every step is free, they fill the words.
void closest_first(const Layout& layout, const std::vector<std::vector<int>>& chains, std::vector<int>& dims) {
  const auto home_step = [&](int dim) {
    for (auto it = chains[dim].rbegin(); it != chains[dim].rend(); ++it) {
      if (const int a = axis_of(layout, *it); a >= 0) return layout.axes[a].home_step;
    }
    return std::numeric_limits<std::int64_t>::max();
  };
  std::ranges::reverse(dims);  // of equals the last, as rows lie
  std::ranges::stable_sort(dims, {}, home_step);
}

}  // namespace

Layout make_layout(const Architecture& architecture, const Mapping& mapping, const Use& use,
                   std::span<const std::int64_t> extents, const HomeStrides& strides, int memory) {
  Layout layout;
  const StatementPlan& step = mapping.steps[use.step];
  const Capability& capability = architecture.units[step.match.unit].capabilities[step.match.capability];
  const std::int64_t word = architecture.memories[memory].word;
  const std::int64_t own_word = architecture.memories[use.memory].word;
  add_axes(mapping, use, use.windowed, extents, strides, layout);
  std::vector<int> free_dims;
  const auto wired = wired_dims(capability, use.operand, free_dims);
  if (use.filled && use.role == UseRole::input) {
    std::int64_t size = bytes(use.type);
    for (const auto& dim : wired) size = std::max(size, dim.step * dim.maximum);
    layout.bytes = round_up(size, std::max(word, own_word));  // farther out as many as the unit's memory wants
    return layout;
  }
  Packer packer(layout, own_word, bytes(use.type), use.dense);
  auto is_grouped = [&](int axis) { return layout.axes[axis].group >= 0; };
  for (std::size_t d = 0; d < wired.size(); ++d) {
    const WiredDim& dim = wired[d];
    if (packer.steps_through(step.chains[dim.dim], dim.step)) continue;
    LayoutGroup group;
    if (!packer.group(step.chains[dim.dim], dim.dim, group)) {
      layout.error = "a wired dim steps through overlapping windows";
      return layout;
    }
    const bool lanes = dim.step < own_word;
    if (packer.size() > dim.step && group.extent > 1) {
      layout.error = fmt::format("rows of {} bytes do not fit the wired step of {}", packer.size(), dim.step);
      return layout;
    }
    const bool has_room = d + 1 == wired.size() || dim.step * group.extent <= wired[d + 1].step;
    const bool blocked = lanes && !group.dense && !(use.dense && has_room);
    packer.push(std::move(group), dim.step, blocked ? dim.maximum : INT64_MAX);
  }
  if (wired.empty() || (use.dense && wired.size() == 1)) closest_first(layout, step.chains, free_dims);
  for (const int dim : free_dims) {
    if (wired.empty()) {
      packer.fill_words();
    } else {
      packer.align();
    }
    for (auto it = step.chains[dim].rbegin(); it != step.chains[dim].rend(); ++it) {
      const int a = axis_of(layout, *it);
      if (a >= 0 && !is_grouped(a)) packer.push_free({{a}, layout.axes[a].extent, 1, 0, 0, -1});
    }
  }
  packer.place_blocks(use.filled && memory != use.memory);
  for (int a = static_cast<int>(layout.axes.size()) - 1; a >= 0; --a) {
    if (is_grouped(a)) continue;
    packer.align();
    packer.push_free({{a}, layout.axes[a].extent, 1, 0, 0, -1});
  }
  layout.bytes = round_up(round_up(packer.size(), own_word), word);
  return layout;
}

Layout make_home_layout(const Mapping& mapping, const Use& use, std::span<const std::int64_t> extents,
                        const HomeStrides& strides, std::int64_t word) {
  Layout layout;
  // Of results what is padded beyond another's place makes no window.
  add_axes(mapping, use, use.role == UseRole::input, extents, strides, layout);
  std::ranges::reverse(layout.axes);  // of equals the last, as rows lie
  std::ranges::stable_sort(layout.axes, {}, [](const LayoutAxis& axis) { return std::abs(axis.home_step); });
  std::int64_t size = bytes(use.type);
  for (std::size_t a = 0; a < layout.axes.size(); ++a) {
    LayoutAxis& axis = layout.axes[a];
    const bool gap = use.role == UseRole::input && is_small_gap(size, axis.home_step);
    const std::int64_t step = gap ? axis.home_step : size;
    axis.group = static_cast<int>(a);
    layout.groups.push_back({{axis.group}, axis.extent, axis.extent, step, 0, -1});
    size += step * (axis.extent - 1);
  }
  layout.bytes = round_up(size, word);
  return layout;
}

std::int64_t access_step(const HomeStrides& strides, const Access& access, int iterator) {
  std::int64_t step = 0;
  for (std::size_t m = 0; m < access.indices.size(); ++m) {
    for (const auto& [it, coefficient] : access.indices[m].terms) {
      if (it == iterator) step += coefficient * strides[m];
    }
  }
  return step;
}

std::int64_t iterator_step(const Layout& layout, int iterator) {
  for (const auto& axis : layout.axes) {
    for (const auto& [it, coefficient] : axis.terms) {
      if (it == iterator) return coefficient * axis.weight * layout.groups[axis.group].step;
    }
  }
  return 0;
}

std::int64_t offset_of(const Layout& layout, std::span<const std::int64_t> point) {
  std::int64_t offset = 0;
  for (const auto& group : layout.groups) {
    std::int64_t flat = 0;
    for (const int a : group.axes) {
      std::int64_t at = 0;
      for (const auto& [it, coefficient] : layout.axes[a].terms) at += coefficient * point[it];
      flat += at * layout.axes[a].weight;
    }
    offset += flat / group.block * group.block_step + flat % group.block * group.step;
  }
  return offset;
}

}  // namespace accord
