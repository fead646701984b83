#include "cli/validation/gemmini_program.h"
#include "cli/validation/gemmini_text.h"

#include <algorithm>

namespace accord {

namespace {

class FencedWriter : GemminiText {
 public:
  explicit FencedWriter(const GemminiProduct& product)
      : p_(product),
        b_row_(std::max(p_.i, p_.j) * p_.k <= half / dim ? half : 2 * half - p_.k * p_.j * dim),
        b_source_(p_.i * dim * row_stride + p_.k * dim),
        c_target_(b_source_ + p_.k * dim * row_stride + p_.j * dim) {}

  std::string write() {
    images(c_target_);
    for (const char* name : {"configure", "B", "A", "compute", "store"}) add(".layer {{\"name\": \"{}\"}}\n", name);
    configure(p_.j);
    phase(1);
    load(b_row_, b_source_, p_.k, p_.j);
    phase(2);
    load(0, 0, p_.i, p_.k);
    phase(3);
    compute();
    phase(4);
    store();
    add("  fence\n");
    return take();
  }

 private:
  static constexpr std::int64_t half = 8192;  // rows of the scratchpad

  void phase(int layer) {
    if (!p_.fenced) return;
    const bool loads_go_together = p_.output_stationary && layer == 2;
    if (loads_go_together) return;
    if (layer > 1) add("  fence\n");
    add(".at {} \"\"\n", layer);
  }

  // Block (r, c) lies at row (r * columns + c) * 16; a command takes up to four blocks of a row of blocks.
  void load(std::int64_t to, std::int64_t from, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; c += 4) {
        add("  mvin dst={}, src={}, cols=16, blocks={}, rows=16\n", to + (r * columns + c) * dim,
            from + r * dim * row_stride + c * dim, std::min<std::int64_t>(4, columns - c));
      }
    }
  }

  void compute() {
    for (std::int64_t k = 0; k < p_.k; ++k) {
      for (std::int64_t j = 0; j < p_.j; ++j) {
        for (std::int64_t i = 0; i < p_.i; ++i) {
          add("  preload b_addr={}, c_addr={}, b_load={}\n", b_row_ + (k * p_.j + j) * dim, (i * p_.j + j) * dim,
              i == 0 ? 1 : 0);
          add("  compute a={}, i=16, j=16, k=16\n", (i * p_.k + k) * dim);
        }
      }
    }
  }

  void store() {
    for (std::int64_t i = 0; i < p_.i; ++i) {
      for (std::int64_t j = 0; j < p_.j; ++j) {
        add("  mvout src={}, dst={}, scale=0, rows=16, cols=16\n", (i * p_.j + j) * dim,
            c_target_ + i * dim * dim * p_.j + j * dim);
      }
    }
  }

  const GemminiProduct& p_;
  // A lies first, on chip and off; B in the scratchpad's other half where both fit a half, else at its end.
  const std::int64_t b_row_, b_source_, c_target_;
};

}  // namespace

std::string gemmini_assembly(const GemminiProduct& product) { return FencedWriter(product).write(); }

}  // namespace accord
