#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#include "archdsl/isa/assembler.h"
#include "archdsl/isa/int128.h"
#include "archdsl/isa/program_json.h"
#include "archdsl/source/error.h"
#include "archdsl/source/suggest.h"

namespace accord {
namespace {

/// The binding of the mnemonic that uses the field, nullptr where none does.
const Binding* binding_of(const Mnemonic& mnemonic, std::size_t field) {
  for (const Binding& binding : mnemonic.arguments) {
    if (binding.field == static_cast<int>(field)) return &binding;
  }
  for (const RegisterUpdate& update : mnemonic.updates) {
    if (update.amount.field == static_cast<int>(field)) return &update.amount;
  }
  return nullptr;
}

}  // namespace

Assembler::Assembler(const Architecture& architecture, const std::string& file)
    : architecture_(architecture),
      isa_(architecture.isa),
      file_(file),
      size_(static_cast<std::size_t>(architecture.isa.width) / 8) {
  for (std::size_t m = 0; m < isa_.mnemonics.size(); ++m) mnemonics_.emplace(isa_.mnemonics[m].name, m);
  program_.architecture = architecture.name;
  program_.architecture_hash = architecture.hash;
  program_.controller = architecture.controller.name;
}

bool Assembler::mistake(int line, int column, std::string message) {
  ++mistake_count_;
  if (mistakes_.size() < most_mistakes) {
    mistakes_.push_back(fmt::format("{}:{}:{}: {}", file_, line, column, message));
  }
  return false;
}

Program Assembler::run(std::string_view text) {
  text_size_ = text.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    statement(line);
  }
  finish();
  if (mistakes_.empty()) return std::move(program_);
  std::string all = fmt::format("{}", fmt::join(mistakes_, "\n"));
  if (mistake_count_ > mistakes_.size()) all += fmt::format("\n{} more mistakes", mistake_count_ - mistakes_.size());
  throw Error(all);
}

void Assembler::statement(std::string_view line) {
  LineCursor cursor(line);
  if (cursor.done()) return;
  if (data_ == Data::base64 && base64_line(cursor.rest(), cursor.column())) return;
  const char first = cursor.peek();
  if ((first >= '0' && first <= '9') || first == '-' || first == '+') {
    numbers(cursor);
    return;
  }
  end_data();
  while (label(cursor)) {
  }
  if (cursor.done()) return;
  if (cursor.peek() != '.') {
    instruction(cursor);
    return;
  }
  const int column = cursor.column();
  directive(cursor.word(), column, cursor);
}

bool Assembler::label(LineCursor& cursor) {
  if (cursor.done()) return false;
  LineCursor ahead = cursor;
  const int column = ahead.column();
  const std::string_view name = ahead.word(true);
  if (name.empty() || name.front() == '.' || !ahead.rest().starts_with(':')) return false;
  ahead.accept(':');
  if (!labels_.emplace(name, count()).second) mistake(column, fmt::format("label `{}` stands elsewhere too", name));
  cursor = ahead;
  return true;
}

void Assembler::instruction(LineCursor& cursor) {
  const int column = cursor.column();
  const std::string_view name = cursor.word();
  const auto found = mnemonics_.find(name);
  if (found == mnemonics_.end()) {
    mistake(column, fmt::format("unknown mnemonic `{}`{}", name.empty() ? cursor.rest().substr(0, 1) : name,
                                suggestion(name, isa_.mnemonics)));
    return;
  }
  const Mnemonic& mnemonic = isa_.mnemonics[found->second];
  instruction_.mnemonic = static_cast<int>(found->second);
  instruction_.fields.assign(mnemonic.fields.size(), 0);
  given_.assign(mnemonic.fields.size(), false);
  for (std::size_t expected = 0; !cursor.done(); ++expected) {
    if (expected > 0 && !cursor.accept(',')) {
      mistake(cursor.column(), "`,` or the end of the line expected");
      break;
    }
    if (!field(cursor, mnemonic, expected)) break;
  }
  if (program_.text.size() % size_ != 0) mistake(column, "an instruction follows bytes that are no whole instruction");
  program_.text.resize(program_.text.size() + size_);
  encode(isa_, instruction_, program_.text.data() + program_.text.size() - size_);
}

bool Assembler::field(LineCursor& cursor, const Mnemonic& mnemonic, std::size_t expected) {
  if (cursor.done()) return mistake(cursor.column(), "a field expected after `,`");
  const int column = cursor.column();
  const std::string_view name = cursor.word();
  std::size_t index = expected;
  if (index >= mnemonic.fields.size() || mnemonic.fields[index].name != name) {
    const auto found = std::find_if(mnemonic.fields.begin(), mnemonic.fields.end(),
                                    [name](const Field& candidate) { return candidate.name == name; });
    if (found == mnemonic.fields.end()) {
      return mistake(column,
                     fmt::format("`{}` has no field `{}`{}", mnemonic.name, name, suggestion(name, mnemonic.fields)));
    }
    index = static_cast<std::size_t>(found - mnemonic.fields.begin());
  }
  if (given_[index]) return mistake(column, fmt::format("field `{}` is given twice", name));
  given_[index] = true;
  if (!cursor.accept('=')) return mistake(cursor.column(), fmt::format("`=` expected after field `{}`", name));
  return value(cursor, mnemonic, index);
}

bool Assembler::value(LineCursor& cursor, const Mnemonic& mnemonic, std::size_t index) {
  const Field& f = mnemonic.fields[index];
  const bool negative = cursor.peek() == '-';
  const int column = cursor.column();
  const std::optional<std::int64_t> raw = cursor.number();
  if (!raw) return reference(cursor, mnemonic, index);
  // A number beyond 2^63 - 1 is kept as its bits and looks negative.
  const bool wraps = *raw < 0 && !negative;
  if (!fits(f, *raw) || (wraps && (f.bits < 64 || f.is_signed))) {
    mistake(column, fmt::format("field `{}` holds {} to {}, {} does not fit", f.name, lowest_raw(f), highest_raw(f),
                                wraps ? fmt::to_string(static_cast<std::uint64_t>(*raw)) : fmt::to_string(*raw)));
    return true;  // the line's other fields may hold mistakes too
  }
  if (const auto registers = legal_indices(isa_, mnemonic, index); registers && (*raw < 0 || *raw >= *registers)) {
    mistake(column,
            fmt::format("field `{}` chooses one of {} registers, {} is none of them", f.name, *registers, *raw));
    return true;
  }
  instruction_.fields[index] = *raw;
  return true;
}

bool Assembler::reference(LineCursor& cursor, const Mnemonic& mnemonic, std::size_t index) {
  const int column = cursor.column();
  Reference reference{static_cast<std::size_t>(count()), index, "", cursor.accept('@'), 0, line_, column};
  const std::optional<std::string> name = cursor.text();
  const Binding* binding = binding_of(mnemonic, index);
  const bool length =
      mnemonic.meaning == Meaning::loop && mnemonic.arguments.size() > 1 && binding == &mnemonic.arguments[1];
  if (!name || (!reference.symbol && !length)) {
    return mistake(column, fmt::format("a number{} or @symbol expected for field `{}`", length ? ", a label" : "",
                                       mnemonic.fields[index].name));
  }
  reference.name = *name;
  if (reference.symbol) {
    const std::size_t plus = name->rfind('+');
    LineCursor offset(plus == std::string::npos ? std::string_view("0") : std::string_view(*name).substr(plus));
    if (const auto bytes = offset.number(); bytes && plus != std::string::npos) {
      reference.name = name->substr(0, plus);
      reference.offset = *bytes;
    }
  }
  references_.push_back(std::move(reference));
  return true;
}

void Assembler::resolve(const Reference& reference) {
  const auto fail = [&](const std::string& message) { mistake(reference.line, reference.column, message); };
  std::byte* at = program_.text.data() + reference.instruction * size_;
  if (!decode(isa_, at, instruction_)) {
    assert(!mistakes_.empty());  // it stands where no instruction can
    return;
  }
  const Mnemonic& mnemonic = isa_.mnemonics[static_cast<std::size_t>(instruction_.mnemonic)];
  Int128 wanted = 0;
  if (reference.symbol) {
    const auto found = symbols_.find(reference.name);
    if (found == symbols_.end()) {
      return fail(fmt::format("unknown symbol `{}`{}", reference.name, suggestion(reference.name, program_.symbols)));
    }
    wanted = static_cast<Int128>(found->second) + reference.offset;
  } else {
    const auto found = labels_.find(reference.name);
    if (found == labels_.end()) return fail(fmt::format("unknown label `{}`", reference.name));
    wanted = found->second - static_cast<std::int64_t>(reference.instruction) - 1;
    if (wanted < 0)
      return fail(fmt::format("label `{}` does not stand behind the loop, whose end it is to be", reference.name));
  }
  const Binding* binding = binding_of(mnemonic, reference.field);
  const std::int64_t unit = binding != nullptr && binding->unit != 0 ? binding->unit : 1;
  wanted -= binding != nullptr ? binding->bias : 0;
  const Field& f = mnemonic.fields[reference.field];
  if (wanted % unit != 0) return fail(fmt::format("field `{}` counts in units of {}", f.name, unit));
  wanted /= unit;
  if (wanted < lowest_raw(f) || wanted > highest_raw(f)) {
    return fail(fmt::format("`{}` does not fit field `{}`, which holds {} to {} (in units of {})", reference.name,
                            f.name, lowest_raw(f), highest_raw(f), unit));
  }
  const auto registers = legal_indices(isa_, mnemonic, reference.field);
  if (registers && (wanted < 0 || wanted >= *registers))
    return fail(fmt::format("field `{}` chooses a register, `{}` is none", f.name, reference.name));
  instruction_.fields[reference.field] = static_cast<std::int64_t>(wanted);
  encode(isa_, instruction_, at);
}

// They are those of the covenant that the text was compiled for, and hold on no other.
void Assembler::drop_bounds() {
  for (Layer& layer : program_.layers) {
    layer.bound_cycles = 0;
    layer.compute_cycles = 0;
  }
}

void Assembler::finish() {
  ++line_;
  end_data();
  close_map_entry();
  close_run();
  for (const Symbol& symbol : program_.symbols) symbols_.emplace(symbol.name, symbol.address);
  for (const Reference& reference : references_) resolve(reference);
  if (!of_covenant_) drop_bounds();
  if (!mistakes_.empty()) return;
  try {
    check_consistency(program_);
  } catch (const Error& problem) {
    mistake(line_, 1, problem.what());
  }
}

Program assemble(const Architecture& architecture, const std::string& text, const std::string& file) {
  return Assembler(architecture, file).run(text);
}

}  // namespace accord
