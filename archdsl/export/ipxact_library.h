#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "archdsl/export/ipxact_netlist.h"
#include "archdsl/source/error.h"

namespace accord {

/// First child of that local name, whatever its prefix; a null node where there is none.
pugi::xml_node child_of(pugi::xml_node parent, std::string_view local_name);
std::vector<pugi::xml_node> children_of(pugi::xml_node parent, std::string_view local_name);
std::string_view local_name(pugi::xml_node node);

/// Text of a child; empty where there is none.
std::string text_of(pugi::xml_node parent, std::string_view local_name);

/// A decimal or hexadecimal (`0x1f`, `'h1f`, `8'h1f`) number within bounds. Throws Error that names `what` otherwise.
std::int64_t ipxact_integer(std::string_view text, const std::string& what, std::int64_t low, std::int64_t high);
double ipxact_real(std::string_view text, const std::string& what);

/// A component definition, read once for all its instances.
struct IpxactType {
  std::string name;
  pugi::xml_node root;
  std::optional<PartKind> kind;  ///< absent: none that a covenant knows
  bool declared = false;         ///< by a parameter `kind`, so that nothing had to be guessed
  std::map<std::string, BusMode> ports;
  std::map<std::string, std::size_t> channel_of;  ///< by port
  std::vector<std::vector<std::string>> channels;
  std::map<std::string, std::string> parameters;  ///< values without the quotes of strings

  std::int64_t integer(const std::string& parameter, std::int64_t otherwise, std::int64_t low, std::int64_t high) const;
  double real(const std::string& parameter) const;  ///< 0 where it is absent
  bool flag(const std::string& parameter) const;    ///< false where it is absent
};

/// The documents that a catalog names.
class IpxactLibrary {
 public:
  /// Throws Error on anything that is no well-formed, consistent set within the limits.
  explicit IpxactLibrary(const std::filesystem::path& catalog);

  pugi::xml_node design() const { return design_; }
  const IpxactType* machine() const {
    return machine_;
  }  ///< the component whose design it is; null where there is none

  /// Calls `fn`; an Error gets in front the file that the node is from.
  template <typename Fn>
  auto in_file_of(pugi::xml_node node, const Fn& fn) const {
    try {
      return fn();
    } catch (const Error& error) {
      throw Error(file_of(node) + ": " + error.what());
    }
  }

  /// The type that an element's vendor, library, name and version name. Throws Error where there is none.
  const IpxactType& type(pugi::xml_node reference) const;

 private:
  pugi::xml_node open(const std::filesystem::path& file, std::string_view root);
  void open_all(const std::filesystem::path& folder, pugi::xml_node catalog, std::string_view list,
                std::string_view root);
  void find_machine();
  std::string file_of(pugi::xml_node node) const;

  std::vector<std::unique_ptr<pugi::xml_document>> documents_;
  std::vector<std::filesystem::path> files_;  ///< of the documents
  std::uintmax_t bytes_ = 0;
  std::map<std::string, IpxactType> types_;  ///< by vendor, library, name, version
  std::vector<pugi::xml_node> designs_;
  pugi::xml_node design_;
  const IpxactType* machine_ = nullptr;
};

}  // namespace accord
