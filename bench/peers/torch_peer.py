"""A training step in PyTorch: eager, or compiled."""

import numpy as np
import torch

import draws
from torch_models import SYSTEMS


class TorchPeer:
    steps_a_call = 1

    def __init__(self, case, mode, seed=1):
        torch.manual_seed(seed)
        self.case = case
        self.model = SYSTEMS[case.model["name"]](case)
        self.load()
        self.loss_of = torch.compile(self.model) if mode == "compile" else self.model
        self.draw = draws.drawer(case)
        self.generator = np.random.default_rng(seed)

    def load(self):
        """Fovea's first parameters, and an optimiser that has not moved yet."""
        mine = self.model.state_dict()
        self.model.load_state_dict({name: torch.from_numpy(self.case.parameters[self.model.ours(name)]) if self.model.ours(name) in self.case.parameters else value
                                    for name, value in mine.items()})
        t = self.case.train
        if t["optimizer"] == "adam":
            self.optimizer = torch.optim.Adam(self.model.parameters(), t["rate"], (t["beta1"], t["beta2"]), t["epsilon"], fused=True)
        else:
            self.optimizer = torch.optim.SGD(self.model.parameters(), t["rate"], fused=True)

    @staticmethod
    def tensors(batch):
        return {name: torch.from_numpy(value) for name, value in batch.items()}

    def update(self, batch):
        loss = self.loss_of(self.tensors(batch))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss

    def check(self):
        loss = self.loss_of(self.tensors(self.case.batches[0]))
        loss.backward()
        gradients = {self.model.ours(name): p.grad.numpy().copy() for name, p in self.model.named_parameters()}
        self.load()
        losses = [self.update(batch).item() for batch in self.case.batches]
        return self.case.check(loss.item(), gradients, losses)

    def step(self):
        self.update(self.draw(self.generator))

    def finish(self):
        pass  # a step has ended when it returns
