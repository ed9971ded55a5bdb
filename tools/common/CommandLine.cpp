//===- CommandLine.cpp ---------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CommandLine.h"

#include "Pages.h"
#include "tssa/Runtime/NearName.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

using namespace tssa::tools;
using tssa::runtime::printable;
using Takes = Option::Takes;

static constexpr int usageError = 2;

CommandLine::CommandLine(About about) : about(std::move(about)) {
  add("help", wantsHelp, "Print this help");
  add("help-hidden", wantsAll, "Print this help with the options for tests").hide();
  add("print-options", wantedPage, "man|bash|zsh|markdown",
      "Print the options as a page or as a completion for a shell")
      .hide();
  add("version", wantsVersion, "Print the version");
}

Option &CommandLine::add(Takes takes, std::string name, std::string valueName, std::string help,
                         std::function<Fault(const std::string &)> take) {
  options.push_back(
      {std::move(name), std::move(valueName), std::move(help), takes, std::move(take)});
  return options.back();
}

Option &CommandLine::add(std::string name, bool &flag, std::string help) {
  return add(Takes::Nothing, std::move(name), "", std::move(help),
             [&flag](const std::string &) -> Fault {
               flag = true;
               return std::nullopt;
             });
}

Option &CommandLine::add(std::string name, std::string &text, std::string valueName,
                         std::string help, Takes takes) {
  return add(takes, std::move(name), std::move(valueName), std::move(help),
             [&text](const std::string &value) -> Fault {
               text = value;
               return std::nullopt;
             });
}

Option &CommandLine::add(std::string name, std::vector<std::string> &texts, std::string valueName,
                         std::string help) {
  Option &option = add(Takes::Value, std::move(name), std::move(valueName), std::move(help),
                       [&texts](const std::string &value) -> Fault {
                         texts.push_back(value);
                         return std::nullopt;
                       });
  option.repeats = true;
  return option;
}

/// Returns a function that reads a number into `number`.
template <typename T> static std::function<Fault(const std::string &)> takeNumber(T &number) {
  return [&number](const std::string &text) -> Fault {
    const char *end = text.data() + text.size();
    auto result = std::from_chars(text.data(), end, number);
    if (text.empty() || result.ec != std::errc() || result.ptr != end)
      return "expected a number, got '" + printable(text) + "'";
    return std::nullopt;
  };
}

Option &CommandLine::add(std::string name, unsigned &number, std::string valueName,
                         std::string help) {
  return add(Takes::Value, std::move(name), std::move(valueName), std::move(help),
             takeNumber(number));
}

Option &CommandLine::add(std::string name, uint64_t &number, std::string valueName,
                         std::string help) {
  return add(Takes::Value, std::move(name), std::move(valueName), std::move(help),
             takeNumber(number));
}

Option &CommandLine::add(std::string name, double &number, std::string valueName,
                         std::string help) {
  return add(Takes::Value, std::move(name), std::move(valueName), std::move(help),
             takeNumber(number));
}

const Option *CommandLine::find(std::string_view name) const {
  for (const Option &option : options)
    if (option.name == name || (name == "h" && option.name == "help"))
      return &option;
  return nullptr;
}

unsigned CommandLine::getCount(std::string_view name) const {
  const Option *option = find(name);
  return option ? option->count : 0;
}

/// Returns the arguments with two dashes before each long name and with values apart from the names
/// of their options: CLI11 takes -help for a group of options of one letter, and passes over an
/// empty value after =.
std::vector<std::string> CommandLine::separate(const std::vector<std::string> &arguments) const {
  std::vector<std::string> separated;
  bool isValue = false, onlyFiles = false;
  for (const std::string &argument : arguments) {
    onlyFiles |= argument == "--" && !isValue;
    if (std::exchange(isValue, false) || onlyFiles || argument.size() < 2 || argument[0] != '-') {
      separated.push_back(argument);
      continue;
    }
    std::string_view rest = argument;
    rest.remove_prefix(rest[1] == '-' ? 2 : 1);
    size_t equals = rest.find('=');
    std::string_view name = rest.substr(0, equals);
    const Option *option = find(name);
    if (option && option->takes == Takes::Value) {
      separated.push_back(option->getDashed());
      if (equals != std::string_view::npos)
        separated.emplace_back(rest.substr(equals + 1));
      else
        isValue = true;
    } else if (option && option->takes != Takes::Attached) {
      separated.push_back(option->getDashed() +
                          argument.substr(argument.size() - rest.size() + name.size()));
    } else {
      const Option *letter = rest.empty() ? nullptr : find(rest.substr(0, 1));
      bool isGroup = letter && letter->takes != Takes::Attached;
      separated.push_back(isGroup ? "--" + std::string(rest) : argument);
      isValue = option && rest.size() == 1;
    }
  }
  return separated;
}

std::string CommandLine::explainUnknown(const std::string &argument) const {
  std::string shown = argument.substr(0, argument.find('='));
  std::string name = shown.substr(std::min(shown.find_first_not_of('-'), shown.size()));
  std::string text = "unknown option '" + printable(shown) + "'";
  if (std::string advice = about.advise ? about.advise(name) : ""; !advice.empty())
    return text + ": " + advice;
  std::vector<std::string> dashed;
  for (const Option &option : options)
    if (!option.isHidden)
      dashed.push_back(option.getDashed());
  return text + runtime::suggestName("--" + name, dashed);
}

std::optional<std::string> CommandLine::takeFiles(const std::vector<std::string> &files) {
  if (files.size() > 1)
    return "two " + about.noun + "s: '" + printable(files[0]) + "' and '" + printable(files[1]) +
           "'";
  if (files.empty())
    return std::nullopt;
  if (files[0].empty())
    return "expected a " + about.noun + ", got an empty name";
  *operand = files[0];
  return std::nullopt;
}

/// Gives the values of an option to it.
static std::optional<std::string> takeValues(Option &option, const CLI::Option &parsed) {
  option.count = unsigned(parsed.count());
  for (const std::string &value : parsed.results()) {
    bool isFlag = option.takes == Takes::Nothing;
    if (isFlag && value != "true") // which CLI11 gives to flags without =
      return option.getDashed() + " takes no value";
    if (Fault fault = option.take(isFlag ? "" : value))
      return option.getDashed() + ": " + *fault;
  }
  return std::nullopt;
}

std::optional<std::string> CommandLine::parse(const std::vector<std::string> &arguments) {
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  std::vector<std::string> files;
  app.add_option("files", files)->allow_extra_args(false);
  std::deque<std::vector<std::string>> texts;
  std::vector<CLI::Option *> parsed;
  for (Option &option : options) {
    std::string names = option.getDashed() + (option.name == "help" ? ",-h" : "");
    if (option.takes == Takes::Nothing)
      parsed.push_back(app.add_flag(names));
    else if (option.takes == Takes::OptionalText)
      parsed.push_back(app.add_flag(names + "{}"));
    else
      parsed.push_back(app.add_option(names, texts.emplace_back())->allow_extra_args(false));
    parsed.back()->take_all();
  }
  std::vector<std::string> reversed = separate(arguments);
  std::string last = reversed.empty() ? "" : reversed.back();
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ArgumentMismatch &) { // no argument follows, so the last one is the option
    const Option *option = find(last.substr(last.find_first_not_of('-')));
    std::string dashed = option->getDashed();
    return dashed + " needs a value: " + dashed + " " + option->valueName;
  } catch (const CLI::ParseError &error) {
    return std::string(error.what());
  }
  for (const std::string &rest : app.remaining()) {
    if (rest.size() > 1 && rest[0] == '-' && rest != "--")
      return explainUnknown(rest);
    if (rest != "--")
      files.push_back(rest);
  }
  for (size_t i = 0; i < options.size(); ++i)
    if (std::optional<std::string> fault = takeValues(options[i], *parsed[i]))
      return fault;
  return takeFiles(files);
}

static int print(const std::string &text) {
  bool isWritten =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return isWritten ? 0 : 1;
}

int CommandLine::printPage() const {
  const std::pair<const char *, std::string (*)(const CommandLine &)> pages[] = {
      {"man", writeManPage},
      {"bash", writeBashCompletion},
      {"zsh", writeZshCompletion},
      {"markdown", writeMarkdown}};
  for (auto [kind, write] : pages)
    if (wantedPage == kind)
      return print(write(*this));
  return reportUsage(about.name, "expected man, bash, zsh or markdown for --print-options, got '" +
                                     printable(wantedPage) + "'");
}

std::optional<int> CommandLine::parse(int argc, const char *const *argv) {
  std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
  if (std::optional<std::string> fault = parse(arguments))
    return reportUsage(about.name, *fault);
  if (wantsHelp || wantsAll)
    return print(writeHelp(*this, wantsAll));
  if (wantsVersion)
    return print(about.version + "\n");
  if (isGiven("print-options"))
    return printPage();
  return std::nullopt;
}

int tssa::tools::reportUsage(const std::string &tool, const std::string &message) {
  std::fprintf(stderr, "%s: error: %s\ntry: %s --help\n", tool.c_str(), message.c_str(),
               tool.c_str());
  return usageError;
}
