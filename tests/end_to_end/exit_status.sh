#!/usr/bin/env bash
# Does the command end with the status that design 9 promises? Usage: exit_status.sh ACCORD
set -uo pipefail
accord=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failed=0

# expect STATUS ARGUMENT...
expect() {
  local wanted=$1
  shift
  "$accord" "$@" >out.txt 2>err.txt
  local status=$?
  if [ $status -ne "$wanted" ]; then
    echo "accord $*: status $status, expected $wanted"
    cat out.txt err.txt
    failed=1
  fi
}

# says WORDS: the last command's stderr does
says() {
  grep -qF -- "$1" err.txt || { echo "stderr does not say '$1':"; cat err.txt; failed=1; }
}

cat >table.yaml <<'Y'
layers:
  - {name: one, op: gemm, m: 4, n: 20, k: 24}
Y
printf 'not a model' >broken.onnx
printf 'accord: 1\nnonsense: 2\n' >broken.yaml

expect 0 --help
expect 1
expect 1 frobnicate
says '`frobnicate` is no command'
expect 1 --frobnicate
says '`--frobnicate`: a command comes first'
expect 0 check gemmini16 --json check.json
expect 1 check broken.yaml
expect 1 check missing.yaml
expect 1 check gemmini16 --set dim=1000000
expect 0 show gemmini16 -o machine.json
expect 1 show gemmini16 -o machine.docx
expect 0 zoo mlp -o mlp.onnx
expect 1 zoo nothing
expect 0 run --arch gemmini16 --model mlp.onnx --json run.json
expect 0 run --arch gemmini16 --model table.yaml
expect 0 run --model mlp.onnx --reference-only --seed 1 --json reference.json
for option in "--arch vta" "--set dim=8" "-o p.elf" "--trace t.json" "--vcd v.vcd" "--stats s.csv" "--explain" \
    "--sensitivity" "--critical-path c.json" "--fidelity cycle" "--tolerance 0.1" "--no-verify" "--fuse off" \
    "--searcher random" "--search-seed 3" "--dump-after map" "--report r.txt" "--progress"; do
  expect 1 run --model mlp.onnx --reference-only $option
  says excludes
done
expect 1 run --arch gemmini16 --model broken.onnx
expect 1 run --arch gemmini16 --model mlp.onnx --input missing.npy
expect 0 compile --arch gemmini16 --model mlp.onnx -o mlp.elf --report
expect 1 compile --arch gemmini16 --model mlp.onnx --dump-after nothing
expect 0 disasm mlp.elf --arch gemmini16 -o mlp.s
expect 0 asm mlp.s --arch gemmini16 -o again.elf
expect 0 sim again.elf --arch gemmini16 --trace trace.json --json sim.json
expect 0 sim again.elf --arch gemmini16 --no-values --json time.json
expect 1 sim again.elf --arch gemmini16 --no-values --fidelity function
expect 1 sim again.elf --arch gemmini16 --no-values --output y=y.npy
expect 1 sim again.elf --arch gemmini16 --set dim=8
expect 1 sim mlp.onnx --arch gemmini16
head -c 500 mlp.elf >cut.elf
expect 1 sim cut.elf --arch gemmini16
# A memory of 900 TiB: more than a process can address.
"$accord" show gemmini16 -o wide.yaml >/dev/null && sed -i 's/4294967296 B/900 TiB/' wide.yaml
expect 1 run --arch wide.yaml --model mlp.onnx
grep -q 'memory `dram`' err.txt || { echo "no memory is named:"; cat err.txt; failed=1; }
printf 'mvin dst=\n' >broken.s
expect 1 asm broken.s --arch gemmini16 -o broken.elf

expect 1 run --arch gemmini16 --model mlp.onnx --seed -1
expect 1 zoo mlp --seed -1
expect 1 check gemmini16 --set dim=8 --set dim=16
python3 - <<'P'
import struct
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 784), }"
head += ' ' * (117 - len(head)) + chr(10)
open('x.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + bytes(784 * 4))
P
expect 0 run --arch gemmini16 --model mlp.onnx --input x.npy
expect 1 run --arch gemmini16 --model mlp.onnx --input x.npy --input x.npy
: >nothing.s
expect 0 asm nothing.s --arch gemmini16 -o nothing.elf
for name in resnet34 resnet101; do
  "$accord" zoo --help | grep -q "$name" || { echo "zoo --help does not say $name"; failed=1; }
done
long=$(printf 'x%.0s' {1..300})  # no file may have such a name
expect 1 check "$long"
expect 1 run --arch "$long" --model mlp.onnx
expect 1 run --arch gemmini16 --model "$long"
expect 1 run --arch gemmini16 --model mlp.onnx --input "$long"
expect 1 run --arch gemmini16 --model mlp.onnx --input "x=$long"
expect 1 compile --arch gemmini16 --model mlp.onnx -o "$long"
expect 1 sim "$long" --arch gemmini16
expect 1 disasm "$long" --arch gemmini16
expect 1 asm "$long" --arch gemmini16 -o mlp2.elf

# What is named wrongly is said before the work, and nothing is lost.
expect 1 compile --arch gemmini16 --model mlp.onnx -o mlp.onnx
says 'mlp.onnx: -o would replace what --model names, the input'
expect 1 asm mlp.s --arch gemmini16 -o mlp.s
expect 1 sim mlp.elf --arch gemmini16 --trace same --json same
says 'same: --json and --trace name the same file'
expect 1 sim mlp.elf --arch gemmini16 --most-cycles 9223372036854775808
says '1 to 9223372036854775807'
expect 1 validate vta_rtl --plots table.yaml
says 'is no folder'
expect 1 show gemmini16 --isa -o isa.svg
says 'isa.svg: what is written is Markdown: expected a name that ends in .md'
expect 1 schema -o schema.md
expect 1 schema --reference -o schema.json
expect 1 zoo mlp -o mlp.csv
expect 1 asm /dev/zero --arch gemmini16 -o zero.elf
says '/dev/zero: is no regular file'
expect 1 validate --table /dev/zero
says '/dev/zero: is no regular file'
expect 1 run --arch gemmini16 --model mlp --dim N=4
says 'accord: mlp: '
expect 1 map --arch gemmini16 --model table.yaml --layer one.y.store
says 'the model has no such layer; did you mean `one.y.stored`?'

# What standard output does not take is missed.
for command in schema "show gemmini16 --isa" "check gemmini16" "disasm mlp.elf --arch gemmini16" --help; do
  "$accord" $command >/dev/full 2>err.txt
  [ $? -eq 1 ] || { echo "accord $command >/dev/full: status is not 1"; failed=1; }
  says 'standard output cannot be written'
  "$accord" $command >&- 2>err.txt
  [ $? -eq 1 ] || { echo "accord $command >&-: status is not 1"; failed=1; }
  says 'standard output cannot be written'
done
"$accord" check gemmini16 --json closed.json >&- 2>/dev/null
python3 -m json.tool closed.json >/dev/null || { echo "standard output went into a file"; failed=1; }

for file in check.json reference.json run.json sim.json time.json trace.json machine.json; do
  python3 -m json.tool "$file" >/dev/null || { echo "$file is not JSON"; failed=1; }
done
exit $failed
