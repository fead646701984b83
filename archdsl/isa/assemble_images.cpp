#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "archdsl/isa/assembler.h"
#include "archdsl/isa/base64.h"
#include "archdsl/tensor/convert.h"

namespace accord {
namespace {

std::optional<double> parse_double(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

void Assembler::image_line(LineCursor& cursor) {
  const auto memory_name = memory(cursor);
  if (!memory_name) return;
  const auto found = std::find_if(architecture_.memories.begin(), architecture_.memories.end(),
                                  [&](const Memory& candidate) { return candidate.name == *memory_name; });
  const auto address = number(cursor, "an address inside the memory", 0, found->capacity);
  if (!address) return;
  const std::int64_t room = found->capacity - *address;
  cursor.peek();
  const int column = cursor.column();
  const std::string_view kind = cursor.word();
  const auto type = parse_element_type(kind);
  if (!type && kind != "zeros" && kind != "base64") {
    mistake(column, "an element type with numbers, `zeros COUNT` or `base64 COUNT` expected");
    return;
  }
  program_.images.push_back({*memory_name, *address, {}, 0});
  data_left_ = room;
  if (type) {
    data_ = Data::numbers;
    element_type_ = *type;
    if (!cursor.done()) numbers(cursor);
  } else if (kind == "zeros") {
    zeros(cursor, room);
  } else if (const auto size = number(cursor, "a number of bytes that the memory has room for", 0, room)) {
    data_ = *size > 0 ? Data::base64 : Data::none;
    data_left_ = *size;
    program_.images.back().bytes.own().reserve(std::min(static_cast<std::size_t>(*size), text_size_));
  }
}

void Assembler::zeros(LineCursor& cursor, std::int64_t room) {
  cursor.peek();
  const int column = cursor.column();
  const auto size = number(cursor, "a number of bytes", 0, room);
  if (!size) return;
  if (*size > zeros_left_) {
    mistake(column, "the zeros of a text are at most 1 GiB in all");
    return;
  }
  zeros_left_ -= *size;
  program_.images.back().zeros = *size;
}

void Assembler::numbers(LineCursor& cursor) {
  if (data_ != Data::numbers) {
    mistake(cursor.column(), "a mnemonic or a directive expected (numbers may only follow `.image` and its type)");
    return;
  }
  while (!cursor.done()) {
    const int column = cursor.column();
    element(cursor.word(), column);
    cursor.accept(',');
    if (data_ == Data::none) return;
  }
}

void Assembler::element(std::string_view word, int column) {
  const auto fail = [&](const std::string& message) {
    mistake(column, message);
    data_ = Data::none;
  };
  const std::int64_t size = bytes(element_type_);
  if (data_left_ < size) return fail("the memory ends here");
  LineCursor cursor(word);
  const bool negative = word.starts_with('-');
  const std::optional<std::int64_t> integer = cursor.number();
  const bool wraps = integer && *integer < 0 && !negative;
  const std::optional<double> real = integer && !wraps ? static_cast<double>(*integer) : parse_double(word);
  if (!real) return fail(fmt::format("a number of type {} expected, not `{}`", name(element_type_), word));
  if (!is_float(element_type_) &&
      (*real != std::floor(*real) || *real < lowest(element_type_) || *real > highest(element_type_) || wraps)) {
    return fail(fmt::format("{} holds integers from {} to {}, not {}", name(element_type_), lowest(element_type_),
                            highest(element_type_), word));
  }
  // The shortest text of the greatest fp32 lies above it.
  if (is_float(element_type_) && std::isfinite(*real) && std::abs(static_cast<float>(*real)) > highest(element_type_)) {
    return fail(fmt::format("{} holds numbers from {:g} to {:g}, not {}", name(element_type_), lowest(element_type_),
                            highest(element_type_), word));
  }
  std::vector<std::byte>& to = program_.images.back().bytes.own();
  to.resize(to.size() + static_cast<std::size_t>(size));
  std::byte* at = to.data() + to.size() - size;
  if (element_type_ == ElementType::i64 && integer) {
    std::memcpy(at, &*integer, sizeof *integer);
  } else {
    store_element(at, element_type_, *real);
  }
  data_left_ -= size;
}

bool Assembler::base64_line(std::string_view line, int column) {
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  std::vector<std::byte>& to = program_.images.back().bytes.own();
  const std::size_t before = to.size();
  if (const auto wrong = decode_base64(line, to)) {
    if (*wrong == 0) return false;  // some other line; end_data says what is missing
    mistake(column + static_cast<int>(*wrong), "base64 (groups of four characters) expected");
    data_ = Data::none;
    return true;
  }
  data_left_ -= static_cast<std::int64_t>(to.size() - before);
  if (data_left_ < 0) mistake(column, fmt::format("{} bytes more than the image holds", -data_left_));
  if (data_left_ <= 0) data_ = Data::none;
  return true;
}

void Assembler::end_data() {
  if (data_ == Data::base64) mistake(1, fmt::format("base64 expected: the image lacks {} bytes", data_left_));
  data_ = Data::none;
}

}  // namespace accord
