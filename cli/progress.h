#pragma once

#include <string>

namespace accord {

/// One line on stderr that says what is being done; nothing where nobody watches. Thread-safe.
class Progress {
 public:
  explicit Progress(bool shown);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& text) const;

  /// Asked for, or stderr is a terminal.
  static bool wanted(bool asked);

 private:
  bool shown_;
};

}  // namespace accord
