#pragma once

#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// Markdown: reference manual of the machine's instruction set, from overview to energy.
std::string to_isa_manual(const Architecture& architecture);

/// What an argument means and may be; same order as Mnemonic::arguments.
struct ArgumentFact {
  std::string name;
  std::string words;  ///< Markdown
  std::string legal;  ///< `1 … 16`
};
std::vector<ArgumentFact> argument_facts(const Architecture& architecture, const Mnemonic& mnemonic);

/// The sections of one mnemonic below its encoding, Markdown.
std::string meaning_words(const Architecture& architecture, const Mnemonic& mnemonic);
std::string timing_words(const Architecture& architecture, const Mnemonic& mnemonic);
std::string energy_words(const Architecture& architecture, const Mnemonic& mnemonic);

}  // namespace accord
