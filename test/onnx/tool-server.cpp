//===- tool-server.cpp - a server that runs the tools ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// This server is for tests that call tssa-compile and tssa-run thousands of times. Each call is a
/// fork of this process, so that a crash affects only the call, and its state is fresh.
///
/// A request on stdin has the time limit in seconds, the number of arguments, and the arguments,
/// each ended by a zero byte. The first argument is tssa-compile or tssa-run, in any folder. A
/// reply on stdout is a line `CODE OUT ERRORS`, followed by OUT bytes of the tool's stdout and
/// ERRORS bytes of its stderr. CODE is the exit code, a negative signal number, or `timeout`.
///
//===----------------------------------------------------------------------===//

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

int compileMain(int argc, char **argv);
int runMain(int argc, char **argv);

namespace {

struct Request {
  double seconds = 0;
  std::vector<std::string> arguments;
};

[[noreturn]] void stop(const char *what) {
  std::perror(what);
  std::exit(70);
}

std::optional<std::string> readField() {
  char *text = nullptr;
  size_t capacity = 0;
  ssize_t length = getdelim(&text, &capacity, '\0', stdin);
  std::optional<std::string> field;
  if (length > 0 && text[length - 1] == '\0')
    field = std::string(text, size_t(length) - 1);
  std::free(text);
  return field;
}

std::optional<Request> readRequest() {
  std::optional<std::string> seconds = readField(), count = readField();
  if (!seconds || !count)
    return std::nullopt;
  Request request;
  request.seconds = std::strtod(seconds->c_str(), nullptr);
  for (long i = std::strtol(count->c_str(), nullptr, 10); i > 0; --i) {
    std::optional<std::string> argument = readField();
    if (!argument)
      return std::nullopt;
    request.arguments.push_back(std::move(*argument));
  }
  return request.arguments.empty() ? std::nullopt : std::optional(std::move(request));
}

/// Executes a request in the forked process, and never returns.
[[noreturn]] void becomeTool(const Request &request, int out, int errors) {
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(out, 1) < 0 || dup2(errors, 2) < 0)
    _exit(70);
  std::vector<char *> argv;
  for (const std::string &argument : request.arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  std::string tool = request.arguments[0].substr(request.arguments[0].rfind('/') + 1);
  int argc = int(request.arguments.size());
  if (tool == "tssa-compile")
    std::exit(compileMain(argc, argv.data()));
  if (tool == "tssa-run")
    std::exit(runMain(argc, argv.data()));
  std::fprintf(stderr, "tool-server: expected tssa-compile or tssa-run, got '%s'\n", tool.c_str());
  std::exit(2);
}

/// Waits for the call to end, and returns CODE.
std::string waitFor(pid_t child, double seconds) {
  int handle = int(syscall(SYS_pidfd_open, child, 0));
  if (handle < 0)
    stop("pidfd_open");
  pollfd ended = {handle, POLLIN, 0};
  bool inTime = poll(&ended, 1, int(seconds * 1000)) == 1;
  close(handle);
  if (!inTime)
    kill(child, SIGKILL);
  int status = 0;
  if (waitpid(child, &status, 0) != child)
    stop("waitpid");
  if (!inTime)
    return "timeout";
  return std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

int openScratch() {
  int file = memfd_create("output", MFD_CLOEXEC);
  if (file < 0)
    stop("memfd_create");
  return file;
}

off_t getSize(int file) {
  struct stat status;
  if (fstat(file, &status) != 0)
    stop("fstat");
  return status.st_size;
}

void writeFile(int file) {
  char buffer[1 << 16];
  off_t offset = 0;
  for (ssize_t count; (count = pread(file, buffer, sizeof buffer, offset)) > 0; offset += count)
    if (std::fwrite(buffer, 1, size_t(count), stdout) != size_t(count))
      stop("stdout");
  close(file);
}

void answer(const Request &request) {
  int out = openScratch(), errors = openScratch();
  pid_t child = fork();
  if (child < 0)
    stop("fork");
  if (child == 0)
    becomeTool(request, out, errors);
  std::string code = waitFor(child, request.seconds);
  std::printf("%s %lld %lld\n", code.c_str(), (long long)getSize(out), (long long)getSize(errors));
  writeFile(out);
  writeFile(errors);
  if (std::fflush(stdout) != 0)
    stop("stdout");
}

} // namespace

int main() {
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  while (std::optional<Request> request = readRequest())
    answer(*request);
  return 0;
}
