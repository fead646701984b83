#pragma once

#include <memory>

#include "cli/commands.h"
#include "compiler/mapping/searcher.h"

namespace accord {

/// Throws Error where a seed is given to a searcher that draws nothing.
std::shared_ptr<const Searcher> searcher_of(const SearcherChoice& choice);

}  // namespace accord
