#!/usr/bin/env python3
"""How fast the simulator is, values and hazard checks on: simulated cycles per second of processor time, beside ONNXim's (which computes no
values), and its time beside oneDNN's for the same network's matrix layers in int8 on one core.

    bench/speed.py ACCORD [MODEL.onnx] [--onednn ACCORD_ONEDNN] [--repeat N]

Without a model: the zoo's ResNet-50. Of several runs the least time stands; all are of this machine, one after the other.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile

MACHINES = [  # covenant, its params, ONNXim's cycles per processor second on an array of this size (ResNet-50, simple DRAM)
    ("gemmini16", [], None),
    ("gemmini16", ["dim=32"], 394_000),
    ("gemmini16", ["dim=128"], 288_000),
    ("dnnweaver64", [], None),
    ("onnxim", [], 394_000),
    ("onnxim", ["n=128", "spad_kib=8192", "acc_kib=1024", "vector_bits=65536"], 288_000),
]


def processor_seconds(command, **options):
    """User and system time of a child, and its greatest resident set in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def simulate(choice, machine, settings, model, folder):
    """Cycles, least processor seconds of `accord sim`, its peak memory, and the binary's size."""
    words = ["--arch", machine] + [word for setting in settings for word in ("--set", setting)]
    binary, result = folder / "program.elf", folder / "result.json"
    subprocess.run([choice.accord, "compile", "--model", str(model), "-o", str(binary)] + words, check=True, stdout=subprocess.DEVNULL)
    runs = [processor_seconds([choice.accord, "sim", str(binary), "--json", str(result)] + words) for _ in range(choice.repeat)]
    return json.load(open(result))["total_cycles"], min(run[0] for run in runs), min(run[1] for run in runs), binary.stat().st_size


def onednn_seconds(program, model):
    text = subprocess.run([program, str(model)], env=dict(os.environ, OMP_NUM_THREADS="1"), capture_output=True, text=True, check=True).stdout
    return float(text.split(",")[1].split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("accord")
    parser.add_argument("model", nargs="?")
    parser.add_argument("--onednn", help="the bench program accord_onednn")
    parser.add_argument("--repeat", type=int, default=3)
    choice = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = pathlib.Path(choice.model or folder / "resnet50.onnx")
        if not choice.model:
            subprocess.run([choice.accord, "zoo", "resnet50", "-o", str(model)], check=True, stdout=subprocess.DEVNULL)
        native = onednn_seconds(choice.onednn, model) if choice.onednn else None
        if native:
            print(f"oneDNN: {native * 1000:.1f} ms for the matrix layers of {model.stem} in int8\n")
        print("| machine | cycles | processor s | cycles per s | of ONNXim's | of oneDNN's time | peak MB | binary MB |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        for machine, settings, theirs in MACHINES:
            cycles, seconds, memory, size = simulate(choice, machine, settings, model, folder)
            print(f"| {' '.join([machine] + settings)} | {cycles} | {seconds:.2f} | {cycles / seconds:,.0f} | {f'{cycles / seconds / theirs:.1f}x' if theirs else ''} "
                  f"| {f'{seconds / native:.0f}x' if native else ''} | {memory / 1e6:.0f} | {size / 1e6:.0f} |", flush=True)


if __name__ == "__main__":
    main()
