#include "cli/scratch_file.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <system_error>

#include "archdsl/source/error.h"

namespace accord {

ScratchFile::ScratchFile(const std::filesystem::path& kept) : path_(kept), kept_(!kept.empty()) {
  if (kept_) return;
  std::string name = (std::filesystem::temp_directory_path() / "accord-XXXXXX").string();
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) throw Error(name + ": cannot be written");
  close(descriptor);
  path_ = name;
}

ScratchFile::~ScratchFile() {
  std::error_code ignored;
  if (!kept_) std::filesystem::remove(path_, ignored);
}

}  // namespace accord
