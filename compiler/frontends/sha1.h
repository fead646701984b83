#pragma once

#include <istream>
#include <string>

namespace accord {

/// SHA-1 digest of all that the stream still holds, in hexadecimal. It finds accidents, not attacks.
std::string sha1_of(std::istream& stream);

}  // namespace accord
