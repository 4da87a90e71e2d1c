#!/usr/bin/env python3
"""Runs the commands that documents show, and compares or replaces what they print.

    build/python/bin/python scripts/shown_output.py PAGE.md…      writes what the commands print now into these pages

In a fenced block marked `console`, a line that begins with `$ ` is a command, and the lines after it are the first lines that it prints
in a terminal of 80 columns; `…` stands for any lines. Commands of one page share a folder and a store.
"""

import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

HERE = pathlib.Path(__file__).resolve().parent.parent
SAMPLES = HERE / "tests" / "python" / "documents"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.S | re.M)
NUMBER = re.compile(r"[-−]?\d[\d.,]*(?:×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|e[-+]?\d+)?|∞")


def commands_in(block):
    """[(command, shown lines)] of a block; a command that ends in a backslash goes on."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
    return found


def printed(command, folder):
    """What a command prints in a terminal of 80 columns, and its exit code. Progress and notices (stderr) are left out, errors are not."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))
    environment = os.environ | {
        "FOVEA_HOME": str(folder / "store"),
        "TERM": "dumb",
        "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            ["bash", "-c", command], cwd=folder, stdout=theirs, stderr=errors, stdin=subprocess.DEVNULL, env=environment
        )
        os.close(theirs)
        got = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            got += part
        code = process.wait()
        os.close(ours)
        errors.seek(0)
        said = errors.read().decode() if code else ""
    text = re.sub(r"\x1b\[[0-9;]*m", "", got.decode() + said).replace("\r\n", "\n")
    return text.replace(f"{folder}/", ""), code


def folder_for(page, parent):
    """A folder with the sample files, in which the commands of a page run."""
    folder = pathlib.Path(parent)
    for file in SAMPLES.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    for name, text in re.findall(r"This (?:one )?is `([\w.]+)`:\n\n```toml\n(.*?)```", page.read_text(), re.S):
        (folder / name).write_text(text)
    return folder


def looked_at(lines):
    """Lines without what differs from machine to machine: digits, the widths of columns, and drawn curves."""
    plain = (re.sub("[▁▂▃▄▅▆▇█]+", "~", NUMBER.sub("#", line)) for line in lines)
    return ["~" if re.search("[│└]", line) else " ".join(line.split()) for line in plain]


def without_count(lines):
    """The table of verdicts alone, without the count of claims after it."""
    ends = [i for i, line in enumerate(lines) if re.match(r"\d+ of \d+ claims? (is|are) supported", line)]
    return lines[: ends[0]] if ends else lines


def agrees(command, shown, text):
    """Whether the text begins with the lines that are shown."""
    got = text.splitlines()
    while shown and not shown[-1]:
        shown = shown[:-1]
    if not shown:
        return True
    if command.startswith("fovea reproduce"):  # a number of other width moves the words of a wrapped claim
        words = lambda lines: sorted(" ".join(looked_at(without_count(lines))).split())
        return words(shown) == words(got)
    if command.startswith("fovea check-attention"):  # the same, of wrapped sentences
        words = lambda lines: " ".join(looked_at(lines)).split()
        return words(got)[: len(words(shown))] == words(shown)
    if command.startswith("fovea runs"):  # runs that are trained side by side end in any order
        return sorted(looked_at(shown)) == sorted(looked_at(got)[: len(shown)])
    pattern = "\n".join(".*" if line == "…" else re.escape(line) for line in looked_at(shown))
    return re.match(pattern, "\n".join(looked_at(got)), re.S) is not None


def renewed(block, folder):
    """The block with what its commands print now, as far as it was shown; `?` stands for everything."""
    lines = []
    for command, shown in commands_in(block):
        text, code = printed(command, folder)
        print(f"{code}  {command}", file=sys.stderr)
        now = [line.rstrip() for line in text.rstrip().splitlines()]
        if shown != ["?"]:
            now = without_count(now) if command.startswith("fovea reproduce") and without_count(shown) == shown else now
            now = now if command.startswith("fovea reproduce") else now[: len(shown)]
        while now and not now[-1]:
            now.pop()
        lines += [f"$ {command}", *(shown if "…" in shown or not shown else now)]
    return "\n".join(lines) + "\n"


def main():
    for name in sys.argv[1:]:
        page = pathlib.Path(name)
        with tempfile.TemporaryDirectory() as parent:
            folder = folder_for(page, parent)
            page.write_text(BLOCK.sub(lambda match: f"```console\n{renewed(match[1], folder)}```", page.read_text()))


if __name__ == "__main__":
    main()
