#include "archdsl/export/ipxact.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "archdsl/export/ipxact_component.h"
#include "archdsl/export/ipxact_xml.h"
#include "archdsl/export/names.h"
#include "archdsl/export/show.h"
#include "archdsl/export/yaml.h"

namespace accord {

namespace {

/// Gives each asked-for name once, with a number behind it from the second time on.
class UniqueNames {
 public:
  std::string take(const std::string& asked) {
    std::string name = asked;
    while (!used_.insert(name).second) name = fmt::format("{}_{}", asked, ++count_[asked] + 1);
    return name;
  }

 private:
  std::set<std::string> used_;
  std::map<std::string, int> count_;
};

/// `core_spad` for `core[2].spad`.
std::string type_name(const std::string& name) {
  std::string result;
  for (const NamePart& part : parts_of(name)) result += (result.empty() ? "" : "_") + identifier_of(part.name);
  return result;
}

class SetWriter {
 public:
  SetWriter(const Architecture& a, const std::string& stem)
      : a_(a), netlist_(a), library_(identifier_of(a.name)), folder_(stem + ".ipxact"), stem_(stem) {}

  std::vector<IpxactFile> write() {
    files_.push_back({stem_ + ".xml", ""});
    for (const char* const reserved : {"design", "data_bus", "instruction_bus"}) types_.take(reserved);
    machine_ = types_.take(library_);
    add_bus("data_bus", true);
    add_bus("instruction_bus", false);
    for (const Part& part : netlist_.parts()) type_of_.push_back(type(part));
    add_file("component", machine_, machine_document());
    add_file("design", "design", design_document());
    files_[0].text = catalog_document();
    return std::move(files_);
  }

 private:
  void add_file(const std::string& kind, const std::string& name, std::string text) {
    files_.push_back({fmt::format("{}/{}.xml", folder_, name), std::move(text)});
    kinds_.push_back({kind, name});
  }

  void add_bus(const char* name, bool addressable) {
    pugi::xml_document document;
    pugi::xml_node root = start_document(document, "ipxact:busDefinition", library_, name);
    add_element(root, "ipxact:directConnection", "true");
    add_element(root, "ipxact:isAddressable", addressable ? "true" : "false");
    add_element(root, "ipxact:description",
                addressable ? "Bytes moved between a memory and a unit" : "Decoded instructions for a unit");
    add_file("busDefinition", name, to_text(document));
  }

  /// The type of a part; parts whose documents differ in nothing but the name share one.
  std::string type(const Part& part) {
    const std::string stem = type_name(part.name);
    std::string key = stem + "\n" + part_document(a_, netlist_, part, library_, "");
    const auto [found, fresh] = known_.emplace(std::move(key), "");
    if (!fresh) return found->second;
    found->second = types_.take(stem);
    add_file("component", found->second, part_document(a_, netlist_, part, library_, found->second));
    return found->second;
  }

  std::string machine_document() const {
    pugi::xml_document document;
    pugi::xml_node root = start_document(document, "ipxact:component", library_, machine_);
    pugi::xml_node model = add_element(root, "ipxact:model");
    pugi::xml_node view = add_element(add_element(model, "ipxact:views"), "ipxact:view");
    add_element(view, "ipxact:name", "structure");
    add_element(view, "ipxact:designInstantiationRef", "structure");
    pugi::xml_node design = add_element(add_element(model, "ipxact:instantiations"), "ipxact:designInstantiation");
    add_element(design, "ipxact:name", "structure");
    add_reference(add_element(design, "ipxact:designRef"), library_, "design");
    add_clocks(root);
    if (!a_.source.empty()) add_element(root, "ipxact:description", a_.source);
    pugi::xml_node parameters = add_element(root, "ipxact:parameters");
    add_parameter(parameters, "kind", std::string("machine"));
    add_parameter(parameters, "machine_name", a_.name);
    add_parameter(parameters, "hash", a_.hash);
    add_sections(add_element(root, "ipxact:vendorExtensions"));
    return to_text(document);
  }

  void add_clocks(pugi::xml_node root) const {
    pugi::xml_node list = add_element(root, "ipxact:otherClockDrivers");
    for (const ClockDomain& c : a_.clocks) {
      pugi::xml_node driver = add_element(list, "ipxact:otherClockDriver");
      add_attribute(driver, "clockName", c.name);
      pugi::xml_node period = add_element(driver, "ipxact:clockPeriod", yaml_number(1e9 / c.hz));
      add_attribute(period, "units", "ns");
      add_element(driver, "ipxact:clockPulseOffset", "0");
      add_element(driver, "ipxact:clockPulseValue", "1");
      add_element(driver, "ipxact:clockPulseDuration", yaml_number(0.5e9 / c.hz));
    }
  }

  /// Number system, order between units and instruction set have no words in IP-XACT; they stand as in the covenant.
  void add_sections(pugi::xml_node extensions) const {
    pugi::xml_node machine = add_element(extensions, "accord:machine");
    add_attribute(machine, "xmlns:accord", ipxact_extension_namespace);
    for (const ClockDomain& c : a_.clocks) {
      pugi::xml_node clock = add_element(machine, "accord:clock");
      add_attribute(clock, "name", c.name);
      add_attribute(clock, "hz", yaml_number(c.hz));  // a period would not bring back the exact frequency
      add_attribute(clock, "crossing", fmt::format("{}", c.crossing));
    }
    add_element(machine, "accord:numerics", yaml_numerics(a_.numerics));
    add_element(machine, "accord:sync", yaml_sync(a_.sync));
    add_element(machine, "accord:isa", yaml_isa(a_));
  }

  std::string design_document() const {
    pugi::xml_document document;
    pugi::xml_node root = start_document(document, "ipxact:design", library_, "design");
    const std::vector<std::string> instances = add_instances(add_element(root, "ipxact:componentInstances"));
    pugi::xml_node list = add_element(root, "ipxact:interconnections");
    int count = 0;
    for (const PartConnection& c : netlist_.connections()) {
      pugi::xml_node node = add_element(list, "ipxact:interconnection");
      add_element(node, "ipxact:name", fmt::format("c{}", count++));
      add_end(node, instances[static_cast<std::size_t>(c.from)], c.from_port);
      add_end(node, instances[static_cast<std::size_t>(c.to)], c.to_port);
    }
    return to_text(document);
  }

  static void add_end(pugi::xml_node interconnection, const std::string& instance, const std::string& port) {
    pugi::xml_node end = add_element(interconnection, "ipxact:activeInterface");
    add_attribute(end, "componentRef", instance);
    add_attribute(end, "busRef", port);
  }

  std::vector<std::string> add_instances(pugi::xml_node list) const {
    UniqueNames names;
    std::vector<std::string> instances;
    for (std::size_t p = 0; p < netlist_.parts().size(); ++p) {
      const std::string& name = netlist_.parts()[p].name;
      pugi::xml_node node = add_element(list, "ipxact:componentInstance");
      instances.push_back(names.take(identifier_of(name)));
      add_element(node, "ipxact:instanceName", instances.back());
      if (instances.back() != name) add_element(node, "ipxact:displayName", name);
      add_reference(add_element(node, "ipxact:componentRef"), library_, type_of_[p]);
      add_ends(node, netlist_.parts()[p]);
    }
    return instances;
  }

  /// What a link lies between may be a whole instance, which no interconnection can end at.
  void add_ends(pugi::xml_node instance, const Part& part) const {
    if (part.kind != PartKind::link) return;
    const Link& link = a_.links[static_cast<std::size_t>(part.index)];
    if (link.between.empty()) return;
    pugi::xml_node node = add_element(add_element(instance, "ipxact:vendorExtensions"), "accord:link");
    add_attribute(node, "xmlns:accord", ipxact_extension_namespace);
    for (const std::string& end : link.between) add_element(node, "accord:end", end);
  }

  std::string catalog_document() const {
    pugi::xml_document document;
    pugi::xml_node root = start_document(document, "ipxact:catalog", library_, machine_ + "_catalog");
    for (const std::string kind : {"busDefinition", "component", "design"}) {
      pugi::xml_node list = add_element(root, fmt::format("ipxact:{}s", kind).c_str());
      for (std::size_t i = 0; i < kinds_.size(); ++i) {
        if (kinds_[i].first != kind) continue;
        pugi::xml_node file = add_element(list, "ipxact:ipxactFile");
        add_reference(add_element(file, "ipxact:vlnv"), library_, kinds_[i].second);
        add_element(file, "ipxact:name", files_[i + 1].path);
      }
    }
    return to_text(document);
  }

  const Architecture& a_;
  Netlist netlist_;
  std::string library_;
  std::string folder_;
  std::string stem_;
  std::string machine_;
  UniqueNames types_;
  std::map<std::string, std::string> known_;
  std::vector<std::string> type_of_;
  std::vector<IpxactFile> files_;                           ///< the catalog first
  std::vector<std::pair<std::string, std::string>> kinds_;  ///< of the files behind it: kind and name
};

}  // namespace

std::vector<IpxactFile> to_ipxact(const Architecture& architecture, const std::string& stem) {
  return SetWriter(architecture, stem).write();
}

void write_ipxact(const Architecture& architecture, const std::filesystem::path& catalog) {
  const std::vector<IpxactFile> files = to_ipxact(architecture, catalog.stem().string());
  write_export(catalog, files[0].text);
  std::error_code failed;
  std::filesystem::create_directories((catalog.parent_path() / files[1].path).parent_path(), failed);
  for (std::size_t i = 1; i < files.size(); ++i) write_export(catalog.parent_path() / files[i].path, files[i].text);
}

}  // namespace accord
