#pragma once

#include <map>
#include <string>

#include "archdsl/source/scope.h"

namespace accord {

/// Declares the covenant's params; `overrides` (`--set`) replace their values.
void declare_params(Scope& scope, const Node* params, const std::map<std::string, std::string>& overrides);

/// Declares a template's params in the scope `inner`; `arguments` (`with`, may be null) replace their values.
void declare_arguments(Scope& scope, const Node* params, const Node* arguments, int inner);

}  // namespace accord
