#pragma once

#include "archdsl/tensor/value.h"
