//===- Help.cpp - what --help prints -------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CommandLine.h"

#include <algorithm>
#include <sstream>

using namespace tssa::tools;

static constexpr size_t width = 80;

/// Appends the words of `words` to a text whose last line is `column` characters long. Further
/// lines are indented.
static void appendWords(std::string &text, size_t column, size_t indent, const std::string &words) {
  std::istringstream stream(words);
  bool isFirst = true;
  for (std::string word; stream >> word; isFirst = false) {
    if (!isFirst && column + 1 + word.size() > width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!isFirst) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  text += '\n';
}

/// Appends `left`, and `words` in the column beside it.
static void appendRow(std::string &text, std::string left, size_t column,
                      const std::string &words) {
  left = "  " + left;
  if (words.empty()) {
    text += left + "\n";
    return;
  }
  if (left.size() + 2 > column)
    text += left + "\n" + std::string(column, ' ');
  else
    text += left + std::string(column - left.size(), ' ');
  appendWords(text, column, column, words);
}

std::string tssa::tools::showOption(const Option &option) {
  std::string dashed = option.getDashed();
  bool hasEquals = option.valueName.find('=') != std::string::npos;
  switch (option.takes) {
  case Option::Takes::Nothing:
    return dashed;
  case Option::Takes::Value:
    return dashed + (hasEquals || option.name.size() == 1 ? " " : "=") + option.valueName;
  case Option::Takes::OptionalText:
    return dashed + "[=" + option.valueName + "]";
  }
  return dashed;
}

std::string tssa::tools::writeHelp(const CommandLine &line, bool all) {
  const About &about = line.getAbout();
  std::string text = "usage: " + about.name + " [options] " + about.operand + "\n\n";
  appendWords(text, 0, 0, about.name + " " + about.summary + ". " + about.details);
  text += "\noptions:\n";
  for (const Option &option : line.getOptions())
    if (all || !option.isHidden)
      appendRow(text, showOption(option), 28, option.help);
  text += "\nexamples:\n";
  for (const Example &example : about.examples)
    appendRow(text, example.command, 48, example.effect);
  text += "\n";
  appendWords(text, 0, 2, "exit codes: " + about.exitCodes);
  return text;
}
