"""Checks a page of tssa-tune or tssa-run: it is well-formed, and refers to nothing outside of it.

usage: report_check.py FILE.html [TEXT...]   TEXT: must be among what a reader sees

Prints the number of titles within its charts.
"""

import re
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "br"}
#: tags and attributes that load something, or run something
ACTIVE = {"script", "img", "link", "iframe", "object", "embed", "a", "base", "form", "image", "use"}
LOADING = {"src", "href", "xlink:href", "srcset", "action", "data"}


class Page(HTMLParser):
    """Keeps the open tags and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.problems = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag in ACTIVE:
            self.problems.append(f"the tag {tag}")
        for name, value in attrs:
            if name in LOADING or name.startswith("on") or "url(" in (value or ""):
                self.problems.append(f"the attribute {name} of {tag}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"an end of {tag} that is not open")

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.seen.append(data)


def check(text, words):
    page = Page()
    page.feed(text)
    page.close()
    yield from page.problems
    if page.open:
        yield f"{page.open} are not closed"
    seen = "".join(page.seen)
    yield from (f"no reader sees {word!r}" for word in words if word not in seen)
    style = re.search(r"<style>(.*?)</style>", text, re.S).group(1)
    if "url(" in style or "@import" in style:
        yield "the style loads something"
    if len(text) > 1 << 21:
        yield f"{len(text)} bytes"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    problems = list(check(text, sys.argv[2:]))
    # The page is XML too, with its charts.
    root = ElementTree.fromstring(text)
    for chart in root.iter(SVG + "svg"):
        for element in chart.iter():
            for name in ("x", "y", "width", "height"):
                if not re.fullmatch(r"-?\d+(\.\d+)?", element.get(name, "0")):
                    problems.append(f"{name} of {element.tag} is {element.get(name)}")
            if not re.fullmatch(r"[MHVLhlm0-9. -]*", element.get("d", "")):
                problems.append(f"a path is {element.get('d')}")
    print("\n".join(problems) or f"{sum(1 for _ in root.iter(SVG + 'title'))} charts")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
