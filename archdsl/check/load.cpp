#include "archdsl/check/load.h"

#include <fmt/format.h>

#include "archdsl/check/elaborate.h"
#include "archdsl/check/resolved.h"
#include "archdsl/check/rules.h"

namespace accord {

namespace {

void read_version(Scope& scope, const Node* node) {
  const auto text = node ? scope.text(*node, "accord") : std::nullopt;
  if (text && *text != "1") {
    scope.reporter().report("wrong-version", node->place,
                            fmt::format("language version `{}` is not known; this is version 1", *text));
  }
}

/// `clock: 1 GHz` or `clocks: {core: 1 GHz}`.
double read_clock(Scope& scope, MapReader& reader) {
  const Node* node = reader.find("clock");
  const Node* const clocks = reader.find("clocks");
  if (node && clocks) {
    scope.reporter().report("duplicate-name", clocks->place, "`clock` and `clocks` both state the clock");
  } else if (clocks && (!clocks->is_map() || clocks->entries.size() != 1)) {
    scope.reporter().report("wrong-form", clocks->place, "clocks is a map of exactly one clock domain: {core: 1 GHz}");
  } else if (clocks) {
    node = &clocks->entries[0].value;
  }
  return node ? scope.frequency(*node, "clock").value_or(1e9) : 1e9;
}

/// False where the document is no map at all.
bool read_covenant(Elaboration& elaboration, const Node& root, const std::map<std::string, std::string>& overrides) {
  Scope& scope = elaboration.scope;
  Architecture& architecture = elaboration.architecture;
  MapReader reader(scope, root, "the covenant");
  if (!reader.valid()) return false;
  read_version(scope, reader.require("accord"));
  read_params(scope, reader.find("params"), overrides);
  architecture.name = reader.text("name", std::nullopt);
  if (const Node* const name = reader.find("name")) scope.check_name(architecture.name, name->place, "name");
  architecture.source = reader.text("source", "");
  architecture.clock_hz = read_clock(scope, reader);
  scope.set_clock(architecture.clock_hz);
  architecture.numerics = read_numerics(elaboration, reader.find("numerics"));
  const auto sound = [&](auto&& read_section) {
    const std::size_t errors = scope.reporter().errors();
    read_section();
    return scope.reporter().errors() == errors;
  };
  elaboration.components_sound = sound([&] {
    if (const Node* const components = reader.require("components")) read_components(elaboration, *components);
  });
  elaboration.sync_sound = sound([&] { architecture.sync = read_sync(elaboration, reader.find("sync")); });
  elaboration.isa_sound = sound([&] {
    if (const Node* const isa = reader.require("isa")) read_isa(elaboration, *isa);
  });
  reader.finish();
  return true;
}

std::optional<Architecture> elaborate(Reporter& reporter, const std::map<std::string, std::string>& overrides) {
  const Node root = parse_document(reporter);
  Scope scope(reporter);
  Elaboration elaboration(scope);
  if (root.kind == Node::Kind::null && reporter.errors() > 0) return std::nullopt;
  if (read_covenant(elaboration, root, overrides)) check_rules(elaboration);
  if (reporter.errors() > 0) return std::nullopt;
  elaboration.architecture.hash = hash_of(elaboration.architecture);
  return std::move(elaboration.architecture);
}

}  // namespace

LoadResult load_architecture(const std::filesystem::path& file, const std::map<std::string, std::string>& overrides) {
  LoadResult result;
  Reporter reporter(file.string());
  if (reporter.read()) {
    try {
      result.architecture = elaborate(reporter, overrides);
    } catch (const TooManyErrors&) {
    }
  }
  result.diagnostics = reporter.take();
  return result;
}

}  // namespace accord
