//===- Pages.cpp - pages about a tool ------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pages.h"

#include <algorithm>
#include <cctype>

using namespace tssa::tools;

/// Returns `text` with `before` put before each of `characters`.
static std::string escape(const std::string &text, const char *characters,
                          const std::string &before) {
  std::string escaped;
  for (char character : text) {
    if (std::string_view(characters).find(character) != std::string_view::npos)
      escaped += before;
    escaped += character;
  }
  return escaped;
}

/// Returns `text` for a line of troff.
static std::string forTroff(const std::string &text) {
  std::string escaped;
  for (char character : text)
    escaped += character == '\\' ? "\\e" : character == '-' ? "\\-" : std::string(1, character);
  bool isRequest = !text.empty() && (text[0] == '.' || text[0] == '\'');
  return (isRequest ? "\\&" : "") + escaped;
}

std::string tssa::tools::writeManPage(const CommandLine &line) {
  const About &about = line.getAbout();
  std::string title = about.name;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char letter) { return std::toupper(letter); });
  std::string name = forTroff(about.name);
  std::string page = ".TH " + title + " 1 \"\" TSSA\n.SH NAME\n" + name + " \\- " +
                     forTroff(about.summary) + "\n.SH SYNOPSIS\n.B " + name + "\n[options]\n.I " +
                     forTroff(about.operand) + "\n";
  page += ".SH DESCRIPTION\n.B " + name + "\n" + forTroff(about.summary + ".") + "\n";
  if (!about.details.empty())
    page += forTroff(about.details) + "\n";
  page += ".SH OPTIONS\n";
  for (const Option &option : line.getOptions())
    if (!option.isHidden)
      page += ".TP\n.B " + forTroff(showOption(option)) + "\n" + forTroff(option.help) + "\n";
  page += ".SH EXAMPLES\n";
  for (const Example &example : about.examples)
    page += ".TP\n.B " + forTroff(example.command) + "\n" + forTroff(example.effect) + "\n";
  return page + ".SH EXIT STATUS\n" + forTroff(about.exitCodes) + "\n";
}

std::string tssa::tools::writeMarkdown(const CommandLine &line) {
  const About &about = line.getAbout();
  std::string page = "## " + about.name + "\n\n    " + about.name + " [options] " + about.operand +
                     "\n\n" + about.name + " " + about.summary + "." +
                     (about.details.empty() ? "" : " " + about.details) +
                     "\n\n| option | |\n|---|---|\n";
  for (const Option &option : line.getOptions())
    if (!option.isHidden)
      page += "| `" + escape(showOption(option), "|", "\\") + "` | " +
              escape(option.help, "|*_<[", "\\") + " |\n";
  page += "\n```\n";
  for (const Example &example : about.examples)
    page += example.command + (example.effect.empty() ? "" : "   # " + example.effect) + "\n";
  return page + "```\n\nExit codes: " + about.exitCodes + ".\n";
}
