#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "archdsl/export/show.h"

namespace accord {

namespace {

pugi::xml_node add(pugi::xml_node parent, const char* name, const std::string& text) {
  pugi::xml_node node = parent.append_child(name);
  node.text().set(text.c_str());
  return node;
}

void add_memory(pugi::xml_node maps, const Memory& memory) {
  pugi::xml_node map = maps.append_child("ipxact:memoryMap");
  add(map, "ipxact:name", memory.name);
  pugi::xml_node block = map.append_child("ipxact:addressBlock");
  add(block, "ipxact:name", "bytes");
  add(block, "ipxact:baseAddress", "0");
  add(block, "ipxact:range", fmt::format("{}", memory.capacity));
  add(block, "ipxact:width", fmt::format("{}", 8 * memory.word));
  add(block, "ipxact:usage", "memory");
  add(map, "ipxact:addressUnitBits", "8");
}

void add_parameter(pugi::xml_node parameters, const std::string& name, const std::string& type,
                   const std::string& value) {
  pugi::xml_node parameter = parameters.append_child("ipxact:parameter");
  parameter.append_attribute("parameterId").set_value(name.c_str());
  parameter.append_attribute("type").set_value(type.c_str());
  add(parameter, "ipxact:name", name);
  add(parameter, "ipxact:value", type == "string" ? fmt::format("\"{}\"", value) : value);
}

}  // namespace

std::string to_ipxact(const Architecture& architecture) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.prepend_child(pugi::node_declaration);
  declaration.append_attribute("version").set_value("1.0");
  declaration.append_attribute("encoding").set_value("UTF-8");
  pugi::xml_node component = document.append_child("ipxact:component");
  component.append_attribute("xmlns:ipxact").set_value("http://www.accellera.org/XMLSchema/IPXACT/1685-2014");
  add(component, "ipxact:vendor", "accord");
  add(component, "ipxact:library", "accelerators");
  add(component, "ipxact:name", architecture.name);
  add(component, "ipxact:version", "1");
  pugi::xml_node maps = component.append_child("ipxact:memoryMaps");
  for (const Memory& memory : architecture.memories) add_memory(maps, memory);
  if (!architecture.source.empty()) add(component, "ipxact:description", architecture.source);
  pugi::xml_node parameters = component.append_child("ipxact:parameters");
  add_parameter(parameters, "clock_hz", "real", fmt::format("{}", architecture.clock_hz));
  add_parameter(parameters, "hash", "string", architecture.hash);
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace accord
