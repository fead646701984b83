#pragma once

#include <span>
#include <string>
#include <string_view>

#include "archdsl/source/grammar.h"

namespace accord {

/// What a form is called in the reference, and what may stand there.
struct FormText {
  Form form;
  std::string_view name;
  std::string_view meaning;
};

/// The forms of single values that the reference explains.
std::span<const FormText> form_texts();
std::string_view name_of(Form form);
std::string_view meaning_of(Form form);

/// "B, kB, KiB": units in which a form is written; empty where it has none.
std::string units_text(Form form);

/// The legal range of a form that is a number, in its base unit; empty where none is stated.
std::string range_text(Form form, Range range);

}  // namespace accord
