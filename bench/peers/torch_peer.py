"""A training step in PyTorch: eager, or compiled."""

import draws
import numpy as np
import torch
from torch_models import SYSTEMS


class TorchPeer:
    steps_a_call = 1

    def __init__(self, case, mode, device, seed=1):
        torch.manual_seed(seed)
        self.case = case
        self.device = torch.device(device)
        self.model = SYSTEMS[case.model["name"]](case).to(self.device)
        self.load()
        self.loss_of = torch.compile(self.model) if mode == "compile" else self.model
        self.draw = draws.drawer(case)
        self.generator = np.random.default_rng(seed)

    def load(self):
        """Fovea's first parameters, and an optimiser that has not moved yet."""
        first, loaded = self.case.parameters, {}
        for name, value in self.model.state_dict().items():
            blocks = self.blocks(name)
            if all(block in first for block in blocks):
                value = torch.from_numpy(
                    np.concatenate([first[block] for block in blocks]) if len(blocks) > 1 else first[blocks[0]]
                )
            loaded[name] = value
        self.model.load_state_dict(loaded)
        t = self.case.train
        learning = [p for p in self.model.parameters() if p.requires_grad]
        if t["optimizer"] == "sgd":
            self.optimizer = torch.optim.SGD(
                learning, t["rate"], t.get("momentum", 0), weight_decay=t.get("weight_decay", 0), fused=True
            )
        else:
            kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[t["optimizer"]]
            self.optimizer = kind(
                learning, t["rate"], (t["beta1"], t["beta2"]), t["epsilon"], t.get("weight_decay", 0), fused=True
            )

    def blocks(self, name):
        """Fovea's names of a parameter: one, or those of its blocks of rows."""
        ours = self.model.ours(name)
        return ours if isinstance(ours, tuple) else (ours,)

    def tensors(self, batch):
        tensors = {name: torch.from_numpy(value) for name, value in batch.items()}
        if self.device.type == "cpu":
            return tensors
        return {name: value.pin_memory().to(self.device, non_blocking=True) for name, value in tensors.items()}

    def update(self, batch):
        loss = self.loss_of(self.tensors(batch))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss

    def check(self):
        loss = self.loss_of(self.tensors(self.case.batches[0]))
        loss.backward()
        gradients = {}
        for name, p in self.model.named_parameters():
            if p.grad is not None:
                blocks = self.blocks(name)
                gradients.update(zip(blocks, np.split(p.grad.numpy(force=True).copy(), len(blocks))))
        self.load()
        losses = [self.update(batch).item() for batch in self.case.batches]
        return self.case.check(loss.item(), gradients, losses)

    def step(self):
        self.update(self.draw(self.generator))

    def finish(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()  # on a processor a step has ended when it returns
