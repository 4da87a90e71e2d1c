"""What Fovea computes for one system, as bench/export_step wrote it: settings, first parameters, batches, gradients, losses."""

import numpy as np
import tomllib
from safetensors import safe_open


class Disagreement(Exception):
    pass


class Case:
    def __init__(self, path):
        with safe_open(path, "np") as file:
            about = file.metadata()
            arrays = {name: file.get_tensor(name) for name in file.keys()}
        self.spec = tomllib.loads(about["spec"])
        self.shape = {name.split(".", 1)[1]: int(value) for name, value in about.items() if name.startswith("shape.")}
        self.parameters = self._under("parameter.", arrays)
        self.gradients = self._under("gradient.", arrays)
        self.losses = arrays["losses"]
        self.batches = [self._under(f"batch.{step}.", arrays) for step in range(len(self.losses))]

    @staticmethod
    def _under(prefix, arrays):
        return {name[len(prefix) :]: value for name, value in arrays.items() if name.startswith(prefix)}

    @property
    def model(self):
        return self.spec["model"]

    @property
    def task(self):
        return self.spec["task"]

    @property
    def train(self):
        return self.spec["train"]

    @property
    def frozen(self):
        """Names of the parameters that stay as they were drawn (of a transformer: those of its frozen circuits)."""
        whole = {"embed": "embedding.", "unembed": "unembedding.", "positions": "position."}
        parts = {"qk": ("query.", "key."), "v": ("value.",), "o": ("output.",), "mlp": ("mlp.",)}
        prefixes = []
        for circuit in self.model.get("frozen", []):
            part, _, layer = circuit.partition(".")
            prefixes += [f"layer.{layer}.{name}" for name in parts[part]] if layer else [whole[part]]
        return [name for name in self.parameters if name.startswith(tuple(prefixes))]

    def check(self, loss, gradients, losses):
        """What a peer computed of the first batch, and its losses while it trained on all of them; raises Disagreement where it differs."""
        errors = {"loss": abs(loss - self.losses[0]) / max(1.0, abs(self.losses[0]))}
        missing = {name for name, value in self.gradients.items() if np.any(value)} - set(gradients)
        if missing:
            raise Disagreement(f"no gradient for {', '.join(sorted(missing))}")
        worst = 0.0
        for name, ours in self.gradients.items():
            if name in gradients:
                scale = max(
                    float(np.abs(ours).max()),
                    1e-3 * max(float(np.abs(g).max()) for g in self.gradients.values()),
                    1e-30,
                )
                worst = max(worst, float(np.abs(gradients[name] - ours).max()) / scale)
        errors["gradient"] = worst
        errors["course"] = float(
            np.max(np.abs(np.asarray(losses) - self.losses) / np.maximum(1.0, np.abs(self.losses)))
        )
        # Adam's first steps are as long whatever the gradient's size: where it is 0 but for rounding (a bias before a batch norm),
        # rounding decides which way they go. So courses part sooner than gradients.
        bounds = {"loss": 1e-5, "gradient": 1e-4, "course": 5e-3}
        wrong = [
            f"{what} differs by {error:.2g} (at most {bounds[what]:g})"
            for what, error in errors.items()
            if not error <= bounds[what]
        ]
        if wrong:
            raise Disagreement(f"does not compute what Fovea computes: {'; '.join(wrong)}")
        return errors
