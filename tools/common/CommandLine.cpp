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

/// Separates a name from what follows it, into `separated`. Sets `isValue` if the next argument is
/// the value of the option.
std::optional<std::string> CommandLine::separateOption(const std::string &argument,
                                                       std::vector<std::string> &separated,
                                                       bool &isValue) const {
  std::string rest = argument.substr(argument[1] == '-' ? 2 : 1);
  size_t equals = rest.find('=');
  const Option *option = find(rest.substr(0, equals));
  if (!option)
    return explainUnknown(argument);
  bool needsValue = option->takes == Takes::Value;
  if (option->takes == Takes::Nothing && equals != std::string::npos)
    return option->getDashed() + " takes no value";
  separated.push_back(option->getDashed());
  isValue = needsValue && equals == std::string::npos;
  if (equals != std::string::npos && needsValue)
    separated.push_back(rest.substr(equals + 1));
  else if (equals != std::string::npos)
    separated.back() += rest.substr(equals);
  return std::nullopt;
}

/// Makes of the arguments those for CLI11: with two dashes before each long name, since it takes
/// -help for a group of options of one letter, and values apart from the names of their options,
/// since it passes over an empty value after =.
std::optional<std::string> CommandLine::separate(const std::vector<std::string> &arguments,
                                                 std::vector<std::string> &separated) const {
  bool isValue = false, onlyFiles = false;
  for (const std::string &argument : arguments) {
    onlyFiles |= argument == "--" && !isValue;
    if (std::exchange(isValue, false) || onlyFiles || argument.size() < 2 || argument[0] != '-')
      separated.push_back(argument);
    else if (std::optional<std::string> fault = separateOption(argument, separated, isValue))
      return fault;
  }
  return std::nullopt;
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
  for (const std::string &value : parsed.results())
    if (Fault fault = option.take(option.takes == Takes::Nothing ? "" : value))
      return option.getDashed() + ": " + *fault;
  return std::nullopt;
}

/// Makes the options known to CLI11, which puts the values into `texts`.
static std::vector<CLI::Option *> declare(CLI::App &app, const std::deque<Option> &options,
                                          std::deque<std::vector<std::string>> &texts) {
  std::vector<CLI::Option *> declared;
  for (const Option &option : options) {
    CLI::Option *made = nullptr;
    if (option.takes == Takes::Nothing)
      made = app.add_flag(option.getDashed());
    else if (option.takes == Takes::OptionalText)
      made = app.add_flag(option.getDashed() + "{}");
    else
      made = app.add_option(option.getDashed(), texts.emplace_back())->allow_extra_args(false);
    declared.push_back(made->take_all());
  }
  return declared;
}

std::optional<std::string> CommandLine::parse(const std::vector<std::string> &arguments) {
  std::vector<std::string> separated;
  if (std::optional<std::string> fault = separate(arguments, separated))
    return fault;
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  std::vector<std::string> files;
  app.add_option("files", files)->allow_extra_args(false);
  std::deque<std::vector<std::string>> texts;
  std::vector<CLI::Option *> parsed = declare(app, options, texts);
  try {
    app.parse(std::vector<std::string>(separated.rbegin(), separated.rend()));
  } catch (const CLI::ArgumentMismatch &) { // the last one is an option without its value
    const std::string &last = separated.back();
    const Option *option = find(last.substr(last.find_first_not_of('-')));
    return last + " needs a value: " + last + " " + option->valueName;
  } catch (const CLI::ParseError &error) {
    return std::string(error.what());
  }
  for (const std::string &rest : app.remaining()) // more than one file
    if (rest != "--")
      files.push_back(rest);
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
