#!/usr/bin/env python3
"""How long each stage of `accord compile` takes; prints a table of milliseconds.

    bench/compile_time.py ACCORD [MODEL.onnx...] [--on MACHINE...] [--repeat N] [--zoo NAME...] [--cores N]

The models are those named and the zoo's (resnet50 and bert_base without either), on one core of this machine, or so many.
Of several repetitions each stage's least time stands. `cpu` is the whole process's processor time, which other load on this machine does not lengthen.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile


def processor_time():
    """Of all children so far, the system's work for them included: page faults are a third of what large models take."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def keep_to(cores):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def compile_once(choice, machine, model, folder):
    """[(stage, seconds)] with the process's time at the end, and the whole; or None and the complaint."""
    out, binary = pathlib.Path(folder, "compile.json"), pathlib.Path(folder, "program.elf")
    out.unlink(missing_ok=True)
    before = processor_time()
    done = subprocess.run([choice.accord, "compile", "--arch", machine, "--model", str(model), "-o", str(binary), "--json", str(out)],
                          capture_output=True, text=True, timeout=3600, preexec_fn=lambda: keep_to(choice.cores))
    if done.returncode != 0 or not out.exists():
        return None, (done.stderr.strip() or f"exit {done.returncode}").splitlines()[-1]
    wall = json.load(open(out))["wall"]
    cpu = processor_time() - before
    return [(entry["stage"], entry["seconds"]) for entry in wall["stages"]] + [("cpu", cpu)], wall["compile_s"]


def bench(machine, model, choice, folder):
    runs = [compile_once(choice, machine, model, folder) for _ in range(choice.repeat)]
    if runs[0][0] is None:
        print(f"| {model.stem} | {machine} | {runs[0][1]} |", flush=True)
        return 1
    best = [min(run[0][i][1] for run in runs) for i in range(len(runs[0][0]))]
    if choice.heading:
        names = [stage for stage, _ in runs[0][0]]
        print(f"| model | machine | {' | '.join(names)} | all |\n|{'---|' * (len(names) + 3)}")
        choice.heading = False
    print(f"| {model.stem} | {machine} | {' | '.join(f'{1e3 * s:.0f}' for s in best)} "
          f"| {1e3 * min(run[1] for run in runs):.0f} |", flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("accord")
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--zoo", nargs="*", default=[])
    parser.add_argument("--on", nargs="*", default=["gemmini16", "dnnweaver64", "hvx", "tpu_v4"], metavar="MACHINE")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cores", type=int, default=1)
    choice = parser.parse_args()
    choice.heading = True
    if not choice.models and not choice.zoo:
        choice.zoo = ["resnet50", "bert_base"]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        for name in choice.zoo:
            choice.models.append(pathlib.Path(folder, name + ".onnx"))
            subprocess.run([choice.accord, "zoo", name, "-o", str(choice.models[-1])], check=True, capture_output=True)
        sys.exit(1 if sum(bench(machine, model, choice, folder) for model in choice.models for machine in choice.on) else 0)


if __name__ == "__main__":
    main()
