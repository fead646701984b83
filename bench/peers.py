#!/usr/bin/env python3
"""The work that other simulators were measured on, on the machines that they describe; prints both cycles.

    bench/peers.py ACCORD [gemm] [timeloop] [resnet50] [--only NAME...] [--model RESNET50.onnx] [--no-verify]

gemm and timeloop: the rows of bench/peers/*.csv, each layer alone, its own cycles at the 1 GHz of the peers' arrays. resnet50: the
whole network's total.
Exit 1 where a run is not verified, has a hazard or breaks an invariant; the comparison itself fails nothing.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from layer_list import layer_of, read_rows
from runs import cycles_at, greatest_stalls, holds, matrix_layer, run, run_layer, search_ms

TABLES = pathlib.Path(__file__).resolve().parent / "peers"
LARGE = ["n=128", "spad_kib=8192", "acc_kib=1024", "vector_bits=65536"]
RESNET50 = {"32": 5430456, "128": 1095671}  # ONNXim, one core, simple DRAM


def onnxim(array):
    """Params of configs/accelerators/onnxim.yaml for an array's size."""
    return LARGE if array == "128" else [f"n={array}"]


def print_row(name, array, ideal, theirs, machine, layer, settings, choice):
    result, error = run_layer(choice.accord, machine, layer, settings, choice.verify)
    if result is None:
        print(f"| {name} | {array} | {error} |", flush=True)
        return 1
    own = matrix_layer(result)
    good, cycles = holds(result, choice.verify), cycles_at(result, own["cycles"])
    ratio = f"{cycles / int(theirs):.3f}" if theirs else ""
    print(f"| {name} | {array} | {ideal} | {theirs} | {cycles} | {ratio} | {cycles / int(ideal):.3f} "
          f"| {search_ms(choice.accord, machine, layer, settings)} | {greatest_stalls(own)} |{'' if good else ' NOT VERIFIED'}",
          flush=True)
    return 0 if good else 1


def heading(peer):
    print(f"\n| layer | array | ideal | {peer} | cycles | of {peer}'s | of ideal | search ms | greatest stalls |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)


def wanted(rows, key, choice):
    return [row for row in rows if not choice.only or row[key] in choice.only]


def gemm(choice):
    heading("ONNXim")
    bad = 0
    for row in wanted(read_rows(TABLES / "gemm.csv"), "gemm", choice):
        layer = {"name": row["gemm"], "op": "gemm", "m": row["M"], "k": row["K"], "n": row["N"]}
        bad += print_row(row["gemm"], row["array"], row["ideal"], row["onnxim_ws"], "onnxim", layer, onnxim(row["array"]), choice)
    return bad


def timeloop(choice):
    heading("Timeloop")
    bad = 0
    for row in wanted(read_rows(TABLES / "timeloop.csv"), "name", choice):
        bad += print_row(row["name"], row["array"], row["ideal"], row["timeloop"], "timeloop", layer_of(row), [f"n={row['array']}"], choice)
    return bad


def resnet50(choice):
    print("\n| ResNet-50 | ONNXim | cycles | of ONNXim's | compile s | simulate s |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        model = choice.model or pathlib.Path(folder, "resnet50.onnx")
        if not choice.model:
            subprocess.run([choice.accord, "zoo", "resnet50", "-o", str(model)], check=True, capture_output=True)
        return sum(print_network(array, theirs, model, choice) for array, theirs in RESNET50.items())


def print_network(array, theirs, model, choice):
    result, error = run(choice.accord, "onnxim", model, onnxim(array), choice.verify)
    if result is None:
        print(f"| {array}x{array} | {error} |", flush=True)
        return 1
    good, wall = holds(result, choice.verify), result["wall"]
    print(f"| {array}x{array} | {theirs} | {result['total_cycles']} | {result['total_cycles'] / theirs:.3f} "
          f"| {wall['compile_s']:.2f} | {wall['simulate_s']:.2f} |{'' if good else ' NOT VERIFIED'}", flush=True)
    return 0 if good else 1


def main():
    benches = {"gemm": gemm, "timeloop": timeloop, "resnet50": resnet50}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("accord")
    parser.add_argument("benches", nargs="*", metavar="BENCH", help=", ".join(benches))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--model", help="ResNet-50; the zoo's by default")
    parser.add_argument("--no-verify", dest="verify", action="store_false")
    choice = parser.parse_args()
    unknown = set(choice.benches) - set(benches)
    if unknown:
        parser.error(f"no such bench: {', '.join(sorted(unknown))}; there are {', '.join(benches)}")
    sys.exit(1 if sum(benches[name](choice) for name in choice.benches or benches) else 0)


if __name__ == "__main__":
    main()
