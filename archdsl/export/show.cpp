#include "archdsl/export/show.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "archdsl/check/resolved.h"
#include "archdsl/export/ipxact.h"
#include "archdsl/export/yaml.h"
#include "archdsl/source/error.h"

extern char** environ;

namespace accord {

namespace {

/// Graphviz reads a temporary file, so that no pipe can block.
void write_svg(const std::filesystem::path& path, const std::string& dot) {
  write_export(path, "");
  const std::filesystem::path source = std::filesystem::temp_directory_path() / fmt::format("accord_{}.dot", getpid());
  write_export(source, dot);
  std::string program = "dot", format = "-Tsvg", output = fmt::format("-o{}", path.string()), input = source.string();
  std::array<char*, 5> arguments = {program.data(), format.data(), output.data(), input.data(), nullptr};
  pid_t child = 0;
  int status = 0;
  const bool started = posix_spawnp(&child, "dot", nullptr, nullptr, arguments.data(), environ) == 0;
  const bool finished = started && waitpid(child, &status, 0) == child && WIFEXITED(status);
  std::filesystem::remove(source);
  if (finished && WEXITSTATUS(status) == 0) return;
  std::filesystem::remove(path);
  if (!started || (finished && WEXITSTATUS(status) == 127)) {
    throw Error("a .svg needs the program `dot` (Debian package graphviz); .dot, .json, .yaml and .xml do not");
  }
  throw Error(fmt::format("`dot` could not draw {}", path.string()));
}

}  // namespace

void write_export(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error(fmt::format("{} cannot be written", path.string()));
}

std::string to_json(const Architecture& architecture) {
  nlohmann::json json = resolved(architecture);
  json["source"] = architecture.source;
  json["hash"] = architecture.hash;
  return json.dump(2) + "\n";
}

void show(const Architecture& architecture, const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".dot") {
    write_export(path, to_dot(architecture));
  } else if (extension == ".json") {
    write_export(path, to_json(architecture));
  } else if (extension == ".xml") {
    write_ipxact(architecture, path);
  } else if (extension == ".yaml") {
    write_export(path, to_yaml(architecture));
  } else if (extension == ".svg") {
    write_svg(path, to_dot(architecture));
  } else {
    throw Error(fmt::format("{}: the formats are .svg, .dot, .json, .xml and .yaml", path.string()));
  }
}

}  // namespace accord
