#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace accord {

/// Whether there is such a file or folder; no name is too long to ask for.
bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);

/// Whole text of a file; throws Error where it cannot be read, is no regular file, or is larger than `most` MiB.
std::string read_text(const std::filesystem::path& file, std::size_t most);

/// Throws Error where the file's name ends like that of another format. Without any ending it may hold anything.
void check_ending(const std::filesystem::path& file, const std::string& format, const std::string& ending);

/// Throws Error where it cannot be written. An empty path writes nothing.
void write_text(const std::filesystem::path& file, const std::string& text);
void write_json(const std::filesystem::path& file, const nlohmann::json& json);

}  // namespace accord
