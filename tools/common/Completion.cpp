//===- Completion.cpp - completion of a tool's options in shells ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pages.h"

#include <algorithm>

using namespace tssa::tools;

/// Returns the name of a shell function for a tool.
static std::string nameFunction(const CommandLine &line) {
  std::string name = "_" + line.getAbout().name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string tssa::tools::writeBashCompletion(const CommandLine &line) {
  std::string words;
  for (const Option &option : line.getOptions()) {
    if (option.isHidden)
      continue;
    bool isLong = option.name.size() > 1;
    words += words.empty() ? "" : " ";
    words += option.getDashed() + (option.takes == Option::Takes::Value && isLong ? "=" : "");
  }
  std::string function = nameFunction(line);
  // Bash takes = for a word of its own.
  return "# Completion for bash.\n" + function +
         "() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]}\n"
         "  [[ $current == = ]] && current=\n"
         "  if [[ $current == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         words +
         "' -- \"$current\")\n"
         "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "    compopt -o filenames\n"
         "  fi\n"
         "}\n"
         "complete -F " +
         function + " " + line.getAbout().name + "\n";
}

/// Returns `text` for a description in a specification of _arguments, in single quotes.
static std::string forZsh(const std::string &text) {
  std::string escaped;
  for (char character : text) {
    if (character == '\'')
      escaped += "'\\''";
    else if (character == '[' || character == ']' || character == ':' || character == '\\')
      escaped += std::string("\\") + character;
    else
      escaped += character;
  }
  return escaped;
}

/// Returns what completes the value of an option.
static std::string completeValue(const std::string &valueName) {
  if (valueName == "DIR" || valueName == "FOLDER")
    return "_files -/";
  if (valueName.find('|') != std::string::npos) {
    std::string choices = "(" + valueName + ")";
    std::replace(choices.begin(), choices.end(), '|', ' ');
    return choices;
  }
  return valueName.find("FILE") == 0 || valueName.find(".npz") != std::string::npos ? "_files"
                                                                                    : " ";
}

std::string tssa::tools::writeZshCompletion(const CommandLine &line) {
  std::string text = "#compdef " + line.getAbout().name + "\n_arguments \\\n";
  for (const Option &option : line.getOptions()) {
    if (option.isHidden)
      continue;
    bool isLong = option.name.size() > 1;
    std::string spec = (option.repeats ? "*" : "") + option.getDashed();
    if (option.takes == Option::Takes::OptionalText)
      spec += "=-";
    else if (option.takes == Option::Takes::Value && isLong)
      spec += "=";
    spec += "[" + forZsh(option.help) + "]";
    if (option.takes == Option::Takes::OptionalText)
      spec += "::" + forZsh(option.valueName) + ": ";
    else if (option.takes != Option::Takes::Nothing)
      spec += ":" + forZsh(option.valueName) + ":" + completeValue(option.valueName);
    text += "  '" + spec + "' \\\n";
  }
  return text + "  ':" + line.getAbout().noun + ":_files'\n";
}
