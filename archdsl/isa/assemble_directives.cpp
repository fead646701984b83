#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "archdsl/isa/assembler.h"
#include "archdsl/isa/int128.h"
#include "archdsl/isa/program_json.h"
#include "archdsl/source/error.h"
#include "archdsl/source/suggest.h"

namespace accord {
namespace {

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

/// Row-major strides in bytes; absurd shapes are refused later.
std::vector<std::int64_t> dense_strides(const Shape& shape, ElementType type) {
  std::vector<std::int64_t> strides(shape.size());
  std::uint64_t step = static_cast<std::uint64_t>(bytes(type));
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = static_cast<std::int64_t>(step);
    step *= static_cast<std::uint64_t>(shape[i]);
  }
  return strides;
}

}  // namespace

const std::unordered_map<std::string_view, Assembler::Directive>& Assembler::directives() {
  static const std::unordered_map<std::string_view, Directive> table{
      {".architecture", &Assembler::architecture_line},
      {".controller", &Assembler::controller_line},
      {".symbol", &Assembler::symbol_line},
      {".layer", &Assembler::layer_line},
      {".stage", &Assembler::stage_line},
      {".run", &Assembler::run_line},
      {".at", &Assembler::at_line},
      {".map", &Assembler::map_line},
      {".bytes", &Assembler::bytes_line},
      {".image", &Assembler::image_line},
  };
  return table;
}

void Assembler::directive(std::string_view name, int column, LineCursor& cursor) {
  const auto found = directives().find(name);
  if (found == directives().end()) {
    struct Named {
      std::string name;
    };
    std::vector<Named> known;
    for (const auto& [text, handler] : directives()) known.push_back({std::string(text)});
    std::sort(known.begin(), known.end(), [](const Named& a, const Named& b) { return a.name < b.name; });
    mistake(column, fmt::format("unknown directive `{}`{}", name, suggestion(name, known)));
    return;
  }
  const std::size_t before = mistake_count_;
  (this->*found->second)(cursor);
  if (before == mistake_count_ && !cursor.done()) mistake(cursor.column(), "the end of the line expected");
}

std::optional<std::string> Assembler::text(LineCursor& cursor, std::string_view what) {
  cursor.peek();
  const int column = cursor.column();
  std::optional<std::string> result = cursor.text();
  if (!result) mistake(column, fmt::format("{} expected", what));
  return result;
}

std::optional<std::int64_t> Assembler::number(LineCursor& cursor, std::string_view what, std::int64_t low,
                                              std::int64_t high) {
  const bool negative = cursor.peek() == '-';
  const int column = cursor.column();
  const std::optional<std::int64_t> result = cursor.number();
  const bool wraps = result && *result < 0 && !negative;
  if (result && !wraps && *result >= low && *result <= high) return result;
  mistake(column, high == greatest && low == 0 ? fmt::format("{} expected", what)
                                               : fmt::format("{} from {} to {} expected", what, low, high));
  return std::nullopt;
}

std::optional<std::string> Assembler::memory(LineCursor& cursor) {
  cursor.peek();
  const int column = cursor.column();
  std::optional<std::string> result = text(cursor, "a memory");
  if (!result) return result;
  for (const Memory& candidate : architecture_.memories) {
    if (candidate.name == *result) return result;
  }
  mistake(column, fmt::format("unknown memory `{}`{}", *result, suggestion(*result, architecture_.memories)));
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> Assembler::list(LineCursor& cursor, std::string_view what) {
  std::vector<std::int64_t> result;
  if (!cursor.accept('[')) {
    mistake(cursor.column(), fmt::format("{} in brackets expected", what));
    return std::nullopt;
  }
  while (!cursor.accept(']')) {
    if (!result.empty() && !cursor.accept(',')) {
      mistake(cursor.column(), "`,` or `]` expected");
      return std::nullopt;
    }
    const auto element = number(cursor, "an integer", std::numeric_limits<std::int64_t>::min(), greatest);
    if (!element) return std::nullopt;
    result.push_back(*element);
  }
  return result;
}

void Assembler::architecture_line(LineCursor& cursor) {
  const auto name = text(cursor, "the architecture's name");
  if (!name) return;
  program_.architecture = *name;
  of_covenant_ = true;
  if (cursor.done()) return;
  if (const auto hash = text(cursor, "the architecture's hash")) program_.architecture_hash = *hash;
}

void Assembler::controller_line(LineCursor& cursor) {
  const int column = cursor.column();
  const auto name = text(cursor, "the controller's name");
  if (name && *name != architecture_.controller.name) {
    mistake(column, fmt::format("the covenant's controller is `{}`, not `{}`", architecture_.controller.name, *name));
  }
}

/// `WHOLE [origin]`: the tensor that the symbol is a part of, and the index in it where the part begins.
bool Assembler::part(LineCursor& cursor, Symbol& symbol) {
  const auto whole = text(cursor, "the tensor that this is a part of");
  if (!whole) return false;
  cursor.peek();
  const int column = cursor.column();
  const auto origin = list(cursor, "where the part begins");
  if (!origin) return false;
  if (whole->empty() || origin->size() != symbol.shape.size()) {
    mistake(column, fmt::format("a tensor's name and {} indices expected, one per dimension", symbol.shape.size()));
    return false;
  }
  symbol.whole = *whole;
  symbol.origin = *origin;
  return true;
}

bool Assembler::strides(LineCursor& cursor, Symbol& symbol) {
  const int column = cursor.column();
  const auto strides = list(cursor, "the strides");
  if (!strides) return false;
  symbol.strides = *strides;
  if (cursor.peek() == '[') {
    const int split_column = cursor.column();
    const auto split = list(cursor, "the split shape");
    if (!split) return false;
    symbol.split = *split;
    if (!splits(symbol.split, symbol.shape)) {
      mistake(split_column, "the shape with some dimensions split in several expected");
      return false;
    }
  }
  if (symbol.strides.size() == symbol.extents().size()) return true;
  mistake(column, fmt::format("{} strides expected, one per dimension", symbol.extents().size()));
  return false;
}

/// Whether the symbol lies within its memory.
bool Assembler::lies_within(const Symbol& symbol) const {
  const auto memory = std::ranges::find(architecture_.memories, symbol.memory, &Memory::name);
  Int128 low = symbol.address, high = low + bytes(symbol.type);
  const Shape& extents = symbol.extents();
  if (std::ranges::find(extents, 0) != extents.end()) return true;
  for (std::size_t i = 0; i < extents.size() && high <= memory->capacity && low >= 0; ++i) {
    const Int128 reach = Int128{extents[i] - 1} * symbol.strides[i];
    (reach < 0 ? low : high) += reach;
  }
  return low >= 0 && high <= memory->capacity;
}

void Assembler::symbol_line(LineCursor& cursor) {
  Symbol symbol;
  cursor.peek();
  const int name_column = cursor.column();
  const auto symbol_name = text(cursor, "the symbol's name");
  if (!symbol_name) return;
  const auto memory_name = memory(cursor);
  if (!memory_name) return;
  const auto address = number(cursor, "an address", 0, greatest);
  if (!address) return;
  cursor.peek();
  const int type_column = cursor.column();
  const auto type = parse_element_type(cursor.word());
  if (!type) {
    mistake(type_column, "an element type (i8, fp32, ...) expected");
    return;
  }
  cursor.peek();
  const int shape_column = cursor.column();
  const auto shape = list(cursor, "the shape");
  if (!shape) return;
  const bool negative = std::any_of(shape->begin(), shape->end(), [](std::int64_t extent) { return extent < 0; });
  if (negative) {
    mistake(shape_column, "extents of a shape are not negative");
    return;
  }
  symbol = {*symbol_name, *memory_name, *address, *type, *shape, dense_strides(*shape, *type), {}};
  symbol.role = Symbol::Role::intermediate;
  if (cursor.peek() == '[') {
    if (!strides(cursor, symbol)) return;
  }
  if (!cursor.done()) {
    const int column = cursor.column();
    const auto role = parse_role(cursor.word());
    if (!role) {
      mistake(column, "input, output, constant or intermediate expected");
      return;
    }
    symbol.role = *role;
  }
  if (!cursor.done() && !part(cursor, symbol)) return;
  if (!symbol_names_.insert(symbol.name).second) {
    mistake(name_column, fmt::format("a second symbol `{}`", symbol.name));
    return;
  }
  if (!lies_within(symbol)) {
    mistake(shape_column, fmt::format("symbol `{}` does not fit into memory `{}`", symbol.name, symbol.memory));
    return;
  }
  program_.symbols.push_back(std::move(symbol));
}

void Assembler::layer_line(LineCursor& cursor) {
  cursor.peek();
  try {
    program_.layers.push_back(layer_from_json(parse_json(cursor.rest())));
  } catch (const Error& problem) {
    mistake(cursor.column(), fmt::format("a layer as JSON expected: {}", problem.what()));
  }
  cursor = LineCursor("");
}

void Assembler::stage_line(LineCursor& cursor) {
  cursor.peek();
  try {
    program_.stages.push_back(stage_from_json(parse_json(cursor.rest())));
  } catch (const Error& problem) {
    mistake(cursor.column(), fmt::format("a stage as JSON expected: {}", problem.what()));
  }
  cursor = LineCursor("");
}

void Assembler::close_run() {
  if (open_run_) program_.stages[*open_run_].count = count() - program_.stages[*open_run_].first;
  open_run_.reset();
}

void Assembler::run_line(LineCursor&) {
  close_run();
  open_run_ = program_.stages.size();
  program_.stages.emplace_back().first = count();
}

void Assembler::close_map_entry() {
  if (map_open_) program_.map.back().count = count() - program_.map.back().first;
  map_open_ = false;
}

void Assembler::at_line(LineCursor& cursor) {
  close_map_entry();
  if (cursor.peek() == 'n' && cursor.word() == "none") return;
  const auto layer = number(cursor, "`none` or a layer's index", -1, std::numeric_limits<int>::max());
  if (!layer) return;
  std::optional<std::string> statement_text{""};
  if (!cursor.done()) statement_text = text(cursor, "a statement");
  if (!statement_text) return;
  program_.map.push_back({count(), 0, static_cast<int>(*layer), *statement_text});
  map_open_ = true;
}

void Assembler::map_line(LineCursor& cursor) {
  close_map_entry();
  const auto first = number(cursor, "the first instruction", 0, greatest);
  if (!first) return;
  const auto length = number(cursor, "the number of instructions", 0, greatest);
  if (!length) return;
  const auto layer = number(cursor, "a layer's index", -1, std::numeric_limits<int>::max());
  if (!layer) return;
  const auto statement_text = text(cursor, "a statement");
  if (statement_text) program_.map.push_back({*first, *length, static_cast<int>(*layer), *statement_text});
}

void Assembler::bytes_line(LineCursor& cursor) {
  cursor.peek();
  const int column = cursor.column();
  const std::string_view digits = cursor.word();
  if (program_.text.size() % size_ != 0) mistake(column, "bytes follow others that are no whole instruction");
  if (digits.empty() || digits.size() % 2 != 0) {
    mistake(column, "pairs of hexadecimal digits expected");
    return;
  }
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    if (error != std::errc() || end != digits.data() + i + 2) {
      mistake(column + static_cast<int>(i), "hexadecimal digits expected");
      return;
    }
    program_.text.push_back(static_cast<std::byte>(value));
  }
}

}  // namespace accord
