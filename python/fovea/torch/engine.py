"""PyTorch as an engine of the training loop: losses and gradients of updates, in a process of its own.

The loop (fovea/lab/train/engine_gradients.cpp) sends a message for each update, and this process answers it. Messages are safetensors,
each after its size in 8 bytes.
"""

from __future__ import annotations

import contextlib
import json
import math
import signal
import socket
import struct
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .. import _engine
from ..pictures import needed

torch = needed("torch", "torch")

from .makers import module_of  # noqa: E402
from .rules import Rule  # noqa: E402

_TYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "I32": np.dtype("<i4"),
    "U8": np.dtype("u1"),
}
Arrays = dict[str, np.ndarray[Any, Any]]


def unpack(message: bytearray) -> tuple[Arrays, dict[str, str]]:
    """Return the arrays of a message, which share its memory, and its metadata."""
    size = struct.unpack_from("<Q", message)[0]
    header = json.loads(message[8 : 8 + size])
    metadata = header.pop("__metadata__", {})
    arrays = {}
    for name, words in header.items():
        dtype, shape, begin = _TYPES[words["dtype"]], words["shape"], 8 + size + words["data_offsets"][0]
        arrays[name] = np.frombuffer(message, dtype, math.prod(shape), begin).reshape(shape)
    return arrays, metadata


def pack(arrays: Mapping[str, np.ndarray[Any, Any]], metadata: Mapping[str, str]) -> bytes:
    """Return the message of arrays of one type, and of metadata."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    parts, at = [], 0
    for name, array in arrays.items():
        parts.append(np.ascontiguousarray(array).tobytes())
        dtype = "F64" if array.dtype == np.float64 else "F32"
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [at, at + len(parts[-1])]}
        at += len(parts[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)


class Training:
    """The module of one run.

    Parameters
    ----------
    words : dict
        The metadata of the message that opens the run.
    arrays : dict
        Its parameters.
    """

    def __init__(self, words: Mapping[str, str], arrays: Arrays) -> None:
        spec, sizes = json.loads(words["model"]), json.loads(words["sizes"])
        if spec.get("dropout", 0) > 0:
            raise _engine.wrong_input(
                "engine 'torch' has no dropout: its masks are the engine's own", "set model.dropout to 0"
            )
        if spec.get("similarity") == "user":
            raise _engine.wrong_input(
                "engine 'torch' has no similarity 'user'", "use another similarity, or remove train.engine"
            )
        if words["device"] == "cuda" and not torch.cuda.is_available():
            raise _engine.wrong_input(
                "PyTorch finds no device 'cuda' here",
                "install PyTorch for CUDA and its driver, or use the device 'cpu'",
            )
        self.device = torch.device(words["device"])
        self.dtype = torch.float64 if any(a.dtype == np.float64 for a in arrays.values()) else torch.float32
        torch.set_num_threads(max(1, int(words["threads"])))
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        shapes = {name: array.shape for name, array in arrays.items()}
        module = module_of(spec, shapes, sizes, self.dtype == torch.float64).to(self.device).train()
        self.module = module
        self.parameters = dict(module.named_parameters())
        self.statistics = {name: one for name, one in module.named_buffers() if name in arrays}

    def update(self, words: Mapping[str, str], arrays: Arrays) -> bytes:
        """Return the answer: loss, gradients, and statistics that moved."""
        with torch.no_grad():
            for name, one in (self.parameters | self.statistics).items():
                one.copy_(torch.from_numpy(arrays[name]))
        self.module.rules = self._rules(json.loads(words["rules"]), arrays)
        batch = {
            name.removeprefix("batch "): self._part(array) for name, array in arrays.items() if name[:6] == "batch "
        }
        if "draws" in arrays:
            batch["draws"] = self._part(arrays["draws"])
        self.module.zero_grad(set_to_none=True)
        loss = self.module.loss(batch)
        if loss.requires_grad:
            loss.backward()
        with torch.no_grad():
            answer = {
                "gradient " + name: one.grad.cpu().numpy()
                for name, one in self.parameters.items()
                if one.grad is not None
            }
            answer |= {"statistic " + name: one.cpu().numpy() for name, one in self.statistics.items()}
        return pack(answer, {"loss": float(loss.detach()).hex()})

    def _part(self, array: np.ndarray[Any, Any]) -> Any:
        """A part of the batch: whole numbers as indices, others in the precision of the run."""
        tensor = torch.from_numpy(array).to(self.device)
        return tensor.to(self.dtype) if array.dtype.kind == "f" else tensor.long()

    def _rules(self, words: list[dict[str, Any]], arrays: Arrays) -> dict[tuple[int, int], Rule]:
        right = self._part(arrays["right"]) if "right" in arrays else None
        rules = {}
        for one in words:
            layer, head = one.pop("layer"), one.pop("head")
            shift = arrays.get(f"shift {layer} {head}")
            rules[layer, head] = Rule(**one, shift=None if shift is None else self._part(shift), right=right)
        return {key: rule for key, rule in rules.items() if rule != Rule(right=right)}


def serve(socket_number: int) -> None:
    """Answer messages until the other end closes.

    Parameters
    ----------
    socket_number : int
        The number of the socket among the open files.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.use_deterministic_algorithms(True, warn_only=True)
    link = socket.socket(fileno=socket_number)
    training: Training | None = None
    with contextlib.suppress(ConnectionError):
        for message in _messages(link):
            arrays, words = unpack(message)
            try:
                if words["do"] == "open":
                    training = Training(words, arrays)
                    answer = pack({}, {})
                else:
                    assert training is not None
                    answer = training.update(words, arrays)
            except _engine.WrongInput as refusal:
                answer = pack({}, {"error": refusal.problem, "remedy": refusal.remedy, "kind": "wrong_input"})
            except Exception as error:
                said = str(error).splitlines()[0].rstrip(".") if str(error) else ""
                what = f"PyTorch refused an update: {type(error).__name__}: {said}"
                answer = pack({}, {"error": what, "remedy": "try it without the engine, or with a smaller batch"})
            link.sendall(struct.pack("<Q", len(answer)))
            link.sendall(answer)


def _messages(link: socket.socket) -> Iterator[bytearray]:
    while size := _received(link, 8):
        yield _received(link, struct.unpack("<Q", size)[0])


def _received(link: socket.socket, count: int) -> bytearray:
    """So many bytes, or none at the end."""
    message = bytearray(count)
    view = memoryview(message)
    while view:
        got = link.recv_into(view)
        if got == 0:
            return bytearray()
        view = view[got:]
    return message
