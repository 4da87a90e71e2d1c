"""What the program exports, read by NumPy, pandas, safetensors and TensorBoard, against what Python has of the same runs."""

import subprocess

import numpy as np
import pytest

import fovea

SMALL = dict(quick=True, steps=20, vocab=9, length=5, hidden=8, embedding=8, batch=8)


@pytest.fixture
def export(program, tmp_path):
    def exported(name, *ids, form=None):
        words = ["--format", form] if form else []
        subprocess.run([program.path, "export", *map(str, ids), "-o", str(tmp_path / name), *words], check=True)
        return tmp_path / name

    return exported


@pytest.mark.parametrize("precision", ["float", "double"])
def test_safetensors_has_the_weights(export, precision):
    numpy = pytest.importorskip("safetensors.numpy")
    run = fovea.run("copy-subset", precision=precision, **SMALL)
    read = numpy.load_file(export("weights.safetensors", run.id))
    assert set(read) == set(run.weights())
    for name, values in run.weights().items():
        assert (read[name].dtype, read[name].shape) == (values.dtype, values.shape)
        assert read[name].tobytes() == values.tobytes()
    back = fovea.from_torch(read)
    batch = {"source": [[1, 2, 3, 8]], "target": [[1, 2, 3, 8]]}
    assert back.apply(batch)["scores"].tobytes() == fovea.from_torch(run.weights()).apply(batch)["scores"].tobytes()


def test_safetensors_goes_into_a_module_of_torch(export):
    torch, safetensors = pytest.importorskip("torch"), pytest.importorskip("safetensors.torch")
    run = fovea.run("copy-subset", **SMALL)
    module = fovea.to_torch(run)
    torch.nn.init.zeros_(module.output.weight)
    module.load_state_dict(safetensors.load_file(export("weights.safetensors", run.id)))
    assert module.output.weight.detach().numpy().tobytes() == run.weights()["output.weight"].tobytes()


def test_tensorboard_has_the_series(export):
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    runs = [fovea.run("copy-subset", seed=seed, **SMALL) for seed in range(2)]
    folders = sorted(export("logs", *(run.id for run in runs), form="tensorboard").iterdir())
    assert len(folders) == 2
    for run, folder in zip(runs, folders):
        read = events.EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0})
        read.Reload()
        assert set(read.Tags()["scalars"]) == set(run.series)
        for name in run.series:
            points = read.Scalars(name)
            assert [point.step for point in points] == run.series.steps(name).tolist()
            np.testing.assert_array_equal(
                np.array([point.value for point in points], np.float32), run.series[name].astype(np.float32)
            )


def test_numpy_and_pandas_have_the_same_points(export):
    pandas = pytest.importorskip("pandas")
    run = fovea.run("copy-subset", **SMALL)
    read = pandas.read_csv(export("runs.csv", run.id), dtype={"value": str})
    read["value"] = read["value"].map(float)  # to the last bit, as pandas does not by itself
    pandas.testing.assert_frame_equal(read, run.to_pandas(), check_dtype=False, check_exact=True)
    table = np.load(export("run.npz", run.id), allow_pickle=False)
    for name in run.series:
        assert table[f"series/{name}/values"].tobytes() == run.series[name].tobytes()
    np.testing.assert_array_equal(table["arrays/attention/values"][-1], fovea.store()[run.id].attention())
