#include "tests/accept/accepted.h"

#include "tests/overrides.h"

#include <doctest/doctest.h>

#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace accord::test {

namespace {

template <typename Part>
const Part& named(const std::vector<Part>& parts, const std::string& name) {
  for (const Part& part : parts) {
    if (part.name == name) return part;
  }
  throw std::out_of_range("nothing is called " + name);
}

}  // namespace

std::filesystem::path repository() { return ACCORD_SOURCE_DIR; }

Architecture load(const std::filesystem::path& file) {
  LoadResult result = load_architecture(file, overrides_of(file));
  for (const Diagnostic& diagnostic : result.diagnostics) {
    FAIL_CHECK(render(diagnostic));
  }
  REQUIRE(result.architecture.has_value());
  return *std::move(result.architecture);
}

Architecture accepted(const std::string& name) { return load(repository() / "tests/accept" / (name + ".yaml")); }

const Memory& memory(const Architecture& architecture, const std::string& name) {
  return named(architecture.memories, name);
}

const Link& link(const Architecture& architecture, const std::string& name) { return named(architecture.links, name); }

double bytes_per_reference_cycle(const Link& link) {
  return static_cast<double>(link.width * link.period.denominator) / static_cast<double>(link.period.numerator);
}

const Unit& unit(const Architecture& architecture, const std::string& name) { return named(architecture.units, name); }

const Capability& capability(const Unit& unit, const std::string& name) { return named(unit.capabilities, name); }

const Mnemonic& mnemonic(const Architecture& architecture, const std::string& name) {
  return named(architecture.isa.mnemonics, name);
}

}  // namespace accord::test
