#include "archdsl/export/show.h"

#include "cli/commands.h"

namespace accord {

Exit run_command(const ShowCommand& command) {
  show(load_or_report(command.choice), command.output);
  return Exit::right;
}

}  // namespace accord
