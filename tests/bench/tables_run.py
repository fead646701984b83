"""Do the benches' tables run on their machines, and are the layers those of the table? Usage: tables_run.py ACCORD SOURCE_DIR"""
import math
import pathlib
import subprocess
import sys

accord, root = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(root / "bench"))
from layer_list import layer_of, read_rows  # noqa: E402
from runs import matrix_layer, run_layer  # noqa: E402


def macs(layer):
    """Points of the layer's loops, padding's zeros included."""
    if layer["op"] == "gemm":
        return layer["m"] * layer["k"] * layer["n"]
    out_h = (layer["h"] + 2 * layer["ph"] - layer["r"]) // layer["stride"] + 1
    out_w = (layer["w"] + 2 * layer["pw"] - layer["s"]) // layer["stride"] + 1
    return layer["n"] * layer["k"] * layer["c"] // layer["groups"] * layer["r"] * layer["s"] * out_h * out_w


def check(condition, message):
    if not condition:
        sys.exit(f"wrong: {message}")


def check_layer(machine, settings, layer):
    result, error = run_layer(accord, machine, layer, settings)
    check(result is not None, f"{layer['name']} on {machine}: {error}")
    own = matrix_layer(result)
    check(result["verified"], f"{layer['name']} on {machine} is not verified")
    check(own["placed_on"] != "host", f"{layer['name']} on {machine} runs on the host")
    check(own["cycles"] > 0, f"{layer['name']} on {machine} takes no time")
    check(own["macs"] == macs(layer), f"{layer['name']}: {own['macs']} MACs, the table has {macs(layer)}")


def main():
    layers = {row["name"]: layer_of(row) for row in read_rows(root / "bench" / "layers14.csv")}
    check(len(layers) == 14, f"{len(layers)} layers")
    check_layer("gemmini16", [], layers["dlrm_fc1"])
    products = read_rows(root / "bench" / "peers" / "gemm.csv")
    for row in products:
        work = int(row["M"]) * int(row["N"]) * int(row["K"])
        check(int(row["ideal"]) == math.ceil(work / int(row["array"]) ** 2), f"ideal of {row['gemm']} at {row['array']}")
    small = products[0]
    check_layer("onnxim", ["n=16"], {"name": small["gemm"], "op": "gemm", "m": int(small["M"]), "k": int(small["K"]), "n": int(small["N"])})
    for row in read_rows(root / "bench" / "peers" / "timeloop.csv"):
        check(int(row["timeloop"]) >= int(row["ideal"]), f"{row['name']}: Timeloop is below the ideal")
    check_layer("timeloop", ["n=32"], {**layer_of(row), "h": 6, "w": 6})
    refused = subprocess.run([sys.executable, str(root / "bench" / "peers.py"), accord, "nothing"], capture_output=True, text=True)
    check(refused.returncode == 2 and "no such bench: nothing" in refused.stderr, "an unknown bench is accepted")


main()
