#!/usr/bin/env bash
# Are the errors against measured figures within what each bench states, and does the command say so where they are not? Usage: run.sh ACCORD VALIDATION
set -euo pipefail
accord=$1
tables=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "validate: $*"
  exit 1
}

# refused MESSAGE ARGUMENT...: exit 1, and the message says why.
refused() {
  local message=$1 status=0
  shift
  "$accord" validate "$@" >out.txt 2>&1 || status=$?
  [ "$status" = 1 ] || fail "status $status instead of 1 of: validate $*: $(tail -1 out.txt)"
  grep -q "$message" out.txt || fail "no '$message' from: validate $*: $(tail -1 out.txt)"
}

"$accord" validate --quiet --json all.json --plots plots || fail "an error is beyond what its bench allows"
python3 - <<'P'
import glob, json
result = json.load(open("all.json"))
assert result["passed"] and len(result["benches"]) >= 6, result["benches"]
for bench in result["benches"]:
    errors = [abs(row["ours"] / row["reference"] - 1) for row in bench["rows"]]
    assert abs(sum(errors) / len(errors) - bench["mean_error"]) < 1e-9, bench["name"]
    assert abs(max(errors) - abs(bench["worst_error"])) < 1e-9, bench["name"]
    assert bench["mean_error"] <= bench["mean_allowed"] + 1e-12, bench["name"]
assert len(glob.glob("plots/*.svg")) == len(result["benches"])
P
"$accord" validate gemmini_os nvdla_rtl --jobs 1 --json one.json >one.txt
"$accord" validate gemmini_os nvdla_rtl --jobs 3 --json three.json >three.txt
cmp one.json three.json || fail "the result depends on the number of processes"

# Rows of other sizes run, on the bench that their columns tell.
(head -1 "$tables/nvdla_rtl/nvdla_nv_small.csv" && sed -n 2p "$tables/nvdla_rtl/nvdla_nv_small.csv" | sed 's/^gemm,8,1,8,8,1,1,1,0,8,/gemm,24,1,40,16,1,1,1,0,24,/') >other.csv
"$accord" validate --table other.csv --json other.json >out.txt || true
python3 -c 'import json; b = json.load(open("other.json"))["benches"]; assert [x["name"] for x in b] == ["nvdla_rtl"] and b[0]["rows"][0]["ours"] > 249, b'

refused 'no bench' no_such_bench
# table ROW...: a file table.csv with these rows
table() { printf '%s\n' "$@" >table.csv; }
columns=dataflow,M,N,K,R,C,cycles
table $columns os,32,16,256,16,16,572
refused beyond --table table.csv
table a,b 1,2
refused 'those of no bench' --table table.csv
table $columns os,1,2
refused 'values for 7 columns' --table table.csv
table $columns os,x,1,1,1,1,1
refused 'refused: M is .x.; expected a whole number' --table table.csv
table $columns ns,1,1,1,1,1,1
refused 'refused: dataflow is .ns.; there are os, ws, is' --table table.csv
table $columns os,1,1,1,4096,1,1
refused '1 refused' --table table.csv

# What cannot be run is refused by itself; the other rows are compared.
nvdla=kind,W,H,C,K,S,R,stride,pad,OW,OH,mem_lat,mem_rint,wlat,done_sdp_cycles
table $nvdla gemm,8,1,8,8,1,1,1,0,8,1,32,1,4,249 \
  conv,224,224,64,64,3,3,1,1,224,224,32,1,4,1 \
  gemm,8,1,8,8,1,1,1,0,8,1,32,0,4,249 \
  gemm,8,1,8,8,1,1,1,0,9,1,32,1,4,249 \
  gemm,8,1,8,8,1,1,0,0,8,1,32,1,4,249 \
  gemm,-8,1,8,8,1,1,1,0,8,1,32,1,4,249 \
  gemm,8,1,8,8,1,1,1,0,8,1,soon,1,4,249 \
  gemm,8,1,8,8,1,1,1,0,8,1,32,1,4,0
refused 'refused: data and weights do not lie in the convolution buffer together' --table table.csv --json rows.json
python3 - <<'P'
import json
result = json.load(open("rows.json"))
bench = result["benches"][0]
assert not result["passed"] and (bench["compared"], bench["refused"], bench["failed"]) == (1, 7, 0), bench
assert bench["rows"][0]["reference"] == 249 and all("refused" in row for row in bench["rows"][1:]), bench
P
loop=mode,M,K,N,mem_lat,cycles,tile_I,tile_J,tile_K
table $loop loop_ws,16,16,16,32,238,1,1,1 unheard_of,16,16,16,32,238,1,1,1 loop_ws,65536,65536,65536,32,1,1,1,1
refused 'table.csv:3: refused: no bench takes the row' --table table.csv --json rows.json
python3 -c 'import json; r = json.load(open("rows.json")); b = r["benches"][0]; assert (b["compared"], b["refused"], len(r["rows_for_none"])) == (1, 1, 1), r'
refused 'No such file' --table missing.csv
