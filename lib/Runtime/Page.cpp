//===- Page.cpp ----------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/Page.h"

#include "tssa/Runtime/NearName.h"

using namespace tssa::runtime;

static constexpr std::string_view sharedStyle = R"(
:root { color-scheme: light dark; --page: #ffffff; --card: #f6f8fa; --text: #1f2328; --muted: #59636e;
  --line: #d1d9e0; --default: #8c959f; --best: #0072b2; --bad: #c2410c; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --card: #161b22; --text: #e6edf3; --muted: #9198a1; --line: #3d444d;
    --default: #8b949e; --best: #56b4e9; --bad: #f0883e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 20px 48px; max-width: 1240px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 36px 0 10px; }
h3 { font-size: 15px; margin: 0 0 4px; overflow-wrap: anywhere; }
p { margin: 4px 0; }
.muted, .note { color: var(--muted); }
.note { font-size: 13px; overflow-wrap: anywhere; }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 18px 0 0; }
.tile, .card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; }
.tile b { display: block; font-size: 21px; line-height: 1.3; }
.tile { flex: 1 1 140px; } .tile.wide { flex: 2 1 280px; }
.tile span { color: var(--muted); font-size: 13px; }
.cards { margin-top: 10px; display: grid; gap: 14px; grid-template-columns: repeat(auto-fill, minmax(min(330px, 100%), 1fr)); }
.card svg { display: block; width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
th { color: var(--muted); font-weight: 600; font-size: 13px; }
th, td { padding: 5px 10px 5px 0; text-align: right; white-space: nowrap; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 1px solid var(--line); }
.bars { display: grid; gap: 2px 12px; align-items: center; margin-top: 10px; }
.bars svg { display: block; width: 100%; height: 22px; }
.bars .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
rect.default { fill: var(--default); } rect.best { fill: var(--best); }
svg text { fill: var(--muted); font-size: 10.5px; }
path { fill: none; }
path.grid { stroke: var(--line); stroke-width: 0.7; }
path.default { stroke: var(--default); stroke-width: 1.5; stroke-dasharray: 5 4; }
path.dots { stroke: var(--muted); stroke-width: 4.5; stroke-linecap: round; opacity: 0.75; }
path.best { stroke: var(--best); stroke-width: 2; }
)";

std::string tssa::runtime::escapeMarkup(std::string_view text, size_t most) {
  std::string result;
  bool isCut = text.size() > most;
  text = text.substr(0, most);
  while (!text.empty()) {
    size_t length = getSequenceLength(text);
    unsigned char byte = static_cast<unsigned char>(text[0]);
    if (length == 0)
      result += "\xef\xbf\xbd"; // U+FFFD
    else if (byte == '&')
      result += "&amp;";
    else if (byte == '<')
      result += "&lt;";
    else if (byte == '>')
      result += "&gt;";
    else if (byte == '"')
      result += "&quot;";
    else if (byte == '\'')
      result += "&#39;";
    else if (byte < ' ' || byte == 0x7f)
      result += ' ';
    else
      result += text.substr(0, length);
    text.remove_prefix(length ? length : 1);
  }
  return isCut ? result + " ..." : result;
}

std::string tssa::runtime::beginPage(std::string_view title, std::string_view style) {
  std::string text = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'\"/>\n<title>";
  text.append(title).append("</title>\n<style>").append(sharedStyle).append(style);
  text.append("</style>\n</head>\n<body>\n<h1>").append(title).append("</h1>\n");
  return text;
}

std::string tssa::runtime::endPage() { return "</body>\n</html>\n"; }
