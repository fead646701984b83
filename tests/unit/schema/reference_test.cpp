// Is the committed reference what the grammar gives?
#include <doctest/doctest.h>

#include "archdsl/schema/reference.h"
#include "tests/file_text.h"

TEST_CASE("docs/reference.md is up to date") {
  const bool same = accord::file_text(ACCORD_SOURCE_DIR "/docs/reference.md") == accord::reference_markdown();
  CHECK_MESSAGE(same, "rewrite it: accord schema --reference -o docs/reference.md");
}
