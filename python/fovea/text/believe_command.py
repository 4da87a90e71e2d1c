"""What the program asks of this package: ``fovea check-attention``, whose texts it has read and hands over as JSON on standard input."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from typing import Any, NoReturn

from .. import _engine
from .belief import Belief
from .believing import check_attention as ask


def believe() -> NoReturn:
    """Print the report and end this process: with 0, with 2 if the texts or the settings are wrong or the texts are too few, with 1 on failure. A page is
    not written if the texts are too few for a report; an existing file stays."""
    try:
        question: dict[str, Any] = json.load(sys.stdin)
        if question["output"]:
            _require_place(question["output"])  # before the minutes that follow
        belief = ask(
            question["texts"], question["labels"], progress=False if question["quiet"] else None, **question["settings"]
        )
        if not belief.figures and not question["json"]:
            reason = " ".join((*belief.sentences, *belief.open))
            page = f" {question['output']} was not written." if question["output"] else ""
            _complain(f"{question['file']}: {reason[0].lower()}{reason[1:]}{page}", 2)
        print(belief.to_json() if question["json"] else wrapped(belief, bool(question["output"])), flush=True)
        if question["output"] and not belief.figures:
            _complain(
                f"nothing was measured in these texts, so {question['output']} was not written. The printed report names the reason.",
                2,
            )
        if not belief.figures:
            sys.exit(2)
        if question["output"]:
            belief.save(question["output"], title=os.path.basename(question["file"]))
            print(f"fovea: wrote {question['output']}", file=sys.stderr)
    except _engine.Error as error:
        _complain(str(error), 2 if isinstance(error, _engine.WrongInput) else 1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains once more at its end
        sys.exit(1)
    except OSError as error:
        _complain(
            f"{error.filename or 'the report'}: {error.strerror}. Check the path and its permissions, and whether the disk is full.",
            1,
        )
    except KeyboardInterrupt:
        _complain("stopped; nothing is kept. Give the same command again.", 1)
    sys.exit(0)


def _require_place(file: str) -> None:
    folder = os.path.dirname(file) or "."
    if not os.path.isdir(folder):
        raise _engine.wrong_input(f"{file}: there is no folder '{folder}'", "make it, or name another file")
    if not os.access(file if os.path.exists(file) else folder, os.W_OK) or os.path.isdir(file):
        raise _engine.wrong_input(f"{file}: cannot be written", "name another place, or allow it")


def wrapped(belief: Belief, page: bool = False) -> str:
    """The summary in lines as wide as the terminal, 100 at most, with a hint to the numbers; the whole report if there are no numbers."""
    width = min(100, shutil.get_terminal_size((100, 24)).columns)
    text = belief.summary() if belief.figures else str(belief)
    if belief.figures and not page:
        text += "\n\nThe numbers: -o FILE.html writes them as a page, --json as JSON."
    return "\n".join(
        textwrap.fill(line, width, subsequent_indent="  " if line.startswith(("- ", "  ")) else "")
        for line in text.split("\n")
    )


def _complain(words: str, code: int) -> NoReturn:
    print(f"fovea: {words}", file=sys.stderr)
    sys.exit(code)
