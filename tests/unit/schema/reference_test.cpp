// Is the committed reference what the grammar gives?
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "archdsl/schema/reference.h"

TEST_CASE("docs/reference.md is up to date") {
  std::ifstream in(ACCORD_SOURCE_DIR "/docs/reference.md", std::ios::binary);
  const std::string committed{std::istreambuf_iterator<char>(in), {}};
  const bool same = committed == accord::reference_markdown();
  CHECK_MESSAGE(same, "rewrite it: accord schema --reference -o docs/reference.md");
}
