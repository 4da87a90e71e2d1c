"""The transformer in JAX."""

import jax.numpy as jnp
from jax import nn


def linear(p, name, x):
    y = x @ p[f"{name}.weight"].T
    return y + p[f"{name}.bias"] if f"{name}.bias" in p else y


def layer_norm(p, name, x):
    if f"{name}.weight" not in p:
        return x
    off = x - jnp.mean(x, -1, keepdims=True)
    y = off / jnp.sqrt(jnp.mean(jnp.square(off), -1, keepdims=True) + 1e-5) * p[f"{name}.weight"]
    return y + p[f"{name}.bias"] if f"{name}.bias" in p else y


def attend(p, m, layer, u):
    """u (B,T,d) -> y (B,T,d)"""
    places, heads = u.shape[1], m["heads"]

    def split(x):
        return x.reshape(*x.shape[:-1], heads, -1)

    if m["queries"] == "separate":
        weight = jnp.concatenate([p[f"{layer}.{part}.weight"] for part in ("query", "key", "value")])
        qkv = u @ weight.T
        if m["biases"]:
            qkv = qkv + jnp.concatenate([p[f"{layer}.{part}.bias"] for part in ("query", "key", "value")])
        q, k, v = (split(x) for x in jnp.split(qkv, 3, -1))
    else:
        q, k, v = split(u), split(linear(p, f"{layer}.key", u)), split(linear(p, f"{layer}.value", u))
    q = q * q.shape[-1] ** -0.5
    scores = jnp.einsum("bihc,bjhc->bhij", q, k)
    if m["position"] == "relative":  # each row pushed to its place; what lands above the diagonal means nothing
        r = split(p[f"{layer}.position.weight"][:places][::-1])
        products = jnp.pad(jnp.einsum("bihc,jhc->bhij", q, r), ((0, 0), (0, 0), (0, 0), (1, 0)))
        scores = scores + products.reshape(*products.shape[:2], places + 1, places)[:, :, 1:]
    seen = jnp.tril(jnp.ones((places, places), bool))
    weights = (
        jnp.where(seen, scores, 0) if m["attention"] == "linear" else nn.softmax(jnp.where(seen, scores, -jnp.inf))
    )
    return jnp.einsum("bhij,bjhc->bihc", weights, v).reshape(u.shape)


def transformer(case):
    m, frozen = case.model, {name: jnp.array(case.parameters[name]) for name in case.frozen}

    def loss(learning, batch, key):
        p = {**frozen, **learning}
        source, target = batch["source"], batch["target"]
        h = p["embedding.weight"][source]
        if m["position"] == "learned":
            h = h + p["position.weight"][: source.shape[1]]
        for number in range(1, m["layers"] + 1):
            layer = f"layer.{number}"
            h = h + linear(p, f"{layer}.output", attend(p, m, layer, layer_norm(p, f"{layer}.norm1", h)))
            if m["mlp"]:
                inner = nn.gelu(linear(p, f"{layer}.mlp.0", layer_norm(p, f"{layer}.norm2", h)), approximate=True)
                h = h + linear(p, f"{layer}.mlp.2", inner)
        logits = linear(p, "unembedding", layer_norm(p, "norm", h))
        picked = jnp.take_along_axis(logits, jnp.maximum(target, 0)[..., None], -1)[..., 0]
        asked = target >= 0
        return jnp.sum(jnp.where(asked, nn.logsumexp(logits, -1) - picked, 0)) / jnp.sum(asked)

    return loss
