#include "simulator/modules/ways.h"

#include "archdsl/graph/rates.h"

namespace accord::sim {

LinkModule::Way way_of(const Architecture& architecture, const Unit& unit, const Route* route, std::size_t hop,
                       bool write, int off_chip) {
  LinkModule::Way way{write, route ? route->source : off_chip, route ? route->target : off_chip};
  const Route* const like = route ? route : capability_route(unit);
  if (!like || like->links.empty()) return way;
  const bool against = !route && against_route(architecture, *like, write);
  const Link& link = architecture.links[static_cast<std::size_t>(like->links[hop])];
  if (!link.between.empty()) way.backward = like->backward[hop] != against;
  return way;
}

}  // namespace accord::sim
