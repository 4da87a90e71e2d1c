"""The systems in JAX: pure functions loss(parameters, batch, key) of parameters under Fovea's names. Arrays are time-major."""

import jax
import jax.numpy as jnp
from jax import lax, nn, random
from jax_transformer import transformer


def linear(p, name, x):
    y = x @ p[f"{name}.weight"].T
    return y + p[f"{name}.bias"] if f"{name}.bias" in p else y


def logistic_loss(logits, labels):
    return jnp.mean(nn.softplus(logits) - labels * logits)


def cross_entropy(logits, answers, present):
    picked = jnp.take_along_axis(logits, jnp.maximum(answers, 0)[..., None], -1)[..., 0]
    return jnp.sum(jnp.where(present, nn.logsumexp(logits, -1) - picked, 0)) / jnp.sum(present)


def dropout(key, rate, x):
    return jnp.where(random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0) if rate else x


def embed_and_project(p, name, tokens):
    """The inputs' share of the gates, for all steps at once; of a small vocabulary, once a word."""
    table, weight = p["embedding.weight"], p[f"{name[0]}.weight_ih_{name[1]}"]
    tokens = jnp.maximum(tokens, 0)
    if len(table) < tokens.size:
        return (table @ weight.T)[tokens]
    return table[tokens] @ weight.T


def lstm(p, name, projected, present=None, start=None, reverse=False):
    """projected (T,B,4H) -> h (T,B,H), (last h, last c). Where a sequence is over, its state stays."""
    prefix, layer = name
    weight = p[f"{prefix}.weight_hh_{layer}"].T
    bias = p[f"{prefix}.bias_ih_{layer}"] + p[f"{prefix}.bias_hh_{layer}"]
    if start is None:
        start = (jnp.zeros((projected.shape[1], len(weight))),) * 2

    def step(state, inputs):
        h, c = state
        x, there = inputs
        i, f, g, o = jnp.split(x + h @ weight, 4, axis=-1)
        new_c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
        new_h = nn.sigmoid(o) * jnp.tanh(new_c)
        if there is not None:
            new_h, new_c = jnp.where(there[:, None], new_h, h), jnp.where(there[:, None], new_c, c)
        return (new_h, new_c), new_h

    last, h = lax.scan(step, start, (projected + bias, present), reverse=reverse)
    return h, last


def stack(p, prefix, tokens, layers, ways, rate, key, present=None, starts=None):
    """Layers of LSTMs, in one or both directions, as nn.LSTM has them."""
    lasts, x = [], None
    for layer in range(layers):
        outputs = []
        if layer > 0 and rate:
            key, own = random.split(key)
            x = dropout(own, rate, x)
        for way in range(ways):
            name = (prefix, f"l{layer}" + "_reverse" * way)
            projected = embed_and_project(p, name, tokens) if layer == 0 else x @ p[f"{prefix}.weight_ih_{name[1]}"].T
            h, last = lstm(p, name, projected, present, None if starts is None else starts[layer], reverse=way == 1)
            outputs.append(h)
            lasts.append(last)
        x = outputs[0] if ways == 1 else jnp.concatenate(outputs, -1)
    return x, lasts


def seq2seq_pass(case):
    """f(parameters, batch, key) -> logits (T,B,V), attention (B,T,S)"""
    m, start_token = case.model, case.shape["start_token"]
    ways, layers, rate = 2 if m["bidirectional"] else 1, m["layers"], m["dropout"]
    varying = case.task["shortest"] > 0
    squash = {"tanh": jnp.tanh, "relu": nn.relu}[m["combiner"]]

    def run(p, batch, key):
        source, target = batch["source"].T, batch["target"].T
        present = source >= 0 if varying else None
        keys = random.split(key, 3) if rate else [None] * 3
        e, lasts = stack(p, "encoder", source, layers, ways, rate, keys[0], present)
        if ways == 2:
            lasts = [
                tuple(jnp.concatenate(parts, -1) for parts in zip(lasts[2 * i], lasts[2 * i + 1]))
                for i in range(layers)
            ]
        fed = jnp.concatenate([jnp.full_like(target[:1], start_token), target[:-1]])
        d, _ = stack(p, "decoder", fed, layers, 1, rate, keys[1], starts=lasts)
        scores = jnp.einsum("tbh,sbh->bts", linear(p, "attention.query", d), e)
        if varying:
            scores = jnp.where(present.T[:, None, :], scores, -jnp.inf)
        weights = nn.softmax(scores)
        context = jnp.einsum("bts,sbh->tbh", weights, e)
        said = squash(linear(p, "combine", jnp.concatenate([d, linear(p, "attention.context", context)], -1)))
        return linear(p, "output", dropout(keys[2], rate, said)), weights

    return run


def seq2seq(case):
    run = seq2seq_pass(case)

    def loss(p, batch, key):
        target = batch["target"].T
        return cross_entropy(run(p, batch, key)[0], target, target >= 0)

    return loss


def seq2seq_look(case, p, batch):
    """Token accuracy, attention accuracy one place before, at and after the diagonal, entropy."""
    logits, weights = seq2seq_pass(case)(p, batch, None)
    peak = jnp.argmax(weights, -1) - jnp.arange(weights.shape[1])
    near = [jnp.mean(peak == offset) for offset in (-1, 0, 1)]
    return jnp.stack(
        [
            jnp.mean(jnp.argmax(logits, -1) == batch["target"].T),
            *near,
            -jnp.mean(jnp.sum(weights * jnp.log(weights + 1e-30), -1)),
        ]
    )


def classifier(case):
    m, varying = case.model, case.task["shortest"] > 0

    def loss(p, batch, key):
        tokens = batch["source"].T
        present = tokens >= 0 if varying else None
        h, _ = stack(p, "encoder", tokens, 1, 2 if m["bidirectional"] else 1, 0, key, present)
        a = (
            linear(p, "score", h)
            if m["score"] == "linear"
            else linear(p, "score.out", nn.relu(linear(p, "score.hidden", h)))
        )
        a = a[..., 0]
        if varying:
            a = jnp.where(present, a, -jnp.inf)
        return logistic_loss(jnp.sum(nn.softmax(a, 0) * linear(p, "beta", h)[..., 0], 0), batch["labels"])

    return loss


def batch_norm(p, name, x):
    mean, variance = jnp.mean(x, 0), jnp.var(x, 0)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * p[f"{name}.weight"] + p[f"{name}.bias"]


def bag(case):
    layers = len(case.model["hidden"])

    def loss(p, batch, key):
        h = batch["items"]
        for i in range(layers):
            h = nn.leaky_relu(linear(p, f"items.{i}", h))
        of_h, of_mean = jnp.split(p["attention.hidden.weight"], 2, axis=1)
        joint = jnp.tanh(h @ of_h.T + (jnp.mean(h, 1) @ of_mean.T)[:, None])
        weights = nn.softmax(linear(p, "attention.out", joint), 1)
        x = batch_norm(p, "head.norm0", jnp.sum(weights * h, 1))
        x = batch_norm(p, "head.norm1", nn.leaky_relu(linear(p, "head.linear0", x)))
        return cross_entropy(linear(p, "head.linear1", x), batch["labels"], jnp.ones(len(x)))

    return loss


def feature(case):
    layers = len(case.model["hidden"])

    def loss(p, batch, key):
        folded = p["mlp.0.weight"] * nn.softmax(p["attention.logits"])
        h = batch["items"][:, 0] @ folded.T + p["mlp.0.bias"]
        for i in range(layers):
            h = linear(p, f"mlp.{i + 1}", nn.leaky_relu(h))
        return logistic_loss(h[:, 0], batch["labels"])

    return loss


def pooling(case):
    """Tiles of queries, each computed again on the way back (checkpoint): queries x keys is never held."""
    general, tile = case.model["similarity"] == "general", 128

    def loss(p, batch, key):
        q, k, v = batch["queries"][0], batch["items"][0], batch["values"][0]
        if general:
            q, shift = q @ p["weight"], 0
        else:
            middle = jnp.mean(k, 0)
            k = k - middle
            squared = jnp.square(p["w"])
            q, shift = squared * (q - middle), -squared * jnp.sum(jnp.square(k), 1) / 2

        @jax.checkpoint
        def answer(queries):
            return nn.softmax(queries @ k.T + shift) @ v

        missing = -len(q) % tile
        tiles = jnp.pad(q, ((0, missing), (0, 0))).reshape(-1, tile, q.shape[1])
        answers = lax.map(answer, tiles).reshape(-1, v.shape[1])[: len(q)]
        return jnp.mean(jnp.square(answers - batch["answers"][0]))

    return loss


def toy_gate(case):
    def loss(p, batch, key):
        return (p["beta0"] - ((1 - p["p"]) * p["beta0"] + p["p"] * p["beta1"]))[0]

    return loss


def unigram_gate(case):
    def loss(p, batch, key):
        tokens = batch["source"]
        return logistic_loss(jnp.sum(nn.softmax(p["a"][tokens]) * p["beta"][tokens], 1), batch["labels"])

    return loss


SYSTEMS = {
    "seq2seq": seq2seq,
    "gated-classifier": classifier,
    "bag-attention": bag,
    "feature-attention": feature,
    "pooling": pooling,
    "transformer": transformer,
    "toy-gate": toy_gate,
    "unigram-gate": unigram_gate,
}
