#include "compiler/network/canonicalise.h"

#include "compiler/network/passes/passes.h"
#include "compiler/network/unused.h"

namespace accord {

const std::vector<NetworkPass>& canonical_passes() {
  static const std::vector<NetworkPass> passes = {
      {"fold_quantisation", fold_quantisation},
      {"remove_folded_quantisers", remove_unused},
      {"expand_integer_products", expand_integer_products},
      {"expand_recurrent", expand_recurrent},
      {"find_group_normalisations", find_group_normalisations},
      {"expand_normalisations", expand_normalisations},
      {"convolve_phases", convolve_phases},
      {"expand_movement", expand_movement},
      {"expand_resize", expand_resize},
      {"expand_attention", expand_attention},
      {"share_repeated", share_repeated},
      {"remove_what_is_shared", remove_unused},
      {"expand_selection", expand_selection},
      {"expand_einsum", expand_einsum},
      {"expand_transposed_conv", expand_transposed_conv},
      {"add_positions", add_positions},
      {"unify_slices", unify_slices},
      {"drop_no_ops_between_transposes", drop_no_ops},
      {"unify_transposes", unify_transposes},
      {"drop_no_ops", drop_no_ops},
      {"unify_elementwise", unify_elementwise},
      {"merge_padding", merge_padding},
      {"unify_pools", unify_pools},
      {"remove_what_pools_passed_over", remove_unused},
      {"fold_affine_into_convs", fold_affine_into_convs},
      {"widen_to_2d", widen_to_2d},
      {"unify_products", unify_products},
      {"fold_affine", fold_affine},
      {"merge_clips", merge_clips},
      {"flatten_depth", flatten_depth},
      {"unify_reshapes", unify_reshapes},
      {"dense_to_conv", dense_to_conv},
      {"unify_reshapes_after_conv", unify_reshapes},
      {"drop_no_ops_left", drop_no_ops},
      {"nest_concats", nest_concats},
      {"remove_unused", remove_unused},
  };
  return passes;
}

std::string canonical_obstacle(const Network& network, const Operator& op) {
  return op.type == "Einsum" ? einsum_obstacle(network, op) : recurrent_obstacle(network, op);
}

void canonicalise(Network& network) {
  for (const auto& pass : canonical_passes()) pass.run(network);
}

}  // namespace accord
