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

cat >table.yaml <<'Y'
layers:
  - {name: one, op: gemm, m: 4, n: 20, k: 24}
Y
printf 'not a model' >broken.onnx
printf 'accord: 1\nnonsense: 2\n' >broken.yaml

expect 0 --help
expect 1
expect 1 frobnicate
grep -q '`frobnicate` is no command' err.txt || { echo 'the unknown command is not named:'; cat err.txt; failed=1; }
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
expect 0 run --arch gemmini16 --model mlp.onnx --reference-only
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

for file in check.json run.json sim.json time.json trace.json machine.json; do
  python3 -m json.tool "$file" >/dev/null || { echo "$file is not JSON"; failed=1; }
done
exit $failed
