"""Names that have changed: each old one works through 1.x, and warns when it is first used."""

from __future__ import annotations

from typing import Any

from . import _engine
from .notices import teller


def today(kind: str, name: str) -> str:
    """The name of today of a ``"metric"``, a ``"probe"`` or a name of this package (``"python"``)."""
    return _engine.report_old_name(kind, name)


def take(settings: dict[str, Any], old: str, value: Any) -> Any:
    """Take the argument that was given by its old name out of ``settings``; ``value`` if it was not."""
    if old not in settings:
        return value
    today("python", old)
    return settings.pop(old)


class Metrics(dict[str, float]):
    """Metrics by name, by old names too."""

    def __missing__(self, name: str) -> float:
        now = today("metric", name) if isinstance(name, str) else name
        if now in self:
            return self[now]
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default


def _warn(old: str, now: str) -> None:
    teller(FutureWarning)(f"'{old}' is now '{now}'. The old name works through 1.x.")


_engine.listen_for_old_names(_warn)
