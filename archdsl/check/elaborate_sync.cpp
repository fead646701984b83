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
  MapReader reader(elaboration.scope, node, "semaphores");
  sync.semaphores = static_cast<int>(reader.integer("count", {1, 65536}, std::nullopt));
  sync.semaphore_max = reader.integer("max", {1, std::int64_t{1} << 31}, sync.semaphore_max);
  reader.finish();
}

void read_interlock(Elaboration& elaboration, const Node& node, Sync& sync) {
  sync.kind = Sync::Kind::interlock;
  MapReader reader(elaboration.scope, node, "interlock");
  sync.entries = static_cast<int>(reader.integer("entries", {1, 65536}, std::nullopt));
  reader.finish();
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
  MapReader reader(elaboration.scope, *node, "sync");
  const Node* const semaphores = reader.find("semaphores");
  const Node* const interlock = reader.find("interlock");
  reader.finish();
  if (semaphores && !interlock) read_semaphores(elaboration, *semaphores, sync);
  if (interlock && !semaphores) read_interlock(elaboration, *interlock, sync);
  if (!semaphores == !interlock) report_forms(elaboration, node->place);
  return sync;
}

}  // namespace accord
