#pragma once

#include <filesystem>
#include <string>

#include "archdsl/graph/architecture.h"

namespace accord {

/// Graphviz: memories, units, links and controller as nodes; routes and capability operands as edges.
std::string to_dot(const Architecture& architecture);

/// Everything that the covenant resolves to, with citation and hash.
std::string to_json(const Architecture& architecture);

/// Writes the picture or data that the path's extension names: .dot, .json, .yaml, .xml (IP-XACT: a set of files), .svg
/// (needs Graphviz). Throws accord::Error on any other extension, where the file cannot be written, or where `dot` is
/// missing or fails.
void show(const Architecture& architecture, const std::filesystem::path& path);

/// Throws accord::Error where the file cannot be written.
void write_export(const std::filesystem::path& path, const std::string& text);

}  // namespace accord
