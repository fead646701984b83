#include "archdsl/check/load.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "archdsl/check/elaborate.h"
#include "archdsl/check/resolved.h"
#include "archdsl/check/rules.h"
#include "archdsl/expand/compose.h"
#include "archdsl/expand/params.h"

namespace accord {

namespace {

void read_version(Scope& scope, const Node* node) {
  const auto text = node ? scope.text(*node, "accord") : std::nullopt;
  if (text && *text != "1") {
    scope.reporter().report("wrong-version", node->place,
                            fmt::format("language version `{}` is not known; this is version 1", *text));
  }
}

void read_tables(Scope& scope, const Node* node, const std::vector<std::filesystem::path>& search) {
  for (const NodeEntry& entry : scope.entries(node, "tables", 64)) {
    if (!scope.check_name(entry.key.text, entry.key.place, "table")) continue;
    const Node root = read_named_file(scope.reporter(), entry.value, search);
    const std::size_t errors = scope.reporter().errors();
    FigureTable table;
    if (root.kind != Node::Kind::null) table = read_figure_table(scope, root);
    table.broken = root.kind == Node::Kind::null || scope.reporter().errors() > errors;
    scope.add_table(entry.key.text, std::move(table));
  }
}

/// Runs a section's reader; true where it found nothing wrong.
bool sound(Scope& scope, const auto& read_section) {
  const std::size_t errors = scope.reporter().errors();
  read_section();
  return scope.reporter().errors() == errors;
}

void read_machine(Elaboration& elaboration, const MapReader& reader) {
  const Node& components = *reader.find("components");
  Scope& scope = elaboration.scope;
  const std::size_t errors = scope.reporter().errors();
  elaboration.expansion = expand(scope, reader.find("templates"), components, reader.flag("resolved"));
  if (const Node* const wiring = reader.find("wiring")) expand_wiring(scope, *wiring, elaboration.expansion);
  elaboration.expansion_sound = scope.reporter().errors() == errors;
  read_components(elaboration, components.place);
}

/// False where the document is no map at all.
bool read_covenant(Elaboration& elaboration, const Node& root, const std::map<std::string, std::string>& overrides,
                   const std::vector<std::filesystem::path>& search) {
  Scope& scope = elaboration.scope;
  Architecture& architecture = elaboration.architecture;
  const MapReader reader(scope, root, "covenant", "the covenant");
  if (!reader.valid()) return false;
  read_version(scope, reader.find("accord"));
  declare_params(scope, reader.find("params"), overrides);
  read_tables(scope, reader.find("tables"), search);
  scope.read_all_params();
  architecture.name = reader.text("name");
  if (const Node* const name = reader.find("name")) scope.check_name(architecture.name, name->place, "name");
  architecture.source = reader.text("source");
  architecture.clocks = read_clocks(elaboration, reader);
  architecture.clock_hz = architecture.clocks[0].hz;
  architecture.numerics = read_numerics(elaboration, reader.find("numerics"));
  elaboration.components_sound = reader.find("components") && sound(scope, [&] { read_machine(elaboration, reader); });
  scope.set_clock(architecture.clock_hz);
  elaboration.sync_sound = sound(scope, [&] { architecture.sync = read_sync(elaboration, reader.find("sync")); });
  const Node* const isa = reader.find("isa");
  elaboration.isa_sound = isa && sound(scope, [&] { read_isa(elaboration, *isa); });
  scope.read_all_params();
  return true;
}

std::optional<Architecture> elaborate(Reporter& reporter, const std::map<std::string, std::string>& overrides,
                                      const std::vector<std::filesystem::path>& search) {
  const Node root = compose(reporter, search);
  Scope scope(reporter);
  Elaboration elaboration(scope);
  if (root.kind == Node::Kind::null && reporter.errors() > 0) return std::nullopt;
  if (read_covenant(elaboration, root, overrides, search)) check_rules(elaboration);
  if (reporter.errors() > 0) return std::nullopt;
  elaboration.architecture.hash = hash_of(elaboration.architecture);
  return std::move(elaboration.architecture);
}

}  // namespace

std::vector<std::filesystem::path> covenant_path() {
  std::vector<std::filesystem::path> folders;
  const char* const given = std::getenv("ACCORD_PATH");
  std::istringstream in(given ? given : "");
  for (std::string folder; std::getline(in, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  const std::filesystem::path shipped = ACCORD_CONFIGS_DIR;
  folders.push_back(shipped);
  folders.push_back(shipped / "accelerators");
  return folders;
}

LoadResult load_architecture(const std::filesystem::path& file, const std::map<std::string, std::string>& overrides) {
  LoadResult result;
  Reporter reporter(file.string());
  if (reporter.read()) {
    try {
      result.architecture = elaborate(reporter, overrides, covenant_path());
    } catch (const TooManyErrors&) {
    }
  }
  for (int i = 0; i < reporter.files(); ++i) result.files.push_back(reporter.path(i));
  result.diagnostics = reporter.take();
  return result;
}

}  // namespace accord
