#include "cli/progress.h"

#include <unistd.h>

#include <iostream>

namespace accord {

namespace {
constexpr const char* clear_line = "\r\x1b[K";
}

Progress::Progress(bool shown) : shown_(shown) {}

Progress::~Progress() {
  if (shown_ && isatty(STDERR_FILENO)) std::cerr << clear_line << std::flush;
}

void Progress::show(const std::string& text) const {
  if (!shown_) return;
  // One insertion per line, so that lines of two threads do not mix.
  std::cerr << (isatty(STDERR_FILENO) ? clear_line + text : text + "\n") << std::flush;
}

bool Progress::wanted(bool asked) { return asked || isatty(STDERR_FILENO); }

}  // namespace accord
