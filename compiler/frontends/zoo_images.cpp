// Image networks as torchvision 0.14 defines them.
#include <array>

#include <fmt/format.h>

#include "compiler/frontends/zoo_networks.h"

namespace accord {

namespace {

constexpr std::int64_t classes = 1000;

Activation conv_norm(ZooBuilder& b, const std::string& conv, const std::string& norm, const Activation& x,
                     const ConvSpec& spec) {
  return b.batch_norm(norm, b.conv(conv, x, spec));
}

// ---- ResNet (He et al. 2016; stride on the 3x3 convolution, "v1.5") ----

Activation basic_branch(ZooBuilder& b, const std::string& name, const Activation& x, std::int64_t width,
                        std::int64_t stride) {
  auto y = conv_norm(b, name + ".conv1", name + ".bn1", x, {width, 3, stride, 1});
  y = b.relu(name + ".relu1", y);
  return conv_norm(b, name + ".conv2", name + ".bn2", y, {width, 3, 1, 1});
}

Activation bottleneck_branch(ZooBuilder& b, const std::string& name, const Activation& x, std::int64_t width,
                             std::int64_t stride) {
  auto y = conv_norm(b, name + ".conv1", name + ".bn1", x, {width, 1});
  y = b.relu(name + ".relu1", y);
  y = conv_norm(b, name + ".conv2", name + ".bn2", y, {width, 3, stride, 1});
  y = b.relu(name + ".relu2", y);
  return conv_norm(b, name + ".conv3", name + ".bn3", y, {4 * width, 1});
}

struct ResidualNetwork {
  Activation (*branch)(ZooBuilder&, const std::string&, const Activation&, std::int64_t, std::int64_t);
  std::int64_t expansion;
  std::array<int, 4> blocks;
};

Activation residual_block(ZooBuilder& b, const ResidualNetwork& network, const std::string& name, const Activation& x,
                          std::int64_t width, std::int64_t stride) {
  const auto y = network.branch(b, name, x, width, stride);
  auto shortcut = x;
  if (stride != 1 || x.channels() != y.channels()) {
    shortcut = conv_norm(b, name + ".downsample.0", name + ".downsample.1", x, {y.channels(), 1, stride});
  }
  return b.relu(name + ".relu", b.add(name + ".add", y, shortcut));
}

void classify(ZooBuilder& b, const std::string& name, const Activation& x) {
  const auto flat = b.flatten("flatten", b.global_average_pool("avgpool", x));
  const auto y = b.linear(name, flat, classes);
  b.output(y.name, y.shape);
}

void build_residual(ZooBuilder& b, const ResidualNetwork& network) {
  auto x = b.image_input("input", {1, 3, 224, 224});
  x = b.relu("relu", conv_norm(b, "conv1", "bn1", x, {64, 7, 2, 3}));
  x = b.max_pool("maxpool", x, 3, 2, 1);
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < 4; ++stage, width *= 2) {
    for (int block = 0; block < network.blocks[stage]; ++block) {
      const auto stride = stage > 0 && block == 0 ? 2 : 1;
      x = residual_block(b, network, fmt::format("layer{}.{}", stage + 1, block), x, width, stride);
    }
  }
  classify(b, "fc", x);
}

// ---- MobileNetV2 (Sandler et al. 2018) ----

struct InvertedResidual {
  std::int64_t expansion, channels, repeats, stride;
};

constexpr std::array<InvertedResidual, 7> mobilenet_v2_blocks = {
    {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}};

Activation inverted_residual(ZooBuilder& b, const std::string& name, const Activation& x, const InvertedResidual& spec,
                             std::int64_t stride) {
  auto y = x;
  const auto hidden = x.channels() * spec.expansion;
  if (spec.expansion != 1) {
    y = b.relu6(name + ".relu0", conv_norm(b, name + ".expand", name + ".bn0", y, {hidden, 1}));
  }
  y = b.relu6(name + ".relu1", conv_norm(b, name + ".depthwise", name + ".bn1", y, {hidden, 3, stride, 1, hidden}));
  y = conv_norm(b, name + ".project", name + ".bn2", y, {spec.channels, 1});
  return stride == 1 && x.channels() == spec.channels ? b.add(name + ".add", x, y) : y;
}

// ---- networks without normalisation ----

/// Channels of 3x3 convolutions; 0 is a 2x2 max pool (Simonyan and Zisserman 2015, configuration D).
constexpr std::array<std::int64_t, 18> vgg16_layers = {64, 64,  0,   128, 128, 0,   256, 256, 256,
                                                       0,  512, 512, 512, 0,   512, 512, 512, 0};

struct AlexNetLayer {
  ConvSpec conv;
  bool pool;
};

const std::array<AlexNetLayer, 5> alexnet_layers = {{{{64, 11, 4, 2, 1, true}, true},
                                                     {{192, 5, 1, 2, 1, true}, true},
                                                     {{384, 3, 1, 1, 1, true}, false},
                                                     {{256, 3, 1, 1, 1, true}, false},
                                                     {{256, 3, 1, 1, 1, true}, true}}};

/// The three dense layers that end VGG and AlexNet.
void classify_dense(ZooBuilder& b, const Activation& image) {
  auto x = b.flatten("flatten", image);
  x = b.relu("classifier.relu0", b.linear("classifier.0", x, 4096));
  x = b.relu("classifier.relu1", b.linear("classifier.1", x, 4096));
  const auto y = b.linear("classifier.2", x, classes);
  b.output(y.name, y.shape);
}

}  // namespace

void build_resnet18(ZooBuilder& builder) { build_residual(builder, {basic_branch, 1, {2, 2, 2, 2}}); }
void build_resnet34(ZooBuilder& builder) { build_residual(builder, {basic_branch, 1, {3, 4, 6, 3}}); }
void build_resnet50(ZooBuilder& builder) { build_residual(builder, {bottleneck_branch, 4, {3, 4, 6, 3}}); }
void build_resnet101(ZooBuilder& builder) { build_residual(builder, {bottleneck_branch, 4, {3, 4, 23, 3}}); }

void build_mobilenet_v2(ZooBuilder& builder) {
  auto x = builder.image_input("input", {1, 3, 224, 224});
  x = builder.relu6("features.0.relu", conv_norm(builder, "features.0.conv", "features.0.bn", x, {32, 3, 2, 1}));
  int index = 1;
  for (const auto& spec : mobilenet_v2_blocks) {
    for (int repeat = 0; repeat < spec.repeats; ++repeat, ++index) {
      x = inverted_residual(builder, fmt::format("features.{}", index), x, spec, repeat == 0 ? spec.stride : 1);
    }
  }
  x = builder.relu6("features.18.relu", conv_norm(builder, "features.18.conv", "features.18.bn", x, {1280, 1}));
  classify(builder, "classifier", x);
}

void build_vgg16(ZooBuilder& builder) {
  auto x = builder.image_input("input", {1, 3, 224, 224});
  int index = 0;
  for (const auto channels : vgg16_layers) {
    const auto name = fmt::format("features.{}", index++);
    if (channels == 0)
      x = builder.max_pool(name, x, 2, 2, 0);
    else
      x = builder.relu(name + ".relu", builder.conv(name, x, {channels, 3, 1, 1, 1, true}));
  }
  classify_dense(builder, x);
}

void build_alexnet(ZooBuilder& builder) {
  auto x = builder.image_input("input", {1, 3, 224, 224});
  int index = 0;
  for (const auto& layer : alexnet_layers) {
    const auto name = fmt::format("features.{}", index++);
    x = builder.relu(name + ".relu", builder.conv(name, x, layer.conv));
    if (layer.pool) x = builder.max_pool(name + ".pool", x, 3, 2, 0);
  }
  classify_dense(builder, x);
}

}  // namespace accord
