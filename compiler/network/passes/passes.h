#pragma once

#include <string>

#include "compiler/network/network.h"

namespace accord {

/// QLinear operators, QuantizeLinear and DequantizeLinear: a float network whose tensors remember their scales.
void fold_quantisation(Network& network);

void expand_integer_products(Network& network);  ///< MatMulInteger, ConvInteger: products of i8

/// LSTM, GRU, RNN step by step, but for what it cannot express (clip, computed weights, ...).
void expand_recurrent(Network& network);
std::string recurrent_obstacle(const Network& network, const Operator& op);  ///< empty: there is none

void find_group_normalisations(Network& network);  ///< Reshape, InstanceNormalization, Reshape, Mul, Add

void expand_normalisations(Network& network);  ///< LayerNormalization and its kin, Gelu, Mish
void convolve_phases(Network& network);        ///< Conv of SpaceToDepth, or of a Concat of strided Slices
void expand_movement(Network& network);        ///< Pad that repeats, DepthToSpace, SpaceToDepth, Trilu
void expand_attention(Network& network);
void share_repeated(Network& network);    ///< MatMul of what an Expand or Tile repeats for groups of heads
void expand_selection(Network& network);  ///< TopK, Hardmax, LpPool, ReduceProd, ReduceLogSumExp
void expand_einsum(Network& network);     ///< Einsum, MatMul by vectors
std::string einsum_obstacle(const Network& network, const Operator& op);
void expand_resize(Network& network);
void expand_transposed_conv(Network& network);
void add_positions(Network& network);  ///< ArgMax, CumSum, OneHot, ... read a constant that counts along their axis
void unify_slices(Network& network);   ///< Split; Gather by constant indices that are equally far apart

void unify_transposes(Network& network);   ///< Transpose of Transpose, also of what is read element by element
void drop_no_ops(Network& network);        ///< Identity, Dropout; Reshape, Slice, Transpose, pools that change nothing
void unify_reshapes(Network& network);     ///< Flatten, Squeeze, Unsqueeze; Reshape of Reshape
void unify_elementwise(Network& network);  ///< Relu, Sum, Sub and Div by constants, Min and Max with constants
void merge_padding(Network& network);      ///< Pad with zeros into the pads of what follows
void unify_pools(Network& network);        ///< global pools, means over the plane, ceil_mode
void widen_to_2d(Network& network);        ///< 1-D convolutions and pools
void unify_products(Network& network);     ///< Gemm and MatMul
void fold_affine(Network& network);        ///< BatchNormalization, constant Mul and Add per channel
void fold_affine_into_convs(Network& network);  ///< the same after a Conv alone, whatever other products look like
void merge_clips(Network& network);             ///< Clip of Clip
void flatten_depth(Network& network);           ///< 3-D convolutions and pools
void dense_to_conv(Network& network);           ///< Gemm over a flattened plane
void nest_concats(Network& network);            ///< Concat of what another one has put together

}  // namespace accord
