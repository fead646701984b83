#pragma once

#include <string>
#include <string_view>

#include "archdsl/graph/architecture.h"

namespace accord {

/// A complete covenant with everything resolved: no params, no expressions, no defaults left to the reader. Loads to an
/// Architecture of the same hash. Names with dots or indices get `resolved: true` at the top.
/// Throws accord::Error where the language cannot say it: a field whose bindings disagree about its unit.
std::string to_yaml(const Architecture& architecture);

/// Version, name, citation and clocks: what stands above the sections.
std::string yaml_head(const Architecture& architecture);

/// The value of one section, its lines indented by `indent`, ending with a newline. A value that is a map begins with
/// a newline, so that it may follow the key's colon.
std::string yaml_clocks(const Architecture& architecture);
std::string yaml_numerics(const Numerics& numerics);
std::string yaml_components(const Architecture& architecture);
std::string yaml_sync(const Sync& sync);
std::string yaml_isa(const Architecture& architecture);

/// The components, one entry a unit, without a controller where its name is empty.
std::string yaml_unit(const Architecture& architecture, const Unit& unit);

/// A scalar as YAML: plain where that is safe in every context, else in double quotes.
std::string yaml_scalar(std::string_view text);

/// Always in double quotes.
std::string yaml_quoted(std::string_view text);

/// Shortest text that reads back as the same number.
std::string yaml_number(double value);

/// A binding as the covenant writes it: `r[base] + disp + 64`.
std::string binding_text(const Isa& isa, const Mnemonic& mnemonic, const Binding& binding);

/// A register as the covenant writes it: `r[base]`, `r[3]`, `lo`.
std::string register_text(const Isa& isa, const Mnemonic& mnemonic, Binding::Base base, int reg, int index_field);

/// What the field's raw value counts, 1 where nothing reads it as a value. Throws accord::Error where bindings
/// disagree.
std::int64_t field_unit(const Mnemonic& mnemonic, int field);

/// Name of the mnemonic's unit, with the field's name for each index that a field chooses: `core[c].mesh`. Throws
/// accord::Error where the units' names do not show what the fields choose.
std::string unit_text(const Architecture& architecture, const Mnemonic& mnemonic);

/// `UNIT.FROM->TO`, `UNIT.CAPABILITY`, `UNIT`, the unit as in unit_text;
/// empty for meanings without a unit.
std::string target_text(const Architecture& architecture, const Mnemonic& mnemonic);

/// "round_robin", ...
std::string_view name(Arbitration arbitration);

/// "set", "transfer", ...
std::string_view name(Meaning meaning);

}  // namespace accord
