#include "archdsl/check/rules.h"

namespace accord {

void check_rules(Elaboration& elaboration) { (void)elaboration; }

}  // namespace accord
