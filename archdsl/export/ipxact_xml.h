#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string>

namespace accord {

inline constexpr const char* ipxact_namespace = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014";
inline constexpr const char* ipxact_vendor = "accord";
inline constexpr const char* ipxact_version = "1";
inline constexpr const char* ipxact_extension_namespace = "urn:accord:covenant:1";

/// Adds `<ipxact:NAME>` (or `<accord:NAME>` where the name says so), with text.
pugi::xml_node add_element(pugi::xml_node parent, const char* name);
pugi::xml_node add_element(pugi::xml_node parent, const char* name, const std::string& text);
void add_attribute(pugi::xml_node node, const char* name, const std::string& value);

/// vendor, library, name and version, as attributes of a reference.
void add_reference(pugi::xml_node node, const std::string& library, const std::string& name);

/// A document of IEEE 1685-2014 with its root and identifier.
pugi::xml_node start_document(pugi::xml_document& document, const char* root, const std::string& library,
                              const std::string& name);

/// Parameters of a component.
void add_parameter(pugi::xml_node parameters, const char* name, std::int64_t value);
void add_parameter(pugi::xml_node parameters, const char* name, double value);
void add_parameter(pugi::xml_node parameters, const char* name, bool value);
void add_parameter(pugi::xml_node parameters, const char* name, const std::string& value);

std::string to_text(const pugi::xml_document& document);

}  // namespace accord
