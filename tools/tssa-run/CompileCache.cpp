//===- CompileCache.cpp --------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CompileCache.h"

#include "Interrupt.h"

#include "tssa/Runtime/BuildID.h"
#include "tssa/Runtime/Cache.h"
#include "tssa/Runtime/NearName.h"
#include "tssa/Runtime/ParentProcess.h"
#include "tssa/Runtime/SHA256.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tssa::run;
using namespace tssa::runtime;
namespace fs = std::filesystem;

extern char **environ;

static Status ioError(const std::string &path, const char *what) {
  return makeError(TSSA_IO, "'" + path + "': " + what + ": " + std::strerror(errno));
}

static bool hasSuffix(const std::string &text, const std::string &suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

bool tssa::run::isSource(const std::string &path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))
    return false; // opening a pipe would wait for ever
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  file.read(magic, sizeof(magic));
  return std::memcmp(magic,
                     "\x7f"
                     "ELF",
                     sizeof(magic)) != 0 &&
         (hasSuffix(path, ".onnx") || hasSuffix(path, ".mlir") || hasSuffix(path, ".json"));
}

/// Adds a file's length and bytes to the key.
static Status hashFile(const std::string &path, SHA256 &key, std::string *content = nullptr) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    return makeError(TSSA_IO,
                     "'" + path + "': " + (error ? error.message() : "not a regular file"));
  std::ifstream file(path, std::ios::binary);
  std::string piece(1 << 20, '\0');
  SHA256 sha;
  while (file.read(piece.data(), std::streamsize(piece.size())) || file.gcount() > 0) {
    std::string_view bytes(piece.data(), size_t(file.gcount()));
    sha.update(bytes);
    if (content)
      *content += bytes;
  }
  if (!file.eof())
    return ioError(path, "cannot read");
  std::array<uint8_t, 32> digest = sha.final();
  key.update(digest.data(), digest.size());
  return Status::success();
}

/// Returns the names of files in which an ONNX model keeps its weights: the values of its
/// StringStringEntryProtos with the key "location". Other bytes that look like such an entry only
/// cause an unnecessary miss.
static std::set<std::string> findExternalFiles(const std::string &model) {
  static const std::string entry = "\x0a\x08location\x12";
  std::set<std::string> files;
  for (size_t at = model.find(entry); at != std::string::npos; at = model.find(entry, at + 1)) {
    size_t position = at + entry.size(), size = 0;
    for (unsigned shift = 0; position < model.size() && shift < 21; shift += 7) {
      unsigned char byte = static_cast<unsigned char>(model[position++]);
      size |= size_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        break;
    }
    if (size <= model.size() - position)
      files.insert(model.substr(position, size));
  }
  return files;
}

/// Returns the names of files in which a PyTorch program keeps its constants: the values of "file".
static std::set<std::string> findConstantFiles(const std::string &program) {
  static const std::string entry = "\"file\"";
  std::set<std::string> files;
  for (size_t at = program.find(entry); at != std::string::npos; at = program.find(entry, at + 1)) {
    size_t begin = program.find('"', at + entry.size());
    size_t end = begin == std::string::npos ? begin : program.find('"', begin + 1);
    if (end != std::string::npos)
      files.insert(program.substr(begin + 1, end - begin - 1));
  }
  return files;
}

/// Returns the files that a source needs besides itself.
static std::set<std::string> findFiles(const std::string &path, const std::string &content) {
  if (hasSuffix(path, ".onnx"))
    return findExternalFiles(content);
  return hasSuffix(path, ".json") ? findConstantFiles(content) : std::set<std::string>();
}

/// Returns the parts of the first processor's description on which native code depends.
static std::string describeCPU() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, text;
  while (std::getline(file, line) && !line.empty())
    if (line.compare(0, 5, "flags") == 0 || line.compare(0, 5, "model") == 0 ||
        line.compare(0, 6, "vendor") == 0)
      text += line + "\n";
  return text;
}

Status tssa::run::findCompiler(std::string &compiler) {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  compiler = (self.parent_path() / "tssa-compile").string();
  if (error || ::access(compiler.c_str(), X_OK) != 0)
    return makeError(TSSA_IO, "there is no tssa-compile at '" + compiler +
                                  "': compile the model elsewhere and run the "
                                  "result");
  return Status::success();
}

/// Adds to the key the records in the folder that an option of the compiler names, in order.
static Status hashRecords(const std::string &option, SHA256 &key) {
  static const std::string begin = "--tuned=";
  if (option.compare(0, begin.size(), begin) != 0)
    return Status::success();
  std::set<fs::path> paths;
  std::error_code error; // the compiler reports a folder that cannot be read
  fs::path folder = option.substr(begin.size());
  for (const char *name : {"records", "ends", "sizes"})
    for (fs::directory_iterator entry(folder / name, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->is_regular_file(error))
        paths.insert(entry->path());
  for (const fs::path &path : paths) {
    key.update(path.lexically_relative(folder).string() + '\0');
    if (Status status = hashFile(path.string(), key); !status.ok())
      return status;
  }
  return Status::success();
}

/// Adds an option of the compiler to the key, with the contents of the files that it names.
static Status hashOption(const std::string &option, SHA256 &key) {
  static const std::string operators = "--operators=";
  if (option.compare(0, operators.size(), operators) == 0) {
    key.update(operators + '\0');
    std::error_code error; // the compiler reports a file that cannot be read
    std::string path = option.substr(operators.size());
    return fs::is_regular_file(path, error) ? hashFile(path, key) : Status::success();
  }
  key.update(option + '\0');
  return hashRecords(option, key);
}

/// Adds to the key which compiler it is: the note of its linker, which is a hash of its content, or
/// else the content itself.
static Status hashCompiler(const std::string &compiler, SHA256 &key) {
  std::string id;
  if (!readBuildID(compiler, id).ok() || id.empty())
    return hashFile(compiler, key);
  key.update("build " + id + '\0');
  return Status::success();
}

static Status computeKey(const Options &options, const std::string &compiler, std::string &key) {
  SHA256 sha;
  std::string model;
  if (Status status = hashCompiler(compiler, sha); !status.ok())
    return status;
  if (Status status = hashFile(options.model, sha, &model); !status.ok())
    return status;
  fs::path folder = fs::path(options.model).parent_path();
  // The compiler reports missing files.
  for (const std::string &name : findFiles(options.model, model)) {
    sha.update(name + '\0');
    std::string file = (folder / name).string();
    if (name.find('\0') == std::string::npos && fs::is_regular_file(file))
      if (Status status = hashFile(file, sha); !status.ok())
        return status;
  }
  for (const std::string &option : options.compileOptions) {
    if (Status status = hashOption(option, sha); !status.ok())
      return status;
  }
  sha.update(fs::path(options.model).extension().string());
  sha.update(describeCPU());
  key = toHex(sha.final());
  return Status::success();
}

/// Sets `folder` to the cache folder, which is created if need be; empty if there is none.
static Status openCache(const Options &options, std::string &folder) {
  const char *home = std::getenv("HOME");
  const char *xdg = std::getenv("XDG_CACHE_HOME");
  if (options.cacheDir)
    folder = *options.cacheDir;
  else if (xdg && xdg[0] == '/')
    folder = std::string(xdg) + "/tssa";
  else if (home && home[0] == '/')
    folder = std::string(home) + "/.cache/tssa";
  else
    return Status::success();
  CacheFolderState state;
  Status status = openCacheFolder(folder, state);
  if (state == CacheFolderState::Missing && !options.cacheDir)
    folder.clear();
  else if (!status.ok())
    return status;
  else if (::access(folder.c_str(), W_OK) != 0 && !options.cacheDir)
    folder.clear();
  return Status::success();
}

/// Returns the folder beside a compiled model in which the compiler keeps the code of kernels;
/// empty if it must keep nothing of an untrusted model.
static std::string findKernels(const Options &options, const std::string &path) {
  for (const std::string &option : options.compileOptions)
    if (option.find("untrusted") != std::string::npos)
      return "";
  return fs::path(path).parent_path() / "kernels";
}

/// Returns the environment of a compiler that ends with this process.
static std::vector<std::string> listVariables() {
  const std::string begin = std::string(endsWithVariable) + "=";
  std::vector<std::string> variables = {begin + std::to_string(::getpid())};
  for (char **variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, begin.c_str(), begin.size()) != 0)
      variables.push_back(*variable);
  return variables;
}

/// Returns pointers to the texts, and a null pointer after them.
static std::vector<char *> getPointers(std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (std::string &text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Runs the compiler and waits. The compiler's stdout goes to this process's stderr, because this
/// process's stdout is for results.
static Status spawnCompiler(const std::string &compiler, const Options &options,
                            const std::string &output, const std::string &kernels, int &exitCode) {
  std::string model = options.model[0] == '-' ? "./" + options.model : options.model;
  std::vector<std::string> args = {compiler, model, "-o", output};
  args.insert(args.end(), options.compileOptions.begin(), options.compileOptions.end());
  if (!kernels.empty())
    args.push_back("--cache-dir=" + kernels);
  if (options.progressFile)
    args.push_back("--progress-fd=" + std::to_string(*options.progressFile));
  std::vector<std::string> variables = listVariables();
  std::vector<char *> argv = getPointers(args), environment = getPointers(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  // The compiler does not inherit blocked or ignored signals.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child;
  {
    std::unique_lock<std::mutex> hold = holdInterrupts();
    errno = posix_spawn(&child, compiler.c_str(), &actions, &attributes, argv.data(),
                        environment.data());
    setChild(errno == 0 ? child : 0);
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (errno != 0)
    return ioError(compiler, "cannot start");
  int status = 0, failed = 0;
  while (::waitpid(child, &status, 0) < 0 && failed == 0)
    failed = errno == EINTR ? 0 : errno;
  {
    // If a signal ends this program, this thread stays here: the wait may have failed because the
    // thread that ends it has waited for the compiler.
    std::unique_lock<std::mutex> hold = holdInterrupts();
    setChild(0);
  }
  if (failed) {
    errno = failed;
    return ioError(compiler, "cannot wait for it");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return Status::success();
  // A signal that interrupts the compiler is also meant for this program.
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM))
    endBySignal(WTERMSIG(status));
  exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : InternalError;
  std::string how = WIFEXITED(status) ? "exit code " + std::to_string(exitCode)
                                      : "signal " + std::to_string(WTERMSIG(status));
  return makeError(TSSA_INTERNAL,
                   "'" + printable(options.model) + "': tssa-compile failed (" + how + ")");
}

CompiledModel::~CompiledModel() {
  if (memory >= 0)
    ::close(memory);
}

Status CompiledModel::choosePath(const Options &options, const std::string &key) {
  std::string folder;
  if (Status status = openCache(options, folder); !status.ok())
    return status;
  if (!folder.empty()) {
    path = folder + "/" + key + ".so";
    return Status::success();
  }
  if (options.compileOnly)
    return makeError(TSSA_IO, "there is no cache folder: give --cache-dir");
  // The compiler inherits the descriptor.
  memory = ::memfd_create("tssa-run", 0);
  path = "/proc/self/fd/" + std::to_string(memory);
  if (memory < 0)
    return ioError("memfd", "cannot create");
  std::fputs("tssa-run: no cache folder, the compiled model is not kept\n", stderr);
  return Status::success();
}

Status CompiledModel::prepare(const Options &options, bool again, int &exitCode) {
  std::string compiler, key;
  if (Status status = findCompiler(compiler); !status.ok())
    return status;
  if (path.empty()) {
    if (Status status = computeKey(options, compiler, key); !status.ok())
      return status;
    if (Status status = choosePath(options, key); !status.ok())
      return status;
  }
  if (!again && memory < 0 && ::access(path.c_str(), R_OK) == 0) {
    touchCacheFile(path);
    return Status::success();
  }
  compiled = true;
  std::string kernels = memory < 0 ? findKernels(options, path) : "";
  if (Status status = spawnCompiler(compiler, options, path, kernels, exitCode); !status.ok())
    return status;
  if (memory < 0)
    evictCacheFiles(path, options.cacheLimit);
  return Status::success();
}
