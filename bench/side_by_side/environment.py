"""What is measured with: our programs, built, and a Python that has the peers."""

import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PEERS = SOURCE / "bench" / "peers"
PROGRAMS = ["fovea_program", "export_step", "say_sentences", "cell_bench", "theory_bench"]


def say(text):
    print(f"compare: {text}", file=sys.stderr, flush=True)


def fail(text):
    say(text)
    raise SystemExit(1)


class Environment:
    def __init__(self, build, work):
        self.build, self.work = pathlib.Path(build).resolve(), pathlib.Path(work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.home = self.work / "home"
        self._python = None

    def program(self, name):
        return str(self.build / name)

    def build_programs(self):
        def cmake(*words):
            done = subprocess.run(
                ["cmake", *words], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            if done.returncode:
                sys.stderr.write(done.stdout)
                fail("our own programs did not build; the words of cmake stand above")

        cache = self.build / "CMakeCache.txt"
        if not cache.exists() or "FOVEA_BENCH:BOOL=ON" not in cache.read_text():
            cmake("--preset", "release", "-B", str(self.build), "-DFOVEA_BENCH=ON")
        say("building our programs, where they are not")
        cmake("--build", str(self.build), "--target", *PROGRAMS)

    @property
    def python(self):
        """A Python with the peers: $FOVEA_BENCH_VENV, or one in the build folder, made when it is first needed."""
        if self._python:
            return self._python
        given = os.environ.get("FOVEA_BENCH_VENV")
        folder = pathlib.Path(given) if given else self.build / "bench-venv"
        python = folder / "bin" / "python"
        wanted = (PEERS / "requirements.txt").read_text().split()
        check = [str(python), "-c", f"import {', '.join(wanted)}"]
        works = python.exists() and subprocess.run(check, capture_output=True).returncode == 0
        if not works and given:
            fail(
                f"$FOVEA_BENCH_VENV is {given}, and its Python does not import {', '.join(wanted)}. Install them there, or unset it"
            )
        if not works:
            say(f"installing {', '.join(wanted)} into {folder} (some gigabytes)")
            for words in (
                [sys.executable, "-m", "venv", str(folder)],
                [str(python), "-m", "pip", "install", "--quiet", "--upgrade", *wanted],
            ):
                if subprocess.run(words, stdout=sys.stderr).returncode:
                    fail(
                        f"'{' '.join(words)}' failed; its words stand above. Where a Python with {', '.join(wanted)} is there already, name its environment in $FOVEA_BENCH_VENV"
                    )
        self._python = str(python)
        return self._python

    def fovea_environment(self):
        return {**os.environ, "FOVEA_HOME": str(self.home)}
