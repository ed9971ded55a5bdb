"""Writes good and bad advice into the current directory; {} is the name, so that this file has none."""

TEXTS = {
    "error.py": """raise Error("run pip install '{}[torch]'")\nraise Error("run pip install '{}-compiler[torch]'")""",
    "metadata": "Name: {}\nRequires-Dist: {}; extra == 'all'\nName: {}-compiler\nKeywords: {}",
    "page.md": 'pip install {}\npython3 -m pip install -U "{}"\npip install dist/{}-0.1.0-cp311.whl\npip install {}-compiler\n'
               "pip install {}_compiler-0.1.0-cp311.whl\npip install ./{}\nimport {}, which pip does not install",
    "script": "pip uninstall -y {}\npip uninstall -y {}-compiler",
    "version.py": 'importlib.metadata.version("{}")\nimportlib.metadata.version("{}-compiler")',
}
for path, text in TEXTS.items():
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("{}", "tssa"))
