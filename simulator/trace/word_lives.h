#pragma once

#include <cstdint>
#include <vector>

#include "archdsl/graph/architecture.h"
#include "simulator/time/time.h"

namespace accord::sim {

/// Which words of a memory hold something that is still read: from the begin of the first operation that writes them
/// after the last one that read them, to the end of the last that reads them before they are written anew. What memory
/// images hold is written at cycle 0.
class WordLives {
 public:
  explicit WordLives(const Memory& spec);

  struct Access {
    bool reads, writes;  ///< both: what is written follows from what was read, and stays
    Cycle begin, end;    ///< of the operation
  };
  /// `ended(bytes, from, until)` for lives that the access shows to be over.
  template <class Ended>
  void touch(std::int64_t address, std::int64_t bytes, const Access& access, Ended&& ended) {
    const auto last = static_cast<std::size_t>((address + bytes - 1) / word_);
    for (auto w = static_cast<std::size_t>(address / word_); w <= last && w < lives_.size(); ++w) {
      Life& life = lives_[w];
      if (access.reads) {
        if (life.written == unknown) life.written = 0;
        life.read = life.read > access.end ? life.read : access.end;
      } else if (life.read != unknown) {
        end(life, ended);
        life = {access.begin, unknown};
      } else if (life.written == unknown) {
        life.written = access.begin;
      }
    }
    pass(ended);
  }
  template <class Ended>
  void finish(Ended&& ended) {
    for (const Life& life : lives_) {
      if (life.read != unknown) end(life, ended);
    }
    pass(ended);
  }

 private:
  struct Life {
    Cycle written = unknown;
    Cycle read = unknown;  ///< by the end of
  };
  /// Neighbours mostly live together: they are told together.
  template <class Ended>
  void end(const Life& life, Ended&& ended) {
    if (life.written != ending_.written || life.read != ending_.read) {
      pass(ended);
      ending_ = life;
    }
    ++words_;
  }
  template <class Ended>
  void pass(Ended&& ended) {
    if (words_ > 0 && ending_.written < ending_.read) ended(words_ * word_, ending_.written, ending_.read);
    words_ = 0;
    ending_ = {};
  }

  std::int64_t word_;  ///< bytes; several words of a memory that has very many
  std::vector<Life> lives_;
  Life ending_;
  std::int64_t words_ = 0;
};

}  // namespace accord::sim
