#include "compiler/frontends/zoo.h"

#include <map>

#include <fmt/format.h>

#include "archdsl/source/error.h"
#include "compiler/frontends/zoo_networks.h"

namespace accord {

namespace {

using Build = void (*)(ZooBuilder&);

const std::map<std::string, Build>& networks() {
  static const std::map<std::string, Build> table = {
      {"alexnet", build_alexnet},
      {"bert_base", build_bert_base},
      {"lstm", build_lstm},
      {"mlp", build_mlp},
      {"vgg16", build_vgg16},
      {"resnet18", build_resnet18},
      {"mobilenet_v2", build_mobilenet_v2},
      {"resnet34", build_resnet34},
      {"resnet50", build_resnet50},
      {"resnet101", build_resnet101},
  };
  return table;
}

}  // namespace

std::vector<std::string> zoo_names() {
  std::vector<std::string> names;
  for (const auto& [name, build] : networks()) names.push_back(name);
  return names;
}

void write_zoo(const std::string& name, const std::filesystem::path& path, std::uint64_t seed) {
  const auto found = networks().find(name);
  if (found == networks().end()) {
    throw Error(fmt::format("the zoo has no '{}'; it has: {}", name, fmt::join(zoo_names(), ", ")));
  }
  ZooBuilder builder(name, seed);
  found->second(builder);
  builder.write(path);
}

}  // namespace accord
