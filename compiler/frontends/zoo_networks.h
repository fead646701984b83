#pragma once

#include "compiler/frontends/zoo_builder.h"

namespace accord {

/// Each adds one whole network, inputs and outputs included.
void build_resnet18(ZooBuilder& builder);
void build_resnet34(ZooBuilder& builder);
void build_resnet50(ZooBuilder& builder);
void build_resnet101(ZooBuilder& builder);
void build_mobilenet_v2(ZooBuilder& builder);
void build_vgg16(ZooBuilder& builder);
void build_alexnet(ZooBuilder& builder);
void build_mlp(ZooBuilder& builder);
void build_lstm(ZooBuilder& builder);
void build_bert_base(ZooBuilder& builder);

}  // namespace accord
