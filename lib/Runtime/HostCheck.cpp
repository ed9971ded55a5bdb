//===- HostCheck.cpp - checks whether this machine can run host code -----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/NearName.h"

#include <cstdlib>
#include <set>
#include <sstream>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace tssa::runtime;

#if defined(__x86_64__)

namespace {

/// The register state that the operating system must save for a feature.
enum class State { None, AVX, AVX512, AMX };

enum Register { EAX, EBX, ECX, EDX };

/// A feature in LLVM's spelling and the CPUID bit that reports it.
struct Feature {
  const char *name;
  unsigned leaf, subleaf;
  Register reg;
  unsigned bit;
  State state;
};

constexpr Feature features[] = {
    {"64bit", 0x80000001, 0, EDX, 29, State::None},
    {"adx", 7, 0, EBX, 19, State::None},
    {"aes", 1, 0, ECX, 25, State::None},
    {"amx-bf16", 7, 0, EDX, 22, State::AMX},
    {"amx-fp16", 7, 1, EAX, 21, State::AMX},
    {"amx-int8", 7, 0, EDX, 25, State::AMX},
    {"amx-tile", 7, 0, EDX, 24, State::AMX},
    {"avx", 1, 0, ECX, 28, State::AVX},
    {"avx2", 7, 0, EBX, 5, State::AVX},
    {"avx512bf16", 7, 1, EAX, 5, State::AVX512},
    {"avx512bitalg", 7, 0, ECX, 12, State::AVX512},
    {"avx512bw", 7, 0, EBX, 30, State::AVX512},
    {"avx512cd", 7, 0, EBX, 28, State::AVX512},
    {"avx512dq", 7, 0, EBX, 17, State::AVX512},
    {"avx512f", 7, 0, EBX, 16, State::AVX512},
    {"avx512fp16", 7, 0, EDX, 23, State::AVX512},
    {"avx512ifma", 7, 0, EBX, 21, State::AVX512},
    {"avx512vbmi", 7, 0, ECX, 1, State::AVX512},
    {"avx512vbmi2", 7, 0, ECX, 6, State::AVX512},
    {"avx512vl", 7, 0, EBX, 31, State::AVX512},
    {"avx512vnni", 7, 0, ECX, 11, State::AVX512},
    {"avx512vp2intersect", 7, 0, EDX, 8, State::AVX512},
    {"avx512vpopcntdq", 7, 0, ECX, 14, State::AVX512},
    {"avxifma", 7, 1, EAX, 23, State::AVX},
    {"avxneconvert", 7, 1, EDX, 5, State::AVX},
    {"avxvnni", 7, 1, EAX, 4, State::AVX},
    {"avxvnniint8", 7, 1, EDX, 4, State::AVX},
    {"avxvnniint16", 7, 1, EDX, 10, State::AVX},
    {"bmi", 7, 0, EBX, 3, State::None},
    {"bmi2", 7, 0, EBX, 8, State::None},
    {"clflushopt", 7, 0, EBX, 23, State::None},
    {"clwb", 7, 0, EBX, 24, State::None},
    {"clzero", 0x80000008, 0, EBX, 0, State::None},
    {"cmov", 1, 0, EDX, 15, State::None},
    {"crc32", 1, 0, ECX, 20, State::None},
    {"cx16", 1, 0, ECX, 13, State::None},
    {"cx8", 1, 0, EDX, 8, State::None},
    {"f16c", 1, 0, ECX, 29, State::AVX},
    {"fma", 1, 0, ECX, 12, State::AVX},
    {"fsgsbase", 7, 0, EBX, 0, State::None},
    {"fxsr", 1, 0, EDX, 24, State::None},
    {"gfni", 7, 0, ECX, 8, State::None},
    {"lzcnt", 0x80000001, 0, ECX, 5, State::None},
    {"mmx", 1, 0, EDX, 23, State::None},
    {"movbe", 1, 0, ECX, 22, State::None},
    {"movdir64b", 7, 0, ECX, 28, State::None},
    {"movdiri", 7, 0, ECX, 27, State::None},
    {"mwaitx", 0x80000001, 0, ECX, 29, State::None},
    {"pclmul", 1, 0, ECX, 1, State::None},
    {"popcnt", 1, 0, ECX, 23, State::None},
    {"prefetchi", 7, 1, EDX, 14, State::None},
    {"prfchw", 0x80000001, 0, ECX, 8, State::None},
    {"rdpid", 7, 0, ECX, 22, State::None},
    {"rdpru", 0x80000008, 0, EBX, 4, State::None},
    {"rdrnd", 1, 0, ECX, 30, State::None},
    {"rdseed", 7, 0, EBX, 18, State::None},
    {"sahf", 0x80000001, 0, ECX, 0, State::None},
    {"serialize", 7, 0, EDX, 14, State::None},
    {"sha", 7, 0, EBX, 29, State::None},
    {"sha512", 7, 1, EAX, 0, State::AVX},
    {"sse", 1, 0, EDX, 25, State::None},
    {"sse2", 1, 0, EDX, 26, State::None},
    {"sse3", 1, 0, ECX, 0, State::None},
    {"sse4.1", 1, 0, ECX, 19, State::None},
    {"sse4.2", 1, 0, ECX, 20, State::None},
    {"sse4a", 0x80000001, 0, ECX, 6, State::None},
    {"ssse3", 1, 0, ECX, 9, State::None},
    {"tbm", 0x80000001, 0, ECX, 21, State::None},
    {"vaes", 7, 0, ECX, 9, State::AVX},
    {"vpclmulqdq", 7, 0, ECX, 10, State::AVX},
    {"waitpkg", 7, 0, ECX, 5, State::None},
    {"x87", 1, 0, EDX, 0, State::None},
    {"xsave", 1, 0, ECX, 26, State::None},
    {"xsavec", 0xd, 1, EAX, 1, State::None},
    {"xsaveopt", 0xd, 1, EAX, 0, State::None},
    {"xsaves", 0xd, 1, EAX, 3, State::None},
};

/// CPU features that only system software uses. A variant may list them as required because its CPU
/// model has them, but its code runs without them.
constexpr const char *systemFeatures[] = {"cldemote", "enqcmd",  "invpcid", "pconfig",
                                          "pku",      "ptwrite", "sgx",     "shstk",
                                          "tsxldtrk", "uintr",   "wbnoinvd"};

} // namespace

/// Returns XCR0, the register states that the operating system saves.
static uint64_t readStates() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return 0;
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

/// Asks Linux to let this process use the registers of matrices, which it saves only on request
/// (Documentation/arch/x86/xstate.rst): of an older kernel, a filter of system calls, or a stack
/// for signals that is too small for them, the answer is no. All threads have it, also those that
/// run already.
static bool mayUseMatrices() {
  constexpr long requestPermission = 0x1023, tileData = 18;
  static const bool isPermitted = syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  return isPermitted;
}

static bool savesState(State state) {
  static const uint64_t states = readStates();
  auto all = [](uint64_t mask) { return (states & mask) == mask; };
  switch (state) {
  case State::None:
    return true;
  case State::AVX:
    return all(0x6);
  case State::AVX512:
    return all(0xe6);
  case State::AMX:
    return all(0x60006) && mayUseMatrices();
  }
  return false;
}

/// Returns whether the host has a feature; nothing if this runtime does not know it.
static std::optional<bool> hostHas(const std::string &name) {
  for (const Feature &feature : features) {
    if (name != feature.name)
      continue;
    unsigned reg[4];
    if (!__get_cpuid_count(feature.leaf, feature.subleaf, &reg[EAX], &reg[EBX], &reg[ECX],
                           &reg[EDX]))
      return false;
    return (reg[feature.reg] >> feature.bit & 1) && savesState(feature.state);
  }
  for (const char *ignored : systemFeatures)
    if (name == ignored)
      return true;
  return std::nullopt;
}

static constexpr char hostArchitecture[] = "x86_64";
#elif defined(__aarch64__)
static std::optional<bool> hostHas(const std::string &) { return std::nullopt; }
static constexpr char hostArchitecture[] = "aarch64";
#else
#error "no host check for this architecture yet"
#endif

static void append(std::string &list, const std::string &item) {
  list += list.empty() ? item : ", " + item;
}

/// Returns the names in the environment variable TSSA_CPU_FEATURES, such as `-avx512bf16,-avx512f`:
/// features that count as missing. Fails for names without a minus.
static Status readMasked(std::set<std::string> &masked) {
  const char *text = std::getenv("TSSA_CPU_FEATURES");
  std::istringstream names(text ? text : "");
  for (std::string name; std::getline(names, name, ',');) {
    if (name.size() < 2 || name[0] != '-')
      return makeError(TSSA_INVALID_ARGUMENT, "TSSA_CPU_FEATURES: expected names such as "
                                              "-avx512bf16, with commas, got '" +
                                                  printable(name) + "'");
    masked.insert(name.substr(1));
  }
  return Status::success();
}

Status tssa::runtime::checkCPU(const std::string &what, const std::string &cpu,
                               const std::vector<std::string> &features) {
  std::set<std::string> masked;
  if (Status status = readMasked(masked); !status.ok())
    return status;
  std::string missing, unknown;
  for (const std::string &name : features) {
    std::optional<bool> has = hostHas(name);
    if (!has)
      append(unknown, name);
    else if (!*has || masked.count(name))
      append(missing, name);
  }
  if (!missing.empty())
    return makeError(TSSA_INCOMPATIBLE,
                     "the " + what + " is for CPU '" + cpu + "'; this CPU lacks " + missing);
  if (!unknown.empty())
    return makeError(TSSA_INCOMPATIBLE,
                     "the " + what + " needs CPU features this runtime cannot check: " + unknown);
  return Status::success();
}

Status tssa::runtime::checkHost(const Manifest &manifest, const Variant &variant) {
  if (manifest.abiVersion > TSSA_ABI_VERSION || manifest.abiVersion == 0)
    return makeError(TSSA_INCOMPATIBLE,
                     "the program (made by " + manifest.toolBuild + ") needs runtime ABI " +
                         std::to_string(manifest.abiVersion) + ", this runtime has ABI " +
                         std::to_string(TSSA_ABI_VERSION));
  const std::string &triple = variant.triple;
  std::string architecture = triple.substr(0, triple.find('-'));
  if (architecture != hostArchitecture || triple.find("linux") == std::string::npos)
    return makeError(TSSA_INCOMPATIBLE, "the program is for '" + triple + "', this machine is " +
                                            hostArchitecture + " linux");
  return checkCPU("program", variant.cpu, variant.cpuFeatures);
}
