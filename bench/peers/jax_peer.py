"""A training step in JAX, compiled as one program: a call for each step ("jit"), or many steps to a call ("loop")."""

from functools import partial

import draws
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
from jax_models import SYSTEMS


def optimizer(train):
    """(start, update): update(state, parameters, gradients) -> (state, parameters)."""
    rate, b1, b2, epsilon = train["rate"], train["beta1"], train["beta2"], train["epsilon"]
    decay, momentum = train.get("weight_decay", 0), train.get("momentum", 0)
    if train["optimizer"] == "sgd":

        def descend(state, p, g):
            g = jax.tree.map(lambda x, d: d + decay * x, p, g)
            if momentum:
                state = g = jax.tree.map(lambda u, d: momentum * u + d, state, g)
            return state, jax.tree.map(lambda x, d: x - rate * d, p, g)

        return lambda p: jax.tree.map(jnp.zeros_like, p) if momentum else (), descend

    def start(p):
        return 0, jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p)

    def update(state, p, g):
        t, first, second = state
        t = t + 1
        if train["optimizer"] == "adamw":
            p = jax.tree.map(lambda x: x * (1 - rate * decay), p)
        elif decay:
            g = jax.tree.map(lambda x, d: d + decay * x, p, g)
        first = jax.tree.map(lambda m, d: b1 * m + (1 - b1) * d, first, g)
        second = jax.tree.map(lambda v, d: b2 * v + (1 - b2) * d * d, second, g)
        step, root = rate / (1 - b1**t), 1 / jnp.sqrt(1 - b2**t)
        return (t, first, second), jax.tree.map(
            lambda x, m, v: x - step * m / (jnp.sqrt(v) * root + epsilon), p, first, second
        )

    return start, update


def make_update(case):
    """update((parameters, optimiser's state), batch, key) -> (the same, moved), loss."""
    loss_of = jax.value_and_grad(SYSTEMS[case.model["name"]](case))
    start, move = optimizer(case.train)

    def update(state, batch, key):
        parameters, moments = state
        loss, gradients = loss_of(parameters, batch, key)
        moments, parameters = move(moments, parameters, gradients)
        return (parameters, moments), loss

    return loss_of, start, update


class JaxPeer:
    def __init__(self, case, mode, seed=1):
        self.case = case
        self.key = random.key(seed)
        self.loss_of, self.start, update = make_update(case)
        self.update = jax.jit(update, donate_argnums=0)
        self.state = self.first_state()
        self.draw = draws.drawer(case)
        self.generator = np.random.default_rng(seed)
        self.steps_a_call = 1
        if mode == "loop":
            self.steps_a_call = 10000

            @partial(jax.jit, donate_argnums=0)
            def many(state, batch, key):
                return lax.fori_loop(0, self.steps_a_call, lambda _, s: update(s, batch, key)[0], state), 0.0

            self.update = many

    def first_state(self):
        fixed = self.case.frozen
        parameters = {
            name: jnp.array(value)
            for name, value in self.case.parameters.items()
            if "running" not in name and name not in fixed
        }
        return parameters, self.start(parameters)

    def check(self):
        loss, gradients = jax.jit(self.loss_of)(self.state[0], self.case.batches[0], self.key)
        update, state, losses = jax.jit(make_update(self.case)[2]), self.first_state(), []
        for batch in self.case.batches:
            state, value = update(state, batch, self.key)
            losses.append(float(value))
        return self.case.check(float(loss), {name: np.asarray(g) for name, g in gradients.items()}, losses)

    def step(self):
        self.key, key = random.split(self.key) if self.case.model.get("dropout") else (self.key, self.key)
        self.state, self.last_loss = self.update(self.state, self.draw(self.generator), key)

    def finish(self):
        jax.block_until_ready(self.state)
