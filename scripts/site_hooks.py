"""What mkdocs does besides: links into the repository become pages of source, old addresses forward, the playground is embedded.

FOVEA_PAGE_FILE and FOVEA_STORY_FILE, set by scripts/site, name the built page and its story; without them the site has no playground.
"""

import functools
import html
import json
import os
import pathlib
import posixpath
import re
import shutil
import zlib

from mkdocs.structure.files import File

HERE = pathlib.Path(__file__).resolve().parent.parent
DOCS = HERE / "docs"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
PLAYGROUND = re.compile(r"<!-- playground (\S+) -->")
LANGUAGES = {
    ".h": "cpp",
    ".cpp": "cpp",
    ".py": "python",
    ".toml": "toml",
    ".md": "markdown",
    ".sh": "bash",
    ".bash": "bash",
}
MOST = 8e6  # bytes of page and story, which a visitor's browser loads before it shows anything
# Pages whose sections were moved to pages of their own: a mark that the page has no more leads to the page that has it.
SPLIT = {
    "reference/python-api": "reference/python-*",
    "reference/page": "reference/page-*",
    "reference/results": "reference/results-*",
    "reference/prefetching": "reference/results-on-traces",
}
INSTEAD = {"README.md": "index.md", "experiments": "gallery/index.md"}


def outside(link, source):
    """The path in the repository that a link of docs/SOURCE leads to, if it leads out of docs."""
    if re.match(r"[a-z]+:", link):
        return None
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(source), link))
    return None if path.startswith("docs/") else path


def outside_fences(text, change):
    parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def source_page(path):
    text = (HERE / path).read_text()
    language = LANGUAGES.get(pathlib.Path(path).suffix, "text")
    fence = "`" * 6
    return f'---\nsearch:\n  exclude: true\nhide: [navigation, toc]\n---\n# {path}\n\n{fence} {{ .{language} linenums="1" }}\n{text}\n{fence}\n'


def line_of(path, name):
    """The anchor of the first line of a source file that defines or has the name."""
    lines = (HERE / path).read_text().splitlines()
    for pattern in (rf"^\s*(?:class|def) {name}\b", rf"\b{name}\b"):
        for number, line in enumerate(lines, 1):
            if re.search(pattern, line):
                return f"#__codelineno-0-{number}"
    return ""


@functools.cache
def packed_story():
    """The story, compressed. The page and its story have a bound on their size."""
    story = os.environ.get("FOVEA_STORY_FILE")
    packed = zlib.compress(pathlib.Path(story).read_bytes(), 9) if story else b""
    size = pathlib.Path(os.environ["FOVEA_PAGE_FILE"]).stat().st_size + len(packed)
    if size > MOST:
        raise SystemExit(
            f"Page and story have {size / 1e6:.1f} MB together, more than {MOST / 1e6:.1f} MB. Reproduce fewer experiments."
        )
    print(f"page and story: {size / 1e6:.1f} MB")
    return packed


def on_config(config):
    if os.environ.get("FOVEA_PAGE_FILE"):
        packed_story()  # too large a story ends the build before it begins
    names = re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "gallery/index.md").read_text())
    gallery = next(part["Gallery"] for part in config["nav"] if "Gallery" in part)
    gallery += [f"gallery/{name}" for name in names if f"gallery/{name}" not in gallery]
    version = re.search(r"set\(FOVEA_VERSION ([^)]+)", (HERE / "CMakeLists.txt").read_text())[1]
    config["copyright"] = f"Fovea {version}. Apache License 2.0."
    if "FOVEA_SITE_VERSION" in os.environ:
        config["extra"]["version"] = {"provider": "mike"}  # the theme reads ../versions.json
    return config


def on_files(files, config):
    linked = set()
    for file in list(files.documentation_pages()):
        for _, _, link, _ in LINK.findall(pathlib.Path(file.abs_src_path).read_text()):
            path = outside(link, file.src_uri)
            if path and path not in INSTEAD and (HERE / path).is_file():
                linked.add(path)
    for path in sorted(linked):
        files.append(File.generated(config, f"source/{path}.md", content=source_page(path)))
    files.append(File.generated(config, "site.css", content=(HERE / "scripts/site.css").read_text()))
    files.append(File.generated(config, "site.js", content=(HERE / "scripts/site.js").read_text()))
    return files


def on_page_markdown(markdown, page, config, files):
    source = page.file.src_uri
    if source.startswith("source/"):
        return markdown
    here = posixpath.dirname(source)

    def link(match):
        image, text, target, mark = match.groups()
        path = outside(target, source)
        if not path or image:
            return match[0]
        if path in INSTEAD:
            return f"[{text}]({posixpath.relpath(INSTEAD[path], here)})"
        if not (HERE / path).is_file():
            return text
        name = (mark or "")[1:] or (re.fullmatch(r"`(?:\w+::)*(\w+)`", text) or ["", ""])[1]
        where = posixpath.relpath(f"source/{path}.html", here) + (line_of(path, name) if name else "")
        return f'<a href="{where}">{text}</a>'  # mkdocs does not know the lines of a source page

    def change(text):
        text = LINK.sub(link, text)
        # In code of a table's cell GitHub wants a backslash before a bar, and mkdocs shows it.
        text = re.sub(
            r"(?m)^\|.*\|$", lambda row: re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), row[0]), text
        )
        # Only 1 begins a numbered list after a line of text, as on GitHub: another number may begin a line of a sentence.
        return re.sub(r"(?m)^(?!\s*(?:[-*]|\d+\.) |\s*$|\|)(.+)\n(?=(?:[-*]|1\.) )", r"\1\n\n", text)

    markdown = outside_fences(markdown, change)
    up = posixpath.relpath("page/index.html", here)
    there = "FOVEA_PAGE_FILE" in os.environ
    return PLAYGROUND.sub(lambda match: playground(up + match[1]) if there else "", markdown)


def playground(at):
    at += "&amp;embed=1" if "?" in at else "?embed=1"
    return f'<iframe class="playground" title="The playground" loading="lazy" src="{at}"></iframe>'


def on_post_page(output, page, config):
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )


def forward(to, marks):
    """A page that leads to another address; marks of the old page have addresses of their own."""
    target = html.escape(to)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Moved</title><link rel="canonical" href="{target}">
<script>const marks = {json.dumps(marks)}; location.replace(marks[decodeURIComponent(location.hash.slice(1))] ?? {json.dumps(to)} + location.hash);</script>
<noscript><meta http-equiv="refresh" content="0; url={target}"></noscript></head>
<body><p>This page is now <a href="{target}">{target}</a>.</p></body></html>
"""


def address(target, here):
    path, _, mark = target.partition("#")
    return posixpath.relpath(f"{path}.html", here) + (f"#{mark}" if mark else "")


def marks_of(file):
    return re.findall(r'<h[1-6][^>]* id="([^"]+)"', file.read_text())


def forward_sections(site):
    """Old addresses of sections of a page that was split lead to the new pages."""
    for name, others in SPLIT.items():
        file = site / f"{name}.html"
        own = set(marks_of(file))
        moved = {
            mark: other.name + "#" + mark
            for other in sorted(site.glob(f"{others}.html"))
            if other != file
            for mark in marks_of(other)
            if mark not in own
        }
        script = f"const moved = {json.dumps(moved)}, at = moved[decodeURIComponent(location.hash.slice(1))]; if (at) location.replace(at);"
        file.write_text(file.read_text().replace("</head>", f"<script>{script}</script></head>", 1))


def on_post_build(config):
    site = pathlib.Path(config["site_dir"])
    forward_sections(site)
    (site / ".nojekyll").write_text("")
    (site / "docs").mkdir(exist_ok=True)
    moved = json.loads((HERE / "scripts/moved_pages.json").read_text()) | {
        "index": {"": "index"},
        "glossary": {"": "glossary"},
    }
    for name, marks in moved.items():
        file = pathlib.Path(name if "/" in name else f"docs/{name}")
        there = {mark: address(target, str(file.parent)) for mark, target in marks.items()}
        (site / f"{file}.html").write_text(forward(there.pop(""), there))
    if page := os.environ.get("FOVEA_PAGE_FILE"):
        (site / "page").mkdir(exist_ok=True)
        shutil.copy(page, site / "page" / "index.html")
        if packed := packed_story():
            (site / "page" / "story.deflate").write_bytes(packed)
