#pragma once

#include <functional>

#include "cli/commands.h"

namespace accord {

/// Runs a command; what it throws becomes a message on stderr and an exit status.
Exit run_guarded(const std::function<Exit()>& action);

/// At the start: a file that is opened must not take the place of a standard stream that is closed.
void occupy_standard_streams();

/// At the end of every command. What standard output did not take is lost: a message, and user_error in place of right.
Exit finish_output(Exit status);

}  // namespace accord
