#pragma once

#include <filesystem>
#include <string>

#include "archdsl/check/load.h"

namespace accord::test {

/// The folder of the repository.
std::filesystem::path repository();

/// Loads a covenant with the overrides of its first line; every diagnostic fails the test.
Architecture load(const std::filesystem::path& file);

/// Loads tests/accept/NAME.yaml.
Architecture accepted(const std::string& name);

/// Parts by name; a missing one fails the test.
const Memory& memory(const Architecture& architecture, const std::string& name);
const Link& link(const Architecture& architecture, const std::string& name);
/// What the link takes per cycle of the reference clock.
double bytes_per_reference_cycle(const Link& link);
const Unit& unit(const Architecture& architecture, const std::string& name);
const Capability& capability(const Unit& unit, const std::string& name);
const Mnemonic& mnemonic(const Architecture& architecture, const std::string& name);

}  // namespace accord::test
