// Gemmini's loop command: the hardware itself unrolls a block of the product into loads, computes and stores, and goes
// on with the next block in the other halves of scratchpad and accumulator.
#include <algorithm>
#include <vector>

#include "cli/validation/gemmini_program.h"
#include "cli/validation/gemmini_text.h"

namespace accord {

namespace {

constexpr std::int64_t most_blocks = 4;
constexpr std::int64_t spad_half = 8192, acc_half = 512;  // rows

class LoopWriter : GemminiText {
 public:
  explicit LoopWriter(const GemminiLoop& loop) : l_(loop) {}

  std::string write() {
    images(c_target);
    add(".layer {{\"name\": \"configure\"}}\n.layer {{\"name\": \"loop\"}}\n");
    configure(l_.product.j);
    for (std::int64_t i = 0; i < l_.product.i; i += l_.i) {
      for (std::int64_t j = 0; j < l_.product.j; j += l_.j) {
        for (std::int64_t k = 0; k < l_.product.k; k += l_.k) block(i, j, k);
        acc_ ^= 1;
      }
    }
    add("  fence\n");
    return take();
  }

 private:
  static constexpr std::int64_t b_source = 0x4000000, c_target = 0x8000000;

  // A lies at the beginning of the half, B at its end.
  void block(std::int64_t i0, std::int64_t j0, std::int64_t k0) {
    const std::int64_t ni = std::min(l_.i, l_.product.i - i0), nj = std::min(l_.j, l_.product.j - j0),
                       nk = std::min(l_.k, l_.product.k - k0);
    const std::int64_t a = spad_ * spad_half, b = (spad_ + 1) * spad_half - nk * nj * dim, c = acc_ * acc_half;
    load(a, b, i0, ni, j0, nj, k0, nk);
    for (std::int64_t k = 0; k < nk; ++k) {
      for (std::int64_t j = 0; j < nj; ++j) {
        for (std::int64_t i = 0; i < ni; ++i) {
          add("  preload b_addr={}, c_addr={}, b_load={}\n", b + (k * nj + j) * dim, c + (i * nj + j) * dim,
              i == 0 ? 1 : 0);
          add("  compute a={}, i=16, j=16, k=16\n", a + (i * nk + k) * dim);
        }
      }
    }
    if (k0 + nk == l_.product.k) store(c, i0, ni, j0, nj);
    spad_ ^= 1;
  }

  /// A load of 16 rows of up to four blocks: of row of blocks `r`, from column `c` on.
  struct Load {
    std::int64_t r, c;
  };

  // Two unrollers: B's goes along its rows, A's down its columns, so that both come in the order of k. B's is first,
  // then the one that is behind (WeightedArbiter.scala).
  void load(std::int64_t a, std::int64_t b, std::int64_t i0, std::int64_t ni, std::int64_t j0, std::int64_t nj,
            std::int64_t k0, std::int64_t nk) {
    std::vector<Load> of_a, of_b;
    for (std::int64_t k = 0; k < nk; k += most_blocks)
      for (std::int64_t i = 0; i < ni; ++i) of_a.push_back({i, k});
    for (std::int64_t k = 0; k < nk; ++k)
      for (std::int64_t j = 0; j < nj; j += most_blocks) of_b.push_back({k, j});
    for (std::size_t next_a = 0, next_b = 0; next_a < of_a.size() || next_b < of_b.size();) {
      const bool all_a = next_a == of_a.size(), all_b = next_b == of_b.size();
      if (!all_b && (all_a || next_b == 0 || of_a[next_a].c > of_b[next_b].r)) {
        load(of_b[next_b++], b, b_source + (k0 * row_stride + j0) * dim, nj);
      } else {
        load(of_a[next_a++], a, (i0 * row_stride + k0) * dim, nk);
      }
    }
  }

  void load(const Load& at, std::int64_t to, std::int64_t from, std::int64_t columns) {
    add("  mvin dst={}, src={}, cols=16, blocks={}, rows=16\n", to + (at.r * columns + at.c) * dim,
        from + (at.r * row_stride + at.c) * dim, std::min(most_blocks, columns - at.c));
  }

  // Up to four blocks side by side, down the columns.
  void store(std::int64_t c, std::int64_t i0, std::int64_t ni, std::int64_t j0, std::int64_t nj) {
    for (std::int64_t j = 0; j < nj; j += most_blocks) {
      for (std::int64_t i = 0; i < ni; ++i) {
        add("  mvout_blocks src={}, dst={}, scale=0, rows=16, blocks={}\n", c + (i * nj + j) * dim,
            c_target + (i0 + i) * dim * dim * l_.product.j + (j0 + j) * dim, std::min(most_blocks, nj - j));
      }
    }
  }

  const GemminiLoop& l_;
  std::int64_t spad_ = 0, acc_ = 0;  // halves in use
};

}  // namespace

std::string gemmini_assembly(const GemminiLoop& loop) { return LoopWriter(loop).write(); }

}  // namespace accord
