#!/usr/bin/env bash
# Do the examples do what their pages say? Usage: run.sh ACCORD EXAMPLES NAME
set -euo pipefail
accord=$1
examples=$2
name=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "$name: $*"
  exit 1
}

# verified ARGUMENT...: the run is right, bit for bit.
verified() {
  "$accord" run "$@" >out.txt || fail "status $? of: run $*"
  grep -q 'verified: true (0 mismatches, bit-exact' out.txt || fail "not verified: run $*"
}

01_by_hand() {
  "$accord" asm "$examples/$name/product.s" --arch gemmini16 -o product.elf
  "$accord" sim product.elf --arch gemmini16 --output y=y.npy >out.txt
  local values
  values=$(tail -c 6 y.npy | od -An -td1 | xargs)
  [ "$values" = "70 -1 10 127 -1 18" ] || fail "y is $values"
  grep -v 'mvin_scale' "$examples/$name/product.s" >unscaled.s
  "$accord" asm unscaled.s --arch gemmini16 -o unscaled.elf
  if "$accord" sim unscaled.elf --arch gemmini16 >out.txt 2>&1; then fail "scales that were never loaded went unnoticed"; fi
  grep -q 'uninitialised_read' out.txt || fail "the missing scales have no hazard"
}

02_layers() {
  verified --arch gemmini16 --model "$examples/$name/layers.yaml"
  verified --arch dnnweaver64 --model "$examples/$name/layers.yaml"
  verified --arch gemmini16 --set dim=32 --model "$examples/$name/layers.yaml"
}

03_a_machine_of_your_own() {
  local machine=$examples/$name/tiny8.yaml
  "$accord" check "$machine"
  "$accord" show "$machine" -o tiny8.svg
  verified --arch "$machine" --model "$examples/02_layers/layers.yaml"
  verified --arch "$machine" --set n=16 --model "$examples/02_layers/layers.yaml"
  verified --arch "$machine" --set kib=8 --model "$examples/02_layers/layers.yaml"
  verified --arch "$machine" --model resnet18
  grep -qE 'MaxPool +vector +max_pool' out.txt || fail "pooling is not on the vector unit"
}

# over_time MACHINE OPTION...: samples sum to the report's totals, and the waveform is busy when the report says so.
over_time() {
  "$accord" run --arch "$1" --model "$examples/02_layers/layers.yaml" --no-verify --stats stats.csv --vcd waves.vcd \
    --json run.json "${@:2}" >out.txt || fail "status $? with --stats and --vcd on $1"
  python3 - <<'P'
import csv, json, re
run = json.load(open("run.json"))
at, sums = 0, {}
for row in csv.DictReader(open("stats.csv")):
    assert int(row.pop("from")) == at, "samples do not follow one another"
    at = int(row.pop("to"))
    for name, value in row.items():
        sums[name] = sums.get(name, 0) + int(value)
assert at == run["total_cycles"], "samples end elsewhere"
totals = {f"{c}: {leaf}": n for c, leaves in run["stalls"].items() for leaf, n in leaves.items()}
totals.update({f"{link}: bytes": n for link, n in run["bytes"].items()})
assert {k: v for k, v in sums.items() if v} == {k: v for k, v in totals.items() if v}, "columns do not sum up"

scope, signals, now, busy, at = "", {}, {}, {}, 0
for line in open("waves.vcd"):
    words = line.split()
    if line.startswith("$scope"):
        scope = words[2]
    elif line.startswith("$var"):
        signals[words[3]] = (scope, words[4])
    elif line.startswith("#"):
        assert int(words[0][1:]) >= at, "time runs back"
        for code, value in now.items():
            if signals[code][1] == "busy":
                busy[signals[code][0]] = busy.get(signals[code][0], 0) + value * (int(words[0][1:]) - at)
        at = int(words[0][1:])
    elif len(words) == 2 and line[0] == "b" and words[1] in signals:
        now[words[1]] = int(words[0][1:], 2)
        assert now[words[1]] < 1 << 31, "a count is negative"
    elif len(words) == 1 and line[0] in "01" and words[0][1:] in signals:
        now[words[0][1:]] = int(line[0])
assert at == run["total_cycles"], "the waveform ends elsewhere"
for component, leaves in run["stalls"].items():
    works = sum(n for leaf, n in leaves.items() if leaf.startswith("working"))
    assert busy.get(re.sub("[^A-Za-z0-9]", "_", component), 0) == works, component
P
}

04_trace() {
  verified --arch gemmini16 --model "$examples/02_layers/layers.yaml" --trace trace.json
  python3 - <<'P'
import json
events = [{"name": "", **e} for e in json.load(open("trace.json"))["traceEvents"]]
groups = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
wanted = ["program", "load", "store", "mesh", "dram", "spad", "acc", "scales", "bus", "rocc"]
assert [groups[g] for g in sorted(groups)] == wanted, groups
counters = {(groups[e["pid"]], e["name"]) for e in events if e["ph"] == "C"}
assert {("mesh", "queue"), ("spad", "in use"), ("bus", "bandwidth")} <= counters, counters
on_mesh = {e.get("name") for e in events if groups[e["pid"]] == "mesh"}
assert "window.y.stored" in on_mesh, "no slice of the layer `window`"
assert "compute" in on_mesh, "no slice of an operation"
P
  over_time gemmini16
  over_time vta --stats-interval 1000
}

05_tutorial() {
  local steps=$examples/$name
  for step in 01 02 03 04 06 07 08 09 10; do "$accord" check "$steps/step$step.yaml" 2>>warnings.txt; done
  if "$accord" check "$steps/step05.yaml" 2>out.txt; then fail "sums that nothing takes out went unnoticed"; fi
  grep -q 'error\[unreachable\]: `array.matmul` writes `sums.ram`' out.txt || fail "step 5 has another mistake"
  "$accord" show "$steps/step10.yaml" -o step10.json
  "$accord" show "$steps/kestrel.yaml" -o kestrel.json
  cmp step10.json kestrel.json || fail "the last step is not kestrel"
  "$steps/run.sh" "$accord"
  verified --arch "$steps/kestrel.yaml" --model "$steps/layers.yaml"
  grep -qE '^depthwise.y.stored .* vector +depthwise' out.txt || fail "the depthwise convolution is not on the vector unit"
  grep -qE '^expand.y.stored .* array +matmul' out.txt || fail "the pointwise convolution is not on the array"
  # docs/rtl.md: 64x64x64, phase by phase, to the cycle
  local rtl=$steps/rtl/gemmini16_rtl.yaml
  for phase in b:310 a:310 c:1090 o:436; do
    "$steps/rtl/gemm.sh" 4 4 4 "${phase%:*}" >phase.s
    "$accord" asm phase.s --arch "$rtl" -o phase.elf
    "$accord" sim phase.elf --arch "$rtl" >out.txt
    grep -q "^total *${phase#*:} cycles" out.txt || fail "phase ${phase%:*} does not take ${phase#*:} cycles: $(grep '^total' out.txt)"
  done
}

"$name"
