//===- KernelCache.cpp - machine code of kernels, kept --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCache.h"
#include "dialects/te/IR/Program.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tssa/Pipeline/Schedules.h"
#include "tssa/Runtime/Cache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <elf.h>
#include <link.h>

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

//===----------------------------------------------------------------------===//
// The build
//===----------------------------------------------------------------------===//

/// Appends the build id of a program or library that is loaded: the GNU note of its linker.
static int addBuildId(dl_phdr_info *info, size_t, void *text) {
  for (const ElfW(Phdr) &header : ArrayRef(info->dlpi_phdr, info->dlpi_phnum)) {
    if (header.p_type != PT_NOTE)
      continue;
    StringRef notes(reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr),
                    header.p_memsz);
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, notes.data(), sizeof(note));
      size_t name = sizeof(note), content = name + llvm::alignTo<4>(note.n_namesz);
      size_t end = content + llvm::alignTo<4>(note.n_descsz);
      if (end > notes.size())
        break;
      if (note.n_type == NT_GNU_BUILD_ID && notes.substr(name, 4) == StringRef("GNU", 4))
        *static_cast<std::string *>(text) +=
            llvm::toHex(notes.substr(content, note.n_descsz)) + ' ';
      notes = notes.drop_front(end);
    }
  }
  return 0;
}

/// Returns the build ids of this program and of all its libraries, such as LLVM.
static std::string getBuild() {
  std::string text;
  ::dl_iterate_phdr(addBuildId, &text);
  return text;
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

KernelCache::KernelCache(const CompileOptions &options, const cpu::Machine &machine)
    : options(options) {
  llvm::raw_string_ostream stream(common);
  stream << getToolBuild() << '\n' << getBuild() << '\n';
  stream << machine.triple << ' ' << machine.cpu << ' ' << machine.vectorBytes << ' '
         << machine.getFeatureString() << '\n';
  stream << "emulates atoms " << machine.emulatesAtoms << '\n';
  stream << "sanitize " << options.sanitize << '\n';
}

std::string KernelCache::computeKey(te::KernelOp kernel) const {
  llvm::SHA256 sha;
  sha.update(common);
  sha.update(getKernelText(kernel));
  return llvm::toHex(sha.final(), /*LowerCase=*/true);
}

std::string KernelCache::getPath(StringRef key) const {
  SmallString<128> path(options.cacheDir);
  llvm::sys::path::append(path, key + ".kernel");
  return std::string(path);
}

/// Whether the text of the kernel says all. Large constants are not in the text.
static bool isWhole(te::KernelOp kernel) {
  bool found = false;
  kernel->walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk([&](DenseResourceElementsAttr) { found = true; });
  });
  return !found;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

void KernelCache::find(ModuleOp module, cpu::ProgramOptions &program) {
  for (auto kernel : module.getOps<te::KernelOp>()) {
    if (!isWhole(kernel))
      continue;
    std::string key = computeKey(kernel);
    std::string body = (kernel.getSymName() + ".body").str();
    program.keys[body] = key;
    if (options.cacheDir.empty())
      continue;
    std::string object;
    if (!runtime::readCacheEntry(getPath(key), key, object).ok())
      continue; // there is none, or it is damaged: it will be made
    runtime::touchCacheFile(getPath(key));
    program.objects[key] = std::move(object);
    te::setCompiled(kernel);
  }
}

void KernelCache::store(ArrayRef<cpu::Object> objects) const {
  if (options.cacheDir.empty())
    return;
  std::string last;
  for (const cpu::Object &object : objects)
    if (object.isNew && !object.key.empty() &&
        runtime::writeCacheEntry(getPath(object.key), object.key, object.bytes).ok())
      last = getPath(object.key);
  if (!last.empty())
    runtime::evictCacheFiles(last, options.cacheLimit);
}

} // namespace tssa
