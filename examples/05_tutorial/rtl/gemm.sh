#!/usr/bin/env bash
# Assembly for gemmini16 that multiplies M x K by K x N blocks of 16x16: loads of B and A, products, stores. Values are zeros: it is about time.
# Usage: gemm.sh M K N [PHASES] [fenced]; PHASES is some of the letters b a c o (default: all).
set -euo pipefail
m=$1 k=$2 n=$3 phases=${4:-baco} fenced=${5:-}
fence() { if [ -n "$fenced" ]; then echo "  fence"; fi; }

# load MEMORY_ROW SOURCE ROWS COLUMNS: blocks of 16 rows and up to four times 16 columns; block (r, c) lies at row (r * COLUMNS + c) * 16.
# Rows lie 1024 bytes apart off chip: each is a read of its own, as in the RTL.
load() {
  echo "  config_ld ld_stride=1024, ld_block=256"
  local r c
  for ((r = 0; r < $3; r++)); do
    for ((c = 0; c < $4; c += 4)); do
      echo "  mvin dst=$(($1 + (r * $4 + c) * 16)), src=$(($2 + r * 16384 + c * 16)), cols=16, blocks=$(($4 - c < 4 ? $4 - c : 4)), rows=16"
    done
  done
  fence
}

products() {
  echo "  config_ex a_step=16"
  local i j l
  for ((l = 0; l < k; l++)); do
    for ((j = 0; j < n; j++)); do
      for ((i = 0; i < m; i++)); do
        echo "  preload b_addr=$((8192 + (l * n + j) * 16)), c_addr=$(((i * n + j) * 16)), b_load=$((i == 0))"
        echo "  compute a=$(((i * k + l) * 16)), i=16, j=16, k=16"
      done
    done
  done
  fence
}

stores() {
  echo "  config_act lo=0xc3000000, hi=0x42fe0000"
  echo "  config_st st_stride=$((16 * n))"
  local i j
  for ((i = 0; i < m; i++)); do
    for ((j = 0; j < n; j++)); do
      echo "  mvout src=$(((i * n + j) * 16)), dst=$((0x800000 + i * 256 * n + j * 16)), scale=0, rows=16, cols=16"
    done
  done
  fence
}

echo ".image dram 0 zeros 0x800000"
echo ".image spad 0 zeros 262144"
echo ".image acc 0 zeros 65536"
echo ".image scales 0 zeros 64"
case $phases in *b*) load 8192 0x400000 "$k" "$n" ;; esac
case $phases in *a*) load 0 0 "$m" "$k" ;; esac
case $phases in *c*) products ;; esac
case $phases in *o*) stores ;; esac
echo "  fence"
