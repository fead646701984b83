#include "simulator/modules/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "archdsl/source/error.h"
#include "archdsl/tensor/convert.h"
#include "archdsl/tensor/parse.h"
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
    if (extent < 0 || (extent > 0 && count > most_elements / extent)) throw Error("host work: " + name + " is too large");
    count *= extent;
  }
  return count;
}

TensorProgram parse(const HostWork& work) {
  StatementContext context;
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
  Range range{index.offset, index.offset};
  for (const auto& [iterator, coefficient] : index.terms) {
    const std::int64_t reach = coefficient * (iterators[static_cast<std::size_t>(iterator)].extent - 1);
    (reach < 0 ? range.low : range.high) += reach;
  }
  return range;
}

// A copy that also holds what reads beyond the shape yield.
struct Padded {
  std::vector<std::byte> data;
  std::vector<std::int64_t> strides;
  std::int64_t origin = 0;  ///< bytes from the start to index 0, 0, ...
};

void copy_rows(std::byte* to, const std::byte* from, std::span<const std::int64_t> shape, std::span<const std::int64_t> to_strides,
               std::span<const std::int64_t> from_strides, std::size_t element) {
  if (shape.empty()) {
    std::memcpy(to, from, element);
    return;
  }
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    copy_rows(to + i * to_strides[0], from + i * from_strides[0], shape.subspan(1), to_strides.subspan(1), from_strides.subspan(1),
              element);
  }
}

}  // namespace

std::vector<Host::Tensor> Host::tensors(const HostWork& work) const {
  std::vector<Tensor> result;
  for (const HostOperand& operand : work.operands) {
    Tensor& tensor = result.emplace_back();
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
    if (symbol.type != operand.type) throw Error("host work: " + operand.name + " has another type than symbol " + symbol.name);
    tensor.place = &found->second;
    tensor.shape = symbol.shape;
    tensor.strides = symbol.strides;
    tensor.data = found->second.store->data() + symbol.address;
  }
  return result;
}

namespace {

// Whether all of the access stays within the shape; widens `hull` to what it touches.
bool widen(std::vector<Range>& hull, const Access& access, const std::vector<std::int64_t>& shape, const std::vector<Iterator>& iterators) {
  bool inside = true;
  for (std::size_t p = 0; p < shape.size(); ++p) {
    const Range range = range_of(access.indices[p], iterators);
    inside = inside && range.low >= 0 && range.high < shape[p];
    hull[p].low = std::min(hull[p].low, range.low);
    hull[p].high = std::max(hull[p].high, range.high);
  }
  return inside;
}

Padded pad(const std::byte* data, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides, ElementType type,
           double outside, const std::vector<Range>& hull, const std::string& name) {
  Padded padded;
  std::vector<std::int64_t> extents;
  for (const Range& range : hull) extents.push_back(range.high - range.low + 1);
  const std::int64_t element = bytes(type), count = elements(extents, name);
  padded.strides = dense_strides(extents, element);
  padded.data.resize(static_cast<std::size_t>(count * element));
  for (std::int64_t i = 0; i < count; ++i) store_element(padded.data.data() + i * element, type, outside);
  for (std::size_t p = 0; p < hull.size(); ++p) padded.origin -= hull[p].low * padded.strides[p];
  copy_rows(padded.data.data() + padded.origin, data, shape, padded.strides, strides, static_cast<std::size_t>(element));
  return padded;
}

}  // namespace

void Host::execute(const HostWork& work) {
  const PreparedProgram prepared(parse(work));
  const TensorProgram& program = prepared.program;
  std::vector<Tensor> all = tensors(work);
  std::vector<std::size_t> tensor_of;
  std::vector<std::int64_t> extents;
  for (const Iterator& iterator : program.iterators) extents.push_back(iterator.extent);
  if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent <= 0; })) return;
  for (const Operand& operand : program.operands) {
    const auto found = std::ranges::find(work.operands, operand.name, &HostOperand::name);
    tensor_of.push_back(static_cast<std::size_t>(found - work.operands.begin()));
    const AccessUse& use = prepared.uses[tensor_of.size() - 1];
    if (use.access.indices.size() != all[tensor_of.back()].shape.size()) {
      throw Error(fmt::format("host work: {} has rank {}, not {}", operand.name, all[tensor_of.back()].shape.size(), use.access.indices.size()));
    }
  }
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    std::vector<Placement> placements(program.operands.size());
    std::vector<Padded> copies(program.operands.size());
    std::vector<StridedOperand> operands(program.operands.size());
    std::vector<int> used{program.statements[s].target.operand};
    for (const Access& access : program.statements[s].accesses) used.push_back(access.operand);
    for (const int o : used) {
      const auto operand = static_cast<std::size_t>(o);
      const Tensor& tensor = all[tensor_of[operand]];
      std::vector<Range> hull;
      for (const std::int64_t extent : tensor.shape) hull.push_back({0, extent - 1});
      const Access& access = prepared.uses[operand].access;
      std::byte* data = tensor.data;
      std::vector<std::int64_t> strides = tensor.strides;
      if (!widen(hull, access, tensor.shape, program.iterators)) {
        if (o == program.statements[s].target.operand) throw Error("host work: writes beyond the shape of " + program.operands[operand].name);
        copies[operand] = pad(data, tensor.shape, strides, tensor.type, tensor.outside, hull, program.operands[operand].name);
        strides = copies[operand].strides;
        data = copies[operand].data.data() + copies[operand].origin;
      }
      placements[operand] = place(access, strides, extents.size());
      operands[operand] = {data + placements[operand].offset, placements[operand].step};
    }
    prepared.kernels[s].run(extents, operands);
  }
  for (std::size_t o = 0; o < program.operands.size(); ++o) {
    const Tensor& tensor = all[tensor_of[o]];
    if (!prepared.uses[o].writes || !tensor.place) continue;
    mark_symbol_written(*tensor.place->symbol, *tensor.place->store);
  }
}

}  // namespace accord::sim
