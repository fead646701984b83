#include "cli/searcher_choice.h"

#include "archdsl/source/error.h"

namespace accord {

std::shared_ptr<const Searcher> searcher_of(const SearcherChoice& choice) {
  if (choice.seed && choice.name != "random") throw Error("--search-seed is for --searcher random");
  return make_searcher(choice.name, choice.seed.value_or(0));
}

}  // namespace accord
