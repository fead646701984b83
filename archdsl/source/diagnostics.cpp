#include "archdsl/source/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace accord {

namespace {

constexpr std::array codes = {
    DiagnosticCode{"unreadable-file", Severity::error,
                   "The covenant does not exist, is no regular file, or is larger than 4 MiB."},
    DiagnosticCode{"invalid-text", Severity::error, "The file is not UTF-8 text or holds control characters."},
    DiagnosticCode{"yaml-syntax", Severity::error, "The file is not one well-formed YAML document."},
    DiagnosticCode{"yaml-limits", Severity::error,
                   "More than 64 levels of nesting or 200000 values once aliases are expanded."},
    DiagnosticCode{"yaml-alias", Severity::error, "An alias stands inside the value that its anchor names."},
    DiagnosticCode{"yaml-key", Severity::error, "A key is a list or a map."},
    DiagnosticCode{"duplicate-key", Severity::error,
                   "A key occurs twice in one map, or in a file and in one that it includes."},
    DiagnosticCode{"include-circle", Severity::error, "A file includes or extends itself, directly or by others."},
    DiagnosticCode{"unknown-key", Severity::error, "A key that this map does not have."},
    DiagnosticCode{"missing-key", Severity::error, "A key that this map must have is absent."},
    DiagnosticCode{"wrong-form", Severity::error, "A map, list or single value stands where another form is expected."},
    DiagnosticCode{"wrong-value", Severity::error,
                   "A value of the wrong kind: not a number, not one of the words allowed, not that unit."},
    DiagnosticCode{"out-of-range", Severity::error, "A number outside its legal range."},
    DiagnosticCode{"wrong-version", Severity::error, "`accord` names a language version other than 1."},
    DiagnosticCode{"bad-name", Severity::error, "A name that is not letters, digits and `_`, or that is reserved."},
    DiagnosticCode{"duplicate-name", Severity::error, "Two things of one kind share a name."},
    DiagnosticCode{"unknown-name", Severity::error,
                   "A reference to a component, capability, operand, field or register that does not exist."},
    DiagnosticCode{"wrong-component", Severity::error, "A reference names a component of the wrong kind."},
    DiagnosticCode{"unknown-param", Severity::error,
                   "An expression or an override names a param that does not exist (yet)."},
    DiagnosticCode{"bad-expression", Severity::error, "A `${...}` that cannot be evaluated."},
    DiagnosticCode{"bad-override", Severity::error, "An override's value has another kind or unit than the param."},
    DiagnosticCode{"bad-argument", Severity::error, "An argument's value has another kind or unit than the param."},
    DiagnosticCode{"bad-table", Severity::error, "A curve of a table of figures that cannot be read."},
    DiagnosticCode{"too-many-components", Severity::error,
                   "Arrays and templates expand to more than 16384 components or 2000000 values, or nest without end."},
    DiagnosticCode{"bad-wiring", Severity::error, "An entry of `wiring` that describes no links."},
    DiagnosticCode{"bad-clock", Severity::error, "Clock domains in no usable ratio."},
    DiagnosticCode{"unused-param", Severity::warning, "A param that no expression uses."},
    DiagnosticCode{"bad-statement", Severity::error, "A tensor statement that does not parse or does not type."},
    DiagnosticCode{"bad-formula", Severity::error, "A timing formula that does not parse."},
    DiagnosticCode{"bad-dimension", Severity::error,
                   "A dimension without a range, or one that its statements do not use."},
    DiagnosticCode{
        "bad-operand", Severity::error,
        "An operand without a place, with steps that do not fit its rank or elements, or that no statement uses."},
    DiagnosticCode{"bad-walk", Severity::error,
                   "A step that is neither given nor follows from the dimensions before it."},
    DiagnosticCode{"bad-multicast", Severity::error, "The targets of a multicast are not alike."},
    DiagnosticCode{"bad-capacity", Severity::error,
                   "A capacity that is not a multiple of word times banks, or partitions that do not add up."},
    DiagnosticCode{"controller-count", Severity::error, "A covenant has exactly one controller."},
    DiagnosticCode{"not-fed", Severity::error, "A unit that the controller does not feed."},
    DiagnosticCode{"no-off-chip", Severity::error, "No off-chip memory: nothing holds a network's tensors."},
    DiagnosticCode{"unreachable", Severity::error,
                   "No routes lead from off-chip memory to what a capability reads, or back from what it writes."},
    DiagnosticCode{"bad-timing", Severity::error,
                   "A timing formula that can be negative, or an interval that can be 0."},
    DiagnosticCode{"unused-component", Severity::warning, "A memory, link, unit, clock or template that nothing uses."},
    DiagnosticCode{"uneven-width", Severity::warning, "Widths on one way that do not divide each other."},
    DiagnosticCode{"short-fifo", Severity::warning,
                   "A link's FIFO that holds less than a beat: it acts as one of a beat."},
    DiagnosticCode{"no-way", Severity::warning,
                   "Links lead to some elements of an array and not to others, or not to where the route says."},
    DiagnosticCode{"rounded-clock", Severity::warning,
                   "A unit whose clock's cycle is no whole number of reference cycles: each operation is rounded up."},
    DiagnosticCode{"unused-arbitration", Severity::warning,
                   "Arbitration of a link on a machine that runs in order: nothing waits that it could choose among."},
    DiagnosticCode{"few-semaphores", Severity::warning,
                   "Fewer semaphores than directed pairs of units that share on-chip data."},
    DiagnosticCode{
        "short-field", Severity::warning,
        "A field, with its register and unit, that does not reach the whole memory that it addresses, or all "
        "semaphores."},
    DiagnosticCode{"short-scalar", Severity::warning,
                   "A field or register too short for the bits of a float argument, which are those of an fp32."},
    DiagnosticCode{"lost-sum", Severity::warning,
                   "A statement assigns for every value of a dimension that its target does not have."},
    DiagnosticCode{"overlapping-results", Severity::warning,
                   "Wired steps with which elements that a capability writes lie in the same bytes."},
    DiagnosticCode{"other-accumulator", Severity::warning,
                   "No unit sums products in the accumulator's type: layers with products go to the host."},
    DiagnosticCode{"missing-mnemonic", Severity::warning, "A capability or route that no mnemonic starts."},
    DiagnosticCode{"missing-fence", Severity::error, "Units run on their own and no mnemonic waits for all of them."},
    DiagnosticCode{"missing-sync", Severity::error,
                   "With semaphores every unit needs a mnemonic for wait and one for signal."},
    DiagnosticCode{"loop-depth", Severity::error, "A mnemonic loops, but the controller's `loop_depth` is 0."},
    DiagnosticCode{"bad-encoding", Severity::error,
                   "An opcode or a field that does not fit the instruction, or two that overlap."},
    DiagnosticCode{"duplicate-opcode", Severity::error, "Two mnemonics share an opcode."},
    DiagnosticCode{"unlike-elements", Severity::error, "A mnemonic chooses between elements of an array that differ."},
    DiagnosticCode{"missing-argument", Severity::error, "An argument of the meaning is not bound and has no default."},
    DiagnosticCode{"bad-binding", Severity::error, "An argument's binding cannot be understood."},
    DiagnosticCode{"useless-binding", Severity::error, "A binding that reaches no legal value of its argument."},
    DiagnosticCode{"unused-field", Severity::error, "A field that no argument of its mnemonic reads."},
    DiagnosticCode{"unused-register", Severity::warning, "A register that no mnemonic reads."},
    DiagnosticCode{"unset-register", Severity::warning, "A register that no mnemonic sets: it is always 0."},
    DiagnosticCode{"bad-accumulator", Severity::error, "Sums in an unsigned type, or of floats in integers."},
    DiagnosticCode{"bad-requantise", Severity::error,
                   "`numerics.requantise` does not parse, or gives another type than `storage`."},
    DiagnosticCode{"unsigned-numerics", Severity::warning,
                   "Activations or weights of an unsigned type: no network compiles for the machine."},
    DiagnosticCode{"unknown-parameter", Severity::warning,
                   "A parameter of the requantisation that the compiler has no values for: no network compiles."},
};

std::string_view word(Severity severity) {
  static constexpr std::array<std::string_view, 3> words = {"error", "warning", "note"};
  return words[static_cast<std::size_t>(severity)];
}

std::string position(const Location& where) {
  if (where.line == 0) return where.file;
  return fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

constexpr int widest_excerpt = 160;

/// Byte offset of the character with this 0-based number.
std::size_t offset_of(std::string_view line, int character) {
  std::size_t at = 0;
  for (; at < line.size(); ++at) {
    const bool continuation = (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
    if (!continuation && character-- == 0) break;
  }
  return at;
}

/// The source line and a caret below it; tabs stay tabs so that both line up. Long lines are cut around the caret.
std::string excerpt(const Diagnostic& diagnostic) {
  if (diagnostic.line.empty() || diagnostic.where.column < 1) return {};
  const int caret = diagnostic.where.column - 1;
  const std::string_view line = diagnostic.line;
  const bool fits = offset_of(line, widest_excerpt) == line.size();
  const int first = fits ? 0 : std::max(0, caret - widest_excerpt / 2);
  const std::size_t begin = offset_of(line, first);
  const std::size_t end = offset_of(line, first + widest_excerpt);
  const std::string_view shown = line.substr(begin, end - begin);
  std::string margin(first > 0 ? 3 : 0, ' ');
  for (const char c : shown.substr(0, offset_of(shown, caret - first))) {
    const bool continuation = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (!continuation) margin += c == '\t' ? '\t' : ' ';
  }
  const int underlined = std::clamp(diagnostic.length - 1, 0, widest_excerpt / 2);
  return fmt::format("  {}{}{}\n  {}^{:~<{}}\n", first > 0 ? "..." : "", shown, end < line.size() ? "..." : "", margin,
                     "", underlined);
}

}  // namespace

std::span<const DiagnosticCode> diagnostic_codes() { return codes; }

std::string render(const Diagnostic& diagnostic) {
  const std::string code = diagnostic.code.empty() ? "" : fmt::format("[{}]", diagnostic.code);
  std::string text = fmt::format("{}: {}{}: {}\n{}", position(diagnostic.where), word(diagnostic.severity), code,
                                 diagnostic.message, excerpt(diagnostic));
  if (!diagnostic.hint.empty()) text += fmt::format("  hint: {}\n", diagnostic.hint);
  for (const Diagnostic& note : diagnostic.notes) text += render(note);
  return text;
}

}  // namespace accord
