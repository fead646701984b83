#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "archdsl/isa/asm_text.h"
#include "archdsl/isa/program.h"
#include "archdsl/source/suggest.h"

namespace accord {

/// Assembles one text, line by line; mistakes are collected, and names that may come later are resolved in the end.
class Assembler {
 public:
  Assembler(const Architecture& architecture, const std::string& file);

  /// Throws Error with all mistakes.
  Program run(std::string_view text);

 private:
  static constexpr std::size_t most_mistakes = 100;  ///< that are shown

  using Directive = void (Assembler::*)(LineCursor&);

  /// A field whose value is a label (of a loop's end) or a symbol's address.
  struct Reference {
    std::size_t instruction = 0;
    std::size_t field = 0;
    std::string name;
    bool symbol = false;
    std::int64_t offset = 0;
    int line = 0;
    int column = 0;
  };
  /// Where the numbers or base64 lines that follow go.
  enum class Data { none, numbers, base64 };

  // assemble.cpp
  void statement(std::string_view line);
  bool label(LineCursor& cursor);
  void instruction(LineCursor& cursor);
  bool field(LineCursor& cursor, const Mnemonic& mnemonic, std::size_t expected);
  bool value(LineCursor& cursor, const Mnemonic& mnemonic, std::size_t field);
  bool reference(LineCursor& cursor, const Mnemonic& mnemonic, std::size_t field);
  void resolve(const Reference& reference);
  void drop_bounds();
  void finish();
  std::int64_t count() const { return static_cast<std::int64_t>(program_.text.size() / size_); }

  // assemble_directives.cpp
  static const std::unordered_map<std::string_view, Directive>& directives();
  void directive(std::string_view name, int column, LineCursor& cursor);
  void architecture_line(LineCursor& cursor);
  void controller_line(LineCursor& cursor);
  void symbol_line(LineCursor& cursor);
  bool strides(LineCursor& cursor, Symbol& symbol);
  bool part(LineCursor& cursor, Symbol& symbol);
  bool lies_within(const Symbol& symbol) const;
  void layer_line(LineCursor& cursor);
  void stage_line(LineCursor& cursor);
  void run_line(LineCursor& cursor);
  void at_line(LineCursor& cursor);
  void map_line(LineCursor& cursor);
  void bytes_line(LineCursor& cursor);
  void image_line(LineCursor& cursor);
  void zeros(LineCursor& cursor, std::int64_t room);
  void numbers(LineCursor& cursor);
  void element(std::string_view word, int column);
  bool base64_line(std::string_view line, int column);
  void end_data();
  void close_map_entry();
  void close_run();
  std::optional<std::string> text(LineCursor& cursor, std::string_view what);
  std::optional<std::int64_t> number(LineCursor& cursor, std::string_view what, std::int64_t low, std::int64_t high);
  std::optional<std::string> memory(LineCursor& cursor);
  std::optional<std::vector<std::int64_t>> list(LineCursor& cursor, std::string_view what);

  /// "; did you mean ..."; empty where no more mistakes are shown.
  std::string suggestion(std::string_view word, const auto& candidates) const {
    if (mistakes_.size() >= most_mistakes) return "";
    std::vector<std::string> names;
    for (const auto& candidate : candidates) names.push_back(candidate.name);
    const std::string hint = did_you_mean(word, names);
    return hint.empty() ? "" : "; " + hint;
  }
  /// Records a mistake of this line; always false.
  bool mistake(int column, std::string message) { return mistake(line_, column, std::move(message)); }
  bool mistake(int line, int column, std::string message);

  const Architecture& architecture_;
  const Isa& isa_;
  const std::string& file_;
  const std::size_t size_;  ///< bytes per instruction
  std::unordered_map<std::string_view, std::size_t> mnemonics_;
  std::unordered_map<std::string, std::int64_t> labels_;
  std::unordered_set<std::string> symbol_names_;
  std::unordered_map<std::string_view, std::int64_t> symbols_;  ///< addresses, once all are known
  std::vector<Reference> references_;
  Program program_;
  Instruction instruction_;
  std::vector<bool> given_;  ///< fields of this instruction

  int line_ = 0;
  std::vector<std::string> mistakes_;
  std::size_t mistake_count_ = 0;
  bool of_covenant_ = false;  ///< the text says which covenant it is for

  bool map_open_ = false;
  std::optional<std::size_t> open_run_;  ///< stage whose instructions are being read
  Data data_ = Data::none;
  ElementType element_type_{};
  std::int64_t zeros_left_ = most_zeros_in_text;
  std::int64_t data_left_ = 0;  ///< bytes that base64 lines still owe, or that the memory has room for
  std::size_t text_size_ = 0;
};

}  // namespace accord
