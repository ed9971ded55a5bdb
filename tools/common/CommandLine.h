//===- CommandLine.h - the options of a tool -------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_COMMON_COMMANDLINE_H
#define TOOLS_COMMON_COMMANDLINE_H

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tssa::tools {

/// An example of a command, and what it does if that needs words.
struct Example {
  std::string command, effect;
};

/// What a tool says of itself.
struct About {
  std::string name;    ///< such as tssa-run
  std::string summary; ///< what it does, which goes on after the name
  std::string details; ///< more sentences; may be empty
  std::string operand; ///< the file that it takes, such as MODEL.onnx
  std::string noun;    ///< what that file is, in one word
  std::vector<Example> examples;
  std::string exitCodes;
  std::string version; ///< what --version prints
  /// Says what to use instead of an option that other tools have, or "".
  std::string (*advise)(std::string_view name) = nullptr;
};

/// What is wrong with a value, or nothing. The name of the option is put before it.
using Fault = std::optional<std::string>;

/// An option of a tool.
struct Option {
  enum class Takes {
    Nothing,
    Value,
    OptionalText ///< a value that can only follow after =
  };

  std::string name;      ///< without dashes
  std::string valueName; ///< in the help
  std::string help;
  Takes takes;
  /// Takes over a value, or "" of a flag.
  std::function<Fault(const std::string &)> take;
  bool isHidden = false;
  bool repeats = false; ///< whether each value counts, not only the last one
  unsigned count = 0;   ///< how often it was given

  /// Leaves the option out of the help.
  void hide() { isHidden = true; }
  /// Returns the name with its dashes.
  std::string getDashed() const { return (name.size() == 1 ? "-" : "--") + name; }
};

/// The options of a tool, and the parser of its arguments. Variables that are bound to options must
/// outlive it; where an option is given twice, the last value holds.
class CommandLine {
public:
  explicit CommandLine(About about);

  /// Binds the file that is no option.
  void bindOperand(std::string &file) { operand = &file; }

  /// An option without a value.
  Option &add(std::string name, bool &flag, std::string help);
  Option &add(std::string name, std::string &text, std::string valueName, std::string help,
              Option::Takes takes = Option::Takes::Value);
  /// An option that may be repeated.
  Option &add(std::string name, std::vector<std::string> &texts, std::string valueName,
              std::string help);
  Option &add(std::string name, unsigned &number, std::string valueName, std::string help);
  Option &add(std::string name, uint64_t &number, std::string valueName, std::string help);
  Option &add(std::string name, double &number, std::string valueName, std::string help);
  /// An option that gives each of its values to `take`.
  Option &add(Option::Takes takes, std::string name, std::string valueName, std::string help,
              std::function<Fault(const std::string &)> take);

  /// Returns how often an option was given.
  unsigned getCount(std::string_view name) const;
  bool isGiven(std::string_view name) const { return getCount(name) != 0; }

  const About &getAbout() const { return about; }
  const std::deque<Option> &getOptions() const { return options; }

  /// Reads the arguments of main. Reports an error, or prints what --help and its like ask for;
  /// then returns the exit code.
  std::optional<int> parse(int argc, const char *const *argv);

private:
  const Option *find(std::string_view name) const;
  std::optional<std::string> separateOption(const std::string &argument,
                                            std::vector<std::string> &separated,
                                            bool &isValue) const;
  std::optional<std::string> separate(const std::vector<std::string> &arguments,
                                      std::vector<std::string> &separated) const;
  std::string explainUnknown(const std::string &argument) const;
  std::optional<std::string> parse(const std::vector<std::string> &arguments);
  int printPage() const;
  std::optional<std::string> takeFiles(const std::vector<std::string> &files);

  About about;
  std::deque<Option> options; // whose places do not change
  std::string *operand = nullptr;
  bool wantsHelp = false, wantsAll = false, wantsVersion = false;
  std::string wantedPage;
};

/// Reports an error of usage and returns its exit code.
int reportUsage(const std::string &tool, const std::string &message);

/// Returns an option with its dashes and the name of its value.
std::string showOption(const Option &option);

/// Returns what --help prints, with the hidden options too if `all`.
std::string writeHelp(const CommandLine &line, bool all);

} // namespace tssa::tools

#endif // TOOLS_COMMON_COMMANDLINE_H
