#include "simulator/modules/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "archdsl/isa/int128.h"
#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/parse.h"
#include "archdsl/tensor/rounding.h"
#include "archdsl/tensor/scalar.h"
#include "simulator/kernels/prepared_program.h"
#include "simulator/kernels/symbols.h"

namespace accord::sim {

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 31;  // of a temporary or a padded copy

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape, std::int64_t element) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t size = element;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = size;
    size *= std::max<std::int64_t>(1, shape[d]);
  }
  return strides;
}

std::int64_t elements(const std::vector<std::int64_t>& shape, const std::string& name) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || (extent > 0 && count > most_elements / extent))
      throw Error("host work: " + name + " is too large");
    count *= extent;
  }
  return count;
}

TensorProgram parse(const HostWork& work) {
  StatementContext context;
  context.lookups = true;
  for (const HostOperand& operand : work.operands) context.operand_types[operand.name] = operand.type;
  for (const Iterator& iterator : work.iterators) context.iterator_order.push_back(iterator.name);
  auto parsed = parse_statements(work.statements, context);
  if (const auto* mistake = std::get_if<StatementError>(&parsed)) throw Error("host work: " + mistake->message);
  auto& program = std::get<TensorProgram>(parsed);
  for (Iterator& iterator : program.iterators) {
    const auto found = std::ranges::find(work.iterators, iterator.name, &Iterator::name);
    if (found == work.iterators.end()) throw Error("host work: iterator " + iterator.name + " has no extent");
    iterator.extent = found->extent;
  }
  return std::move(program);
}

struct Range {
  std::int64_t low = 0, high = 0;  ///< inclusive
};

Range range_of(const AffineIndex& index, const std::vector<Iterator>& iterators) {
  Int128 low = index.offset, high = index.offset;
  for (const auto& [iterator, coefficient] : index.terms) {
    const Int128 reach = Int128{coefficient} * (iterators[static_cast<std::size_t>(iterator)].extent - 1);
    (reach < 0 ? low : high) += reach;
  }
  constexpr Int128 farthest = Int128{1} << 60;
  if (low < -farthest || high > farthest) throw Error("host work: an index goes farther than any tensor");
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

// A copy that also holds what reads beyond the shape yield.
struct Padded {
  std::vector<std::byte> data;
  std::vector<std::int64_t> strides;
  std::int64_t origin = 0;  ///< bytes from the start to index 0, 0, ...
};

void copy_rows(std::byte* to, const std::byte* from, std::span<const std::int64_t> shape,
               std::span<const std::int64_t> to_strides, std::span<const std::int64_t> from_strides,
               std::size_t element) {
  if (shape.empty()) {
    std::memcpy(to, from, element);
    return;
  }
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    copy_rows(to + i * to_strides[0], from + i * from_strides[0], shape.subspan(1), to_strides.subspan(1),
              from_strides.subspan(1), element);
  }
}

}  // namespace

/// One copy for all operands that are this symbol.
void Host::copy_split(Tensor& tensor, const std::vector<Tensor>& before) {
  tensor.strides = dense_strides(tensor.shape, bytes(tensor.type));
  const auto same = std::ranges::find(before, tensor.place, &Tensor::place);
  if (&*same == &tensor) tensor.own = read_symbol(*tensor.place->symbol, *tensor.place->store).data;
  tensor.data = &*same == &tensor ? tensor.own.data() : same->data;
}

std::vector<Host::Tensor> Host::tensors(const HostWork& work) const {
  std::vector<Tensor> result;
  for (const HostOperand& operand : work.operands) {
    Tensor& tensor = result.emplace_back();
    tensor.name = operand.name;
    tensor.type = operand.type;
    tensor.outside = operand.outside;
    if (operand.symbol.empty()) {
      tensor.shape = operand.shape;
      tensor.strides = dense_strides(tensor.shape, bytes(operand.type));
      tensor.own.resize(static_cast<std::size_t>(elements(tensor.shape, operand.name) * bytes(operand.type)));
      tensor.data = tensor.own.data();
      continue;
    }
    const auto found = symbols_.find(operand.symbol);
    if (found == symbols_.end()) throw Error("host work: no symbol " + operand.symbol);
    const Symbol& symbol = *found->second.symbol;
    if (symbol.type != operand.type)
      throw Error("host work: " + operand.name + " has another type than symbol " + symbol.name);
    tensor.place = &found->second;
    tensor.shape = symbol.shape;
    tensor.strides = symbol.strides;
    tensor.data = found->second.store->data() + symbol.address;
    if (!symbol.split.empty()) copy_split(tensor, result);
  }
  return result;
}

namespace {

// Whether all of the access stays within the shape; widens `hull` to what it touches.
bool widen(std::vector<Range>& hull, const Access& access, const std::vector<std::int64_t>& shape,
           const std::vector<Iterator>& iterators) {
  bool inside = true;
  for (std::size_t p = 0; p < shape.size(); ++p) {
    const Range range = range_of(access.indices[p], iterators);
    inside = inside && range.low >= 0 && range.high < shape[p];
    hull[p].low = std::min(hull[p].low, range.low);
    hull[p].high = std::max(hull[p].high, range.high);
  }
  return inside;
}

Padded pad(const std::byte* data, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
           ElementType type, double outside, const std::vector<Range>& hull, const std::string& name) {
  Padded padded;
  std::vector<std::int64_t> extents;
  for (const Range& range : hull) extents.push_back(range.high - range.low + 1);
  const std::int64_t element = bytes(type), count = elements(extents, name);
  padded.strides = dense_strides(extents, element);
  padded.data.resize(static_cast<std::size_t>(count * element));
  for (std::int64_t i = 0; i < count; ++i) store_element(padded.data.data() + i * element, type, outside);
  for (std::size_t p = 0; p < hull.size(); ++p) padded.origin -= hull[p].low * padded.strides[p];
  copy_rows(padded.data.data() + padded.origin, data, shape, padded.strides, strides,
            static_cast<std::size_t>(element));
  return padded;
}

// An operand read at an index that another one holds.
struct Lookup {
  std::size_t operand = 0, index_operand = 0;
  std::int64_t extent = 0, stride = 0;  ///< of the looked-up position; bytes
  ElementType type{};                   ///< of the index
};

// Runs the kernel once per point of the iterators on which looked-up indices depend.
class LookupLoop {
 public:
  LookupLoop(const PreparedProgram& prepared, std::size_t statement, std::vector<Lookup> lookups,
             std::vector<std::int64_t> extents, std::vector<StridedOperand> operands)
      : kernel_(prepared.kernels[statement]),
        lookups_(std::move(lookups)),
        counts_(extents),
        extents_(std::move(extents)),
        operands_(std::move(operands)) {
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      const bool looped = std::ranges::any_of(
          lookups_, [&](const Lookup& lookup) { return operands_[lookup.index_operand].step[i] != 0; });
      if (!looped) continue;
      loops_.push_back(i);
      extents_[i] = 1;
    }
  }

  void run() { visit(0, operands_); }

 private:
  void visit(std::size_t depth, std::vector<StridedOperand> operands) const {
    if (depth == loops_.size()) return run_at(std::move(operands));
    for (std::int64_t i = 0; i < counts_[loops_[depth]]; ++i) {
      visit(depth + 1, operands);
      for (auto& operand : operands) {
        if (!operand.step.empty()) operand.base += operand.step[loops_[depth]];
      }
    }
  }

  void run_at(std::vector<StridedOperand> operands) const {
    for (const Lookup& lookup : lookups_) {
      const auto value = load_scalar(operands[lookup.index_operand].base, lookup.type).integer;
      operands[lookup.operand].base += looked_up_index(value, lookup.extent) * lookup.stride;
    }
    kernel_.run(extents_, operands);
  }

  const Kernel& kernel_;
  std::vector<Lookup> lookups_;
  std::vector<std::int64_t> counts_, extents_;
  std::vector<StridedOperand> operands_;
  std::vector<std::size_t> loops_;
};

}  // namespace

void Host::execute(const PreparedProgram& prepared, std::size_t statement, const std::vector<Tensor*>& tensors) {
  const TensorProgram& program = prepared.program;
  const int target = program.statements[statement].target.operand;
  std::vector<std::int64_t> extents;
  for (const Iterator& iterator : program.iterators) extents.push_back(iterator.extent);
  std::vector<int> used{target};
  for (const Access& access : program.statements[statement].accesses) used.push_back(access.operand);
  std::vector<Placement> placements(tensors.size());
  std::vector<Padded> copies(tensors.size());
  std::vector<StridedOperand> operands(tensors.size());
  std::vector<Lookup> lookups;
  for (const int number : used) {
    const auto operand = static_cast<std::size_t>(number);
    const Tensor& tensor = *tensors[operand];
    const Access& access = prepared.uses[operand].access;
    std::vector<Range> hull;
    for (const std::int64_t extent : tensor.shape) hull.push_back({0, extent - 1});
    std::byte* data = tensor.data;
    const std::vector<std::int64_t>* strides = &tensor.strides;
    if (!widen(hull, access, tensor.shape, program.iterators)) {
      if (number == target) throw Error("host work: writes beyond the shape of " + tensor.name);
      Padded& copy = copies[operand] =
          pad(data, tensor.shape, tensor.strides, tensor.type, tensor.outside, hull, tensor.name);
      strides = &copy.strides;
      data = copy.data.data() + copy.origin;
    }
    placements[operand] = place(access, *strides, extents.size());
    operands[operand] = {data + placements[operand].offset, placements[operand].step};
    for (const auto& [index, by] : access.lookups) {
      const auto from =
          static_cast<std::size_t>(program.statements[statement].accesses[static_cast<std::size_t>(by)].operand);
      lookups.push_back({operand, from, tensor.shape[index], (*strides)[index], tensors[from]->type});
    }
  }
  if (lookups.empty()) return prepared.kernels[statement].run(extents, operands);
  LookupLoop(prepared, statement, std::move(lookups), std::move(extents), std::move(operands)).run();
}

namespace {

/// The positions that an index takes inside a dimension, as far as they are one after another in equal steps; else all
/// between the first and the last.
struct Positions {
  std::int64_t first = 0, count = 0, step = 1;
  bool exact = true;
};

Positions positions_of(const AffineIndex& index, std::int64_t extent, const std::vector<Iterator>& iterators) {
  const Range range = range_of(index, iterators);
  const std::int64_t step = index.terms.size() == 1 ? std::max<std::int64_t>(std::abs(index.terms[0].second), 1) : 1;
  const std::int64_t low = range.low >= 0 ? range.low : range.low + ceil_div(-range.low, step) * step;
  const std::int64_t high = std::min(range.high, extent - 1);
  return {low, low > high ? 0 : (high - low) / step + 1, step, index.terms.size() < 2};
}

/// What an access touches of a symbol, itself as a symbol; `exact`: that and no more.
struct Touched {
  Symbol symbol;
  bool exact = true;
};

Touched touched(const Symbol& symbol, const Access& access, const std::vector<Iterator>& iterators) {
  Touched result{symbol, access.lookups.empty()};
  std::set<int> counted;
  for (std::size_t d = 0; d < symbol.shape.size(); ++d) {
    const bool looked_up = std::ranges::any_of(access.lookups, [&](const accord::Lookup& at) { return at.index == d; });
    if (looked_up) continue;
    const Positions at = positions_of(access.indices[d], symbol.shape[d], iterators);
    result.exact = result.exact && at.exact;
    for (const auto& term : access.indices[d].terms) result.exact = counted.insert(term.first).second && result.exact;
    result.symbol.address += at.first * symbol.strides[d];
    result.symbol.shape[d] = at.count;
    result.symbol.strides[d] *= at.step;
  }
  return result;
}

}  // namespace

/// Of symbols that the work does not write itself; where more might be touched than is read, nothing is said.
std::set<std::string> Host::unwritten(const PreparedProgram& prepared, const std::vector<Tensor*>& operands) {
  std::set<const Place*> written;
  for (std::size_t o = 0; o < operands.size(); ++o) {
    if (prepared.uses[o].writes) written.insert(operands[o]->place);
  }
  std::set<std::string> names;
  for (std::size_t o = 0; o < operands.size(); ++o) {
    const Place* const place = operands[o]->place;
    if (place == nullptr || written.contains(place) || !place->symbol->split.empty()) continue;
    const Touched read = touched(*place->symbol, prepared.uses[o].access, prepared.program.iterators);
    if (read.exact && !is_symbol_written(read.symbol, *place->store)) names.insert(place->symbol->name);
  }
  return names;
}

void Host::mark_writes(const PreparedProgram& prepared, const std::vector<Tensor*>& operands) {
  for (std::size_t o = 0; o < operands.size(); ++o) {
    if (!prepared.uses[o].writes || !operands[o]->place) continue;
    const auto& [symbol, store] = *operands[o]->place;
    if (symbol->split.empty()) {
      mark_symbol_written(touched(*symbol, prepared.uses[o].access, prepared.program.iterators).symbol, *store);
    } else {
      write_symbol(*symbol, operands[o]->data, *store);
    }
  }
}

std::set<std::string> Host::execute(const HostWork& work) {
  const PreparedProgram prepared(parse(work));
  const auto& iterators = prepared.program.iterators;
  if (std::ranges::any_of(iterators, [](const Iterator& iterator) { return iterator.extent <= 0; })) return {};
  std::vector<Tensor> all = tensors(work);
  std::vector<Tensor*> operands;
  for (std::size_t o = 0; o < prepared.uses.size(); ++o) {
    Tensor& tensor = *std::ranges::find(all, prepared.program.operands[o].name, &Tensor::name);
    const std::size_t rank = prepared.uses[o].access.indices.size();
    if (rank != tensor.shape.size()) {
      throw Error(fmt::format("host work: {} has rank {}, not {}", tensor.name, tensor.shape.size(), rank));
    }
    operands.push_back(&tensor);
  }
  std::set<std::string> missing;
  if (checks_reads_) missing = unwritten(prepared, operands);
  for (std::size_t s = 0; s < prepared.kernels.size(); ++s) execute(prepared, s, operands);
  mark_writes(prepared, operands);
  return missing;
}

}  // namespace accord::sim
