#include "archdsl/export/ipxact_xml.h"

#include <fmt/format.h>

#include <sstream>

#include "archdsl/export/yaml.h"

namespace accord {

namespace {

void add_typed(pugi::xml_node parameters, const char* name, const char* type, const std::string& value) {
  pugi::xml_node parameter = add_element(parameters, "ipxact:parameter");
  add_attribute(parameter, "parameterId", name);
  add_attribute(parameter, "type", type);
  add_element(parameter, "ipxact:name", name);
  add_element(parameter, "ipxact:value", value);
}

}  // namespace

pugi::xml_node add_element(pugi::xml_node parent, const char* name) { return parent.append_child(name); }

pugi::xml_node add_element(pugi::xml_node parent, const char* name, const std::string& text) {
  pugi::xml_node node = parent.append_child(name);
  node.text().set(text.c_str());
  return node;
}

void add_attribute(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

void add_reference(pugi::xml_node node, const std::string& library, const std::string& name) {
  add_attribute(node, "vendor", ipxact_vendor);
  add_attribute(node, "library", library);
  add_attribute(node, "name", name);
  add_attribute(node, "version", ipxact_version);
}

pugi::xml_node start_document(pugi::xml_document& document, const char* root, const std::string& library,
                              const std::string& name) {
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  add_attribute(declaration, "version", "1.0");
  add_attribute(declaration, "encoding", "UTF-8");
  pugi::xml_node node = document.append_child(root);
  add_attribute(node, "xmlns:ipxact", ipxact_namespace);
  add_element(node, "ipxact:vendor", ipxact_vendor);
  add_element(node, "ipxact:library", library);
  add_element(node, "ipxact:name", name);
  add_element(node, "ipxact:version", ipxact_version);
  return node;
}

void add_parameter(pugi::xml_node parameters, const char* name, std::int64_t value) {
  add_typed(parameters, name, "longint", fmt::format("{}", value));
}

void add_parameter(pugi::xml_node parameters, const char* name, double value) {
  add_typed(parameters, name, "real", yaml_number(value));
}

void add_parameter(pugi::xml_node parameters, const char* name, bool value) {
  add_typed(parameters, name, "bit", value ? "1" : "0");
}

void add_parameter(pugi::xml_node parameters, const char* name, const std::string& value) {
  add_typed(parameters, name, "string", "\"" + value + "\"");
}

std::string to_text(const pugi::xml_document& document) {
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace accord
