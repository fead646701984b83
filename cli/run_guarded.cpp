#include "cli/run_guarded.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include "archdsl/source/error.h"

namespace accord {

Exit run_guarded(const std::function<Exit()>& action) {
  try {
    return action();
  } catch (const Error& error) {
    std::cerr << "accord: " << error.what() << '\n';
    return Exit::user_error;
  } catch (const std::bad_alloc&) {
    std::cerr << "accord: there is not enough memory for this program\n";
    return Exit::user_error;
  } catch (const std::exception& fault) {
    std::cerr << "accord: internal fault: " << fault.what()
              << "\nThis is a defect of Accord's own; please report it.\n";
    return Exit::own_fault;
  }
}

void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Opened for reading, so that it still refuses what is written to it.
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) return;
  }
}

Exit finish_output(Exit status) {
  const bool written = std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (written) return status;
  std::cerr << "accord: standard output cannot be written\n";
  return status == Exit::right ? Exit::user_error : status;
}

}  // namespace accord
