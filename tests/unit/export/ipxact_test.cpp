// Does IP-XACT carry the machine out and back, and does a broken set end in a message?
#include "archdsl/export/ipxact.h"

#include <doctest/doctest.h>

#include <map>
#include <pugixml.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "archdsl/export/yaml.h"
#include "archdsl/source/error.h"
#include "tests/unit/export/machines.h"

using namespace accord;

namespace {

void write_set(const std::filesystem::path& folder, const std::vector<IpxactFile>& files) {
  for (const IpxactFile& file : files) {
    std::filesystem::create_directories((folder / file.path).parent_path());
    std::ofstream(folder / file.path, std::ios::binary) << file.text;
  }
}

std::string round_trip(const std::vector<IpxactFile>& files) {
  const Scratch folder("set");
  write_set(folder.path, files);
  return import_ipxact(folder.path / files[0].path);
}

std::map<std::string, std::string> by_path(const std::vector<IpxactFile>& files) {
  std::map<std::string, std::string> result;
  for (const IpxactFile& file : files) result[file.path] = file.text;
  return result;
}

/// Orders of children as IEEE 1685-2014 states them (its schema files component, busInterface, memoryMap, subInstances,
/// design, catalog, busDefinition); what is used of them.
const std::map<std::string, std::vector<std::string>> orders = {
    {"component",
     {"vendor", "library", "name", "version", "busInterfaces", "channels", "memoryMaps", "model", "otherClockDrivers",
      "description", "parameters", "vendorExtensions"}},
    {"busInterface", {"name", "busType", "master", "slave", "mirroredMaster", "mirroredSlave"}},
    {"channel", {"name", "busInterfaceRef"}},
    {"memoryMap", {"name", "addressBlock", "bank", "addressUnitBits"}},
    {"addressBlock", {"name", "baseAddress", "range", "width", "usage"}},
    {"bank", {"name", "baseAddress", "addressBlock", "usage"}},
    {"model", {"views", "instantiations"}},
    {"view", {"name", "designInstantiationRef"}},
    {"designInstantiation", {"name", "designRef"}},
    {"otherClockDriver", {"clockPeriod", "clockPulseOffset", "clockPulseValue", "clockPulseDuration"}},
    {"parameter", {"name", "value"}},
    {"design", {"vendor", "library", "name", "version", "componentInstances", "interconnections"}},
    {"componentInstance", {"instanceName", "displayName", "componentRef", "vendorExtensions"}},
    {"interconnection", {"name", "activeInterface"}},
    {"catalog", {"vendor", "library", "name", "version", "busDefinitions", "components", "designs"}},
    {"ipxactFile", {"vlnv", "name"}},
    {"busDefinition", {"vendor", "library", "name", "version", "directConnection", "isAddressable", "description"}}};

void check_order(pugi::xml_node node) {
  const std::string name = node.name();
  if (!name.starts_with("ipxact:") || name == "ipxact:vendorExtensions") return;
  const auto order = orders.find(name.substr(7));
  std::size_t at = 0;
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    check_order(child);
    if (order == orders.end()) continue;
    const std::string child_name = std::string(child.name()).substr(7);
    CAPTURE(name);
    CAPTURE(child_name);
    while (at < order->second.size() && order->second[at] != child_name) ++at;
    CHECK(at < order->second.size());
  }
}

/// xs:Name without colon, of letters, digits, `_`, `-` and `.`.
bool is_name(const std::string& text) {
  if (text.empty() || (!std::isalpha(static_cast<unsigned char>(text[0])) && text[0] != '_')) return false;
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
         std::string::npos;
}

}  // namespace

TEST_CASE("covenant to IP-XACT to covenant gives the same machine, and the same XML again") {
  for (const auto& file : all_covenants()) {
    CAPTURE(file.string());
    const Architecture a = load_file(file);
    const auto files = to_ipxact(a, "m");
    const std::string text = round_trip(files);
    CAPTURE(text);
    const Architecture again = load_text(text);
    CHECK(again.hash == a.hash);
    CHECK(again.source == a.source);
    CHECK(by_path(to_ipxact(again, "m")) == by_path(files));
  }
}

TEST_CASE("arrays, links with ends, multicasts and chosen units come back") {
  const Architecture a = array_of_cores();
  CHECK(round_trip(to_ipxact(a, "m")) == to_yaml(a));
}

TEST_CASE("the documents keep the standard's order, names and references") {
  for (const Architecture& a : {shipped("gemmini16"), many_cores(shipped("gemmini16"), 3)}) {
    std::set<std::string> documents, named;
    std::string machine;
    for (const IpxactFile& file : to_ipxact(a, "m")) {
      CAPTURE(file.path);
      pugi::xml_document document;
      REQUIRE(document.load_string(file.text.c_str()));
      const pugi::xml_node root = document.document_element();
      check_order(root);
      documents.insert(file.path);
      for (const auto& name : root.select_nodes("//ipxact:instanceName | //ipxact:busInterface/ipxact:name")) {
        CHECK(is_name(name.node().text().get()));
      }
      for (const auto& name : root.select_nodes("//ipxact:ipxactFile/ipxact:name"))
        named.insert(name.node().text().get());
      std::set<std::string> unique;
      for (const auto& port : root.select_nodes("//ipxact:busInterface/ipxact:name")) {
        CHECK(unique.insert(port.node().text().get()).second);
      }
      for (const auto& ref : root.select_nodes("//ipxact:channel//ipxact:localName")) {
        CHECK(unique.contains(ref.node().text().get()));
      }
    }
    documents.erase("m.xml");
    CHECK(documents == named);
  }
}

TEST_CASE("every interface of every instance is connected exactly once") {
  const auto files = by_path(to_ipxact(many_cores(shipped("gemmini16"), 3), "m"));
  pugi::xml_document design;
  REQUIRE(design.load_string(files.at("m.ipxact/design.xml").c_str()));
  std::set<std::pair<std::string, std::string>> ends;
  for (const auto& end : design.select_nodes("//ipxact:activeInterface")) {
    CHECK(ends.emplace(end.node().attribute("componentRef").value(), end.node().attribute("busRef").value()).second);
  }
  std::size_t ports = 0;
  for (const auto& instance : design.select_nodes("//ipxact:componentInstance")) {
    const std::string name = instance.node().child_value("ipxact:instanceName");
    const std::string type = instance.node().child("ipxact:componentRef").attribute("name").value();
    pugi::xml_document component;
    REQUIRE(component.load_string(files.at("m.ipxact/" + type + ".xml").c_str()));
    for (const auto& port : component.select_nodes("//ipxact:busInterface/ipxact:name")) {
      CHECK(ends.contains({name, port.node().text().get()}));
      ++ports;
    }
  }
  CHECK(ports == ends.size());
}

TEST_CASE("alike instances share a component; banks and channels are banks") {
  const auto files = by_path(to_ipxact(many_cores(shipped("gemmini16"), 64), "m"));
  CHECK(files.size() < 16);
  const std::string& spad = files.at("m.ipxact/core_spad.xml");
  CHECK(spad.find("<ipxact:bank bankAlignment=\"serial\">") != std::string::npos);
  CHECK(spad.find("<ipxact:range>65536</ipxact:range>") != std::string::npos);
  CHECK(spad.find("<ipxact:width>128</ipxact:width>") != std::string::npos);
  CHECK(files.at("m.ipxact/design.xml").find("<ipxact:displayName>core[63].spad</ipxact:displayName>") !=
        std::string::npos);
}

TEST_CASE("ten thousand components go out and come back with their names") {
  const Architecture a = many_cores(shipped("gemmini16"), 1700);
  const std::string text = round_trip(to_ipxact(a, "m"));
  CHECK(text.find("resolved: true\n") != std::string::npos);
  CHECK(text.find("\"core[1699].mesh\":") != std::string::npos);
  CHECK(text.find("from: dram, to: [\"core[7].spad\"], link: [bus]") != std::string::npos);
}

TEST_CASE("a set of another tool gives its structure, and says what it does not") {
  const auto vlnv = [](const std::string& name) {
    return "<ipxact:vendor>v</ipxact:vendor><ipxact:library>l</ipxact:library><ipxact:name>" + name +
           "</ipxact:name><ipxact:version>1</ipxact:version>";
  };
  const auto ref = [](const std::string& name) {
    return "vendor=\"v\" library=\"l\" name=\"" + name + "\" version=\"1\"";
  };
  const std::string ns = " xmlns:ipxact=\"http://www.accellera.org/XMLSchema/IPXACT/1685-2014\">";
  const auto port = [](const std::string& name, const std::string& mode) {
    return "<ipxact:busInterface><ipxact:name>" + name + "</ipxact:name><ipxact:" + mode + "/></ipxact:busInterface>";
  };
  const std::string ram = "<ipxact:component" + ns + vlnv("ram") + "<ipxact:busInterfaces>" + port("s", "slave") +
                          "</ipxact:busInterfaces><ipxact:memoryMaps><ipxact:memoryMap><ipxact:name>m</ipxact:name>"
                          "<ipxact:addressBlock><ipxact:range>'h1000</ipxact:range><ipxact:width>64</ipxact:width>"
                          "</ipxact:addressBlock></ipxact:memoryMap></ipxact:memoryMaps></ipxact:component>";
  const std::string dma = "<ipxact:component" + ns + vlnv("dma") + "<ipxact:busInterfaces>" + port("a", "master") +
                          port("b", "master") + "</ipxact:busInterfaces></ipxact:component>";
  const std::string odd = "<ipxact:component" + ns + vlnv("odd") + "</ipxact:component>";
  const auto instance = [&](const std::string& name, const std::string& type) {
    return "<ipxact:componentInstance><ipxact:instanceName>" + name + "</ipxact:instanceName><ipxact:componentRef " +
           ref(type) + "/></ipxact:componentInstance>";
  };
  const auto wire = [](const std::string& name, const std::string& port_name, const std::string& memory) {
    return "<ipxact:interconnection><ipxact:name>" + name +
           "</ipxact:name><ipxact:activeInterface componentRef=\"u.dma\" busRef=\"" + port_name +
           "\"/><ipxact:activeInterface componentRef=\"" + memory + "\" busRef=\"s\"/></ipxact:interconnection>";
  };
  const std::string design = "<ipxact:design" + ns + vlnv("soc") + "<ipxact:componentInstances>" +
                             instance("ram-0", "ram") + instance("ram1", "ram") + instance("u.dma", "dma") +
                             instance("x", "odd") + "</ipxact:componentInstances><ipxact:interconnections>" +
                             wire("w0", "a", "ram-0") + wire("w1", "b", "ram1") +
                             "</ipxact:interconnections></ipxact:design>";
  std::string list;
  for (const std::string name : {"ram", "dma", "odd"}) {
    list += "<ipxact:ipxactFile><ipxact:vlnv " + ref(name) + "/><ipxact:name>" + name +
            ".xml</ipxact:name></ipxact:ipxactFile>";
  }
  const std::string catalog =
      "<ipxact:catalog" + ns + vlnv("c") + "<ipxact:components>" + list +
      "</ipxact:components><ipxact:designs><ipxact:ipxactFile><ipxact:vlnv " + ref("soc") +
      "/><ipxact:name>soc.xml</ipxact:name></ipxact:ipxactFile></ipxact:designs></ipxact:catalog>";
  const std::string text =
      round_trip({{"c.xml", catalog}, {"ram.xml", ram}, {"dma.xml", dma}, {"odd.xml", odd}, {"soc.xml", design}});
  for (const char* const part :
       {"name: soc\n", "  ram_0: {kind: memory,", "capacity: 4096 B, word: 8 B", "  u_dma:\n    kind: mover",
        "- {from: ram_0, to: [ram1]}", "- {from: ram1, to: [ram_0]}", "# x is left out", "# `isa` is not stated",
        "# u_dma is taken for a mover"}) {
    CAPTURE(part);
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("a catalog opens nothing outside its folder") {
  auto files = to_ipxact(shipped("gemmini16"), "m");
  for (const std::string path : {"/etc/passwd", "../x.xml", "m.ipxact/../../x.xml", "file:///etc/passwd", ""}) {
    auto hostile = files;
    const std::string from = "m.ipxact/design.xml";
    hostile[0].text.replace(hostile[0].text.find(from), from.size(), path);
    CHECK_THROWS_AS(round_trip(hostile), Error);
  }
  CHECK_THROWS_AS(import_ipxact("/nonexistent.xml"), Error);
  CHECK_THROWS_AS(import_ipxact(std::filesystem::temp_directory_path()), Error);
}

TEST_CASE("a section cannot leave its key") {
  auto files = to_ipxact(shipped("gemmini16"), "m");
  for (IpxactFile& file : files) {
    const std::string part = "  width: 128";
    if (const std::size_t at = file.text.find(part); at != std::string::npos) file.text.replace(at, 2, "name:");
  }
  CHECK_THROWS_AS(round_trip(files), Error);
}

TEST_CASE("what is wrong in a document is told with its file") {
  const auto told = [](const std::string& from, const std::string& to) -> std::string {
    auto files = to_ipxact(shipped("gemmini16"), "m");
    for (IpxactFile& file : files) {
      const std::size_t at = file.text.find(from);
      if (at == std::string::npos) continue;
      file.text.replace(at, from.size(), to);
      try {
        round_trip(files);
      } catch (const Error& error) {
        return std::string(error.what()).find(file.path + ": ") == std::string::npos ? error.what() : "with its file";
      }
    }
    return "taken";
  };
  CHECK(told("<ipxact:range>", "<ipxact:range>x") == "with its file");
  CHECK(told("componentRef=\"dram\" busRef=\"bus\"", "componentRef=\"dram\" busRef=\"none\"") == "with its file");
  CHECK(told("  width: 128", "nawidth: 128") == "with its file");
}

TEST_CASE("links in a circle are found") {
  auto files = to_ipxact(shipped("gemmini16"), "m");
  for (IpxactFile& file : files) {
    const std::string from = "componentRef=\"dram\" busRef=\"bus\"", to = "componentRef=\"bus\" busRef=\"load\"";
    if (const std::size_t at = file.text.find(from); at != std::string::npos) file.text.replace(at, from.size(), to);
  }
  CHECK_THROWS_AS(round_trip(files), Error);
}

TEST_CASE("deep nesting, entities and text that is no XML end in a message") {
  std::string deep;
  for (int i = 0; i < 200000; ++i) deep += "<ipxact:a>";
  const std::string root = "<ipxact:catalog xmlns:ipxact=\"http://www.accellera.org/XMLSchema/IPXACT/1685-2014\">";
  for (const std::string& text :
       {std::string(), std::string("x"), std::string(1000, '\0'), deep, root, root + "</ipxact:catalog>",
        "<!DOCTYPE a [<!ENTITY b \"&b;&b;\">]>" + root + "&b;</ipxact:catalog>", std::string("<a/>")}) {
    CHECK_THROWS_AS(round_trip({{"m.xml", text}}), Error);
  }
}

TEST_CASE("no change of a byte or a word makes the import crash") {
  const auto files = to_ipxact(shipped("gemmini16"), "m");
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::vector<std::string> words = {"-1", "99999999999999999999", "", "<", "free", "'h", "0", "&#0;", "\xff"};
  const Scratch folder("fuzz");
  for (int round = 0; round < 400; ++round) {
    auto broken = files;
    std::string& text = broken[below(broken.size())].text;
    switch (below(4)) {
      case 0: text[below(text.size())] = static_cast<char>(random()); break;
      case 1: text.erase(below(text.size()), below(200)); break;
      case 2: text.resize(below(text.size())); break;
      default: {
        const std::size_t digit = text.find_first_of("0123456789", below(text.size()));
        if (digit != std::string::npos) text.replace(digit, 1, words[below(words.size())]);
      }
    }
    write_set(folder.path, broken);
    bool ended = false;
    try {
      ended = !import_ipxact(folder.path / "m.xml").empty();
    } catch (const Error&) {
      ended = true;
    }
    CHECK(ended);
  }
}
