# Reads what `fovea export` wrote with the reader that its users have, and compares it with what `fovea show --json --series` says.
#
#   python read_back.py FORMAT EXPORTED SHOWN.json [SHOWN.json ...]
#
# Ends with 0 if all is as shown, with 1 and what differs, or with 77 where the reader is not installed.
import json
import math
import struct
import sys


def same(a, b, what):
    if a != b and not (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)):
        sys.exit(f"{what}: {a!r}, and shown is {b!r}")


def points(shown, metric):
    return [(step, math.nan if value is None else value) for step, value in shown["series"][metric]]


def read_csv(path, runs):
    import pandas

    table = pandas.read_csv(path)
    same(list(table.columns), ["run", "experiment", "seed", "metric", "step", "value"], "columns")
    same(sorted(set(table["run"].tolist())), sorted(run["run"] for run in runs), "runs")
    for run in runs:
        own = table[table["run"] == run["run"]]
        same(set(own["experiment"]), {run["experiment"]}, "experiment")
        same(set(own["seed"]), {run["seed"]}, "seed")
        same(set(own["metric"]), set(run["series"]), "metrics")
        for metric in run["series"]:
            rows = own[own["metric"] == metric]
            for (step, value), (shown_step, shown_value) in zip(
                zip(rows["step"], rows["value"]), points(run, metric), strict=True
            ):
                same(int(step), shown_step, metric)
                same(float(value), float(shown_value), metric)


def read_jsonl(path, runs):
    import pandas

    table = pandas.read_json(path, lines=True, precise_float=True)
    same(table["run"].tolist(), [run["run"] for run in runs], "runs")
    for row, run in zip(table.to_dict("records"), runs, strict=True):
        for key in ("experiment", "seed", "hash", "state", "steps"):
            same(row[key], run[key], key)
        same(row["spec"], run["settings"], "spec")
        same(set(row["metrics"]), set(run["metrics"]), "metrics")


def read_npz(path, runs):
    import numpy

    file = numpy.load(path, allow_pickle=False)
    read = set()

    def take(name):
        read.add(name)
        return file[name]

    for run in runs:
        front = f"{run['run']}/" if len(runs) > 1 else ""
        for key in ("run", "seed", "steps", "experiment", "state", "hash"):
            same(take(front + key).item(), run[key], key)
        if not take(front + "spec").item().startswith("intervene = "):
            sys.exit("the spec is not the spec")
        take(front + "seconds")
        for metric in run["series"]:
            steps, values = take(f"{front}series/{metric}/steps"), take(f"{front}series/{metric}/values")
            same((steps.dtype, values.dtype), (numpy.dtype("int64"), numpy.dtype("float64")), metric)
            for step, value, shown in zip(steps.tolist(), values.tolist(), points(run, metric), strict=True):
                same(step, shown[0], metric)
                same(value, float(shown[1]), metric)
        name = front + "arrays/attention/values"
        if name in file.files:
            attention = take(name)
            same(attention.dtype, numpy.dtype("float32"), name)
            same(attention.shape[0], len(take(front + "arrays/attention/steps")), name)
            if abs(attention.sum(axis=-1) - 1).max() > 0.01:
                sys.exit("rows of attention do not sum to 1")
    rest = [name for name in file.files if name not in read and "arrays/" not in name]
    same(rest, [], "what nobody expected")
    for name in file.files:
        file[name]  # every member can be read, and its checksum holds


def read_tensorboard(path, runs):
    import pathlib

    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto import event_pb2

    folders = sorted(pathlib.Path(path).iterdir())
    same(len(folders), len(runs), "folders")
    by_run = {int(folder.name.split("-")[0]): folder for folder in folders}
    for run in runs:
        folder = by_run[run["run"]]
        (file,) = folder.iterdir()
        # The reader stops at the first record whose checksum is wrong: the last event must be there.
        steps = [event_pb2.Event.FromString(record).step for record in RawEventFileLoader(str(file)).Load()]
        same(max(steps), max(step for metric in run["series"] for step, _ in points(run, metric)), "last event")
        events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0})
        events.Reload()
        same(set(events.Tags()["scalars"] or events.Tags()["tensors"]), set(run["series"]), "metrics")
        for metric in run["series"]:
            if events.Tags()["scalars"]:
                got = [(e.step, e.value) for e in events.Scalars(metric)]
            else:
                got = [(e.step, e.tensor_proto.float_val[0]) for e in events.Tensors(metric)]
            wanted = [(step, struct.unpack("<f", struct.pack("<f", value))[0]) for step, value in points(run, metric)]
            for a, b in zip(got, wanted, strict=True):
                same(a[0], b[0], metric)
                same(float(a[1]), float(b[1]), metric)


def read_safetensors(path, runs):
    import numpy
    from safetensors import safe_open

    with safe_open(path, framework="np") as file:
        names = set(file.keys())
        metadata = file.metadata()
        for run in runs:
            front = f"{run['run']}/" if len(runs) > 1 else ""
            same(metadata[front + "run"], str(run["run"]), "run")
            same(metadata[front + "hash"], run["hash"], "hash")
            own = {name for name in names if name.startswith(front)}
            names -= own
            for name in own:
                values = file.get_tensor(name)
                if values.dtype not in (numpy.float32, numpy.float64) or not numpy.isfinite(values).all():
                    sys.exit(f"{name} is {values.dtype}, or not finite")
            if not own:
                sys.exit(f"run {run['run']} has no weights")
        same(names, set(), "what nobody expected")


def read_checkpoints(path, runs):
    import hashlib
    import pathlib

    from safetensors import safe_open

    folders = sorted(pathlib.Path(path).iterdir())
    same(len(folders), len(runs), "folders")
    by_run = {int(folder.name.split("-")[0]): folder for folder in folders}
    for run in runs:
        shown = []
        for file in sorted(by_run[run["run"]].iterdir()):
            with safe_open(file, framework="np") as opened:
                bits = b"".join(opened.get_tensor(name).tobytes() for name in sorted(opened.keys()))
                metadata = opened.metadata()
            same(metadata["hash"], run["hash"], "hash")
            same(metadata["sha256"], hashlib.sha256(bits).hexdigest(), "digest")
            shown.append({"step": int(metadata["step"]), "sha256": metadata["sha256"]})
        same(shown, run["checkpoints"], "checkpoints")


if __name__ == "__main__":
    form, exported, *shown = sys.argv[1:]
    runs = []
    for name in shown:
        with open(name) as file:
            runs.append(json.load(file))
    try:
        globals()["read_" + form](exported, runs)
    except ModuleNotFoundError as missing:
        print(f"there is no {missing.name} here", file=sys.stderr)
        sys.exit(77)
