# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Hooks of MkDocs (mkdocs.yml) for pages that are also read in the repository.

- Pages outside of docs/ that users read become pages of the site (ROOT_PAGES).
- The interfaces for Python, C and C++ get pages from the stub and the headers (python_api.py, headers.py).
- A folder of docs/ without an index gets one, which lists its pages; "FOLDER/*" in the navigation stands for its pages.
- Links that lead to a page of the site are rewritten, and those to other files of the repository become their text.
"""

import os

from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.structure.files import File

from headers import make_c_page, make_cpp_page
from page_links import Links, add_blank_lines, read_title
from python_api import make_python_page

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The path in the repository of each page from outside of docs/, by its path in the site.
ROOT_PAGES = {
    "readme.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
    "changes.md": "CHANGELOG.md",
    "python.md": "python-bindings/README.md",
}
# The theme's own worker for pages that are opened as files comes from the network.
WORKER = "assets/iframe-worker.js"
FOLDERS = {"decisions": "Decisions", "dialects": "Dialects", "passes": "Passes", "guides": "Guides"}


def list_pages(folder):
    """The pages of a folder of docs/ but for its index, by their paths in docs/."""
    names = sorted(os.listdir(os.path.join(ROOT, "docs", folder)))
    return [f"{folder}/{name}" for name in names if name.endswith(".md") and name != "index.md"]


def make_index(folder, title):
    """The text of the page that lists the pages of a folder of docs/."""
    lines = [f"- [{read_title(os.path.join(ROOT, 'docs', page))}]({os.path.basename(page)})" for page in list_pages(folder)]
    return "\n".join([f"# {title}", "", *lines, ""])


def make_api_pages():
    """The pages of the interfaces, by their paths in the site."""
    headers = os.path.join(ROOT, "include", "tssa")
    return {
        "api-python.md": make_python_page(os.path.join(ROOT, "python-bindings", "src", "tssa", "__init__.pyi")),
        "api-c.md": make_c_page(headers),
        "api-cpp.md": make_cpp_page(headers),
    }


def expand(nav):
    """The navigation with the pages of a folder in place of "FOLDER/*"."""
    if isinstance(nav, list):
        return [expand(entry) for entry in nav]
    if isinstance(nav, dict):
        return {title: expand(entry) for title, entry in nav.items()}
    if isinstance(nav, str) and nav.endswith("/*"):
        folder = nav[:-2]
        return [f"{folder}/index.md", *list_pages(folder)]
    return nav


def on_config(config):
    config.nav = expand(config.nav)
    config.extra["polyfills"] = [ExtraScriptValue(WORKER)]
    config.watch += [os.path.join(ROOT, path) for path in ROOT_PAGES.values()]
    return config


def on_files(files, config):
    for page, path in ROOT_PAGES.items():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            files.append(File.generated(config, page, content=file.read()))
    for page, text in make_api_pages().items():
        files.append(File.generated(config, page, content=text))
    for folder, title in FOLDERS.items():
        if not files.get_file_from_path(f"{folder}/index.md"):
            files.append(File.generated(config, f"{folder}/index.md", content=make_index(folder, title)))
    files.append(File.generated(config, WORKER, abs_src_path=os.path.join(ROOT, "scripts/site_pages/worker.js")))
    return files


def on_page_markdown(markdown, page, config, files):
    pages = {f"docs/{file.src_uri}": file.src_uri for file in files}
    pages.update({path: name for name, path in ROOT_PAGES.items()})
    origin = ROOT_PAGES.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    links = Links(ROOT, origin, page.file.src_uri, pages)
    return add_blank_lines(links.rewrite(markdown))
