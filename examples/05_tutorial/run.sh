#!/usr/bin/env bash
# The tutorial's machine, step by step, on five layers: cycles after each step, then a sweep. Usage: run.sh [ACCORD]
set -euo pipefail
accord=${1:-accord}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# cycles NAME ARGUMENT...: of a verified run.
cycles() {
  local name=$1
  shift
  "$accord" run --model "$here/layers.yaml" "$@" >"$folder/run.txt" 2>"$folder/errors.txt" || { cat "$folder/errors.txt" "$folder/run.txt"; exit 1; }
  grep -q 'verified: true (0 mismatches, bit-exact' "$folder/run.txt" || { echo "$name: not verified"; exit 1; }
  printf '%-16s %9s cycles\n' "$name" "$(awk '$1 == "total" { print $2 }' "$folder/run.txt")"
}

echo "4 KiB in and out"
for step in 02 03 04; do
  "$accord" asm "$here/copy.s" --arch "$here/step$step.yaml" -o "$folder/copy.elf"
  printf 'step %-11s %9s cycles\n' "$step" "$("$accord" sim "$folder/copy.elf" --arch "$here/step$step.yaml" | awk '$1 == "total" { print $2 }')"
done
echo "five layers"
for step in 07 08 09 10; do cycles "step $step" --arch "$here/step$step.yaml"; done
cycles kestrel --arch "$here/kestrel.yaml"
for n in 8 16 32; do cycles "n=$n" --arch "$here/kestrel.yaml" --set "n=$n"; done
