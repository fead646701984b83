#include <fmt/format.h>

#include "archdsl/check/elaborate.h"

namespace accord {

namespace {

void report_forms(Elaboration& elaboration, const Place& place) {
  elaboration.scope.reporter().report("wrong-value", place, "sync is not one of its three forms",
                                      "`in_order`, `{semaphores: N}` or `{interlock: {entries: N}}`");
}

void read_semaphores(Elaboration& elaboration, const Node& node, Sync& sync) {
  sync.kind = Sync::Kind::semaphores;
  sync.semaphore_max = 255;
  if (!node.is_map()) {
    sync.semaphores = static_cast<int>(elaboration.scope.integer(node, "semaphores", {1, 65536}).value_or(1));
    return;
  }
  const MapReader reader(elaboration.scope, node, "semaphores", "semaphores");
  sync.semaphores = static_cast<int>(reader.integer("count"));
  sync.semaphore_max = reader.integer("max");
}

void read_interlock(Elaboration& elaboration, const Node& node, Sync& sync) {
  sync.kind = Sync::Kind::interlock;
  const MapReader reader(elaboration.scope, node, "interlock", "interlock");
  sync.entries = static_cast<int>(reader.integer("entries"));
}

}  // namespace

Sync read_sync(Elaboration& elaboration, const Node* node) {
  Sync sync;
  if (!node) return sync;
  elaboration.sync_place = node->place;
  if (!node->is_map()) {
    const auto text = elaboration.scope.text(*node, "sync");
    if (text && *text != "in_order") report_forms(elaboration, node->place);
    return sync;
  }
  const MapReader reader(elaboration.scope, *node, "sync", "sync");
  const Node* const semaphores = reader.find("semaphores");
  const Node* const interlock = reader.find("interlock");
  if (semaphores && !interlock) read_semaphores(elaboration, *semaphores, sync);
  if (interlock && !semaphores) read_interlock(elaboration, *interlock, sync);
  if (!semaphores == !interlock) report_forms(elaboration, node->place);
  return sync;
}

}  // namespace accord
