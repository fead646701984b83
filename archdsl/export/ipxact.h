#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "archdsl/graph/architecture.h"

namespace accord {

/// One document of an IP-XACT set.
struct IpxactFile {
  std::string path;  ///< relative to the catalog's folder
  std::string text;
};

/// IEEE 1685-2014 documents: the catalog `STEM.xml` first, then in the folder `STEM.ipxact` two bus definitions, a
/// component for every kind of instance (instances that are alike share one), the machine as a component, and its
/// design. What IP-XACT has no words for stands in vendorExtensions (docs/exports.md).
std::vector<IpxactFile> to_ipxact(const Architecture& architecture, const std::string& stem);

/// Writes the set: the catalog at `catalog`, the rest beside it. Throws accord::Error where a file cannot be written.
void write_ipxact(const Architecture& architecture, const std::filesystem::path& catalog);

/// Covenant text of an IP-XACT catalog: complete for sets that Accord wrote, else the structure that IP-XACT can say,
/// with comments where something was guessed, left out or is missing. Throws accord::Error where a file is no
/// well-formed, consistent IP-XACT or beyond the limits; opens no file outside the catalog's folder.
std::string import_ipxact(const std::filesystem::path& catalog);

}  // namespace accord
