// Do names with indices come apart and together?
#include "archdsl/export/names.h"

#include <doctest/doctest.h>

using namespace accord;

namespace {

std::string folded(const std::vector<std::string>& names) {
  std::vector<NameParts> parts;
  for (const std::string& name : names) parts.push_back(parts_of(name));
  return folded_name(parts);
}

}  // namespace

TEST_CASE("dots and indices take a name apart") {
  CHECK(parts_of("spad") == NameParts{{"spad", {}}});
  CHECK(parts_of("core[2].mac[0][31]") == NameParts{{"core", {2}}, {"mac", {0, 31}}});
  for (const char* const odd :
       {"a.", ".a", "a[", "a[]", "a[x]", "a]0[", "a[0]b", "a[-1]", "a[01]", "a b", "", "a[99999999999999999999]"}) {
    CAPTURE(odd);
    CHECK(parts_of(odd) == NameParts{{odd, {}}});
    CHECK_FALSE(is_hierarchical(odd));
  }
  CHECK(is_hierarchical("core[2]"));
  CHECK(is_hierarchical("noc.router"));
  CHECK_FALSE(is_hierarchical("core"));
}

TEST_CASE("names of one pattern fold into ranges") {
  CHECK(folded({"spad"}) == "spad");
  CHECK(folded({"core[0].spad", "core[2].spad", "core[1].spad"}) == "core[0..2].spad");
  CHECK(folded({"pe[0][0]", "pe[0][1]", "pe[1][0]", "pe[1][1]"}) == "pe[0..1][0..1]");
  CHECK(folded({"a[0]", "a[1]", "a[5]"}) == "a[0..1,5]");
  CHECK(folded({"a[0]", "a[2]", "a[4]", "a[6]", "a[8]"}) == "a[0..8]");
  CHECK(folded({"pe[0][0]", "pe[1][1]"}) == "pe[0..1][0..1] (2)");
}

TEST_CASE("any name gives an identifier") {
  CHECK(identifier_of("core[2].mac") == "core_2_mac");
  CHECK(identifier_of("2 x") == "_2_x");
  CHECK(identifier_of("") == "_");
}
