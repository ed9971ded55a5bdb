//===- ForeignObject.cpp - routines that users compiled -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Import/ForeignObject.h"
#include "dialects/te/IR/Routines.h"
#include "tssa/Runtime/NearName.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tssa {

static constexpr StringRef routinePrefix = "tssa_extern_";

/// Returns whether every artifact defines a name, or its linker does.
static bool isAvailable(StringRef name) {
  static constexpr StringRef names[] = {"memcpy", "memmove", "memset", "_GLOBAL_OFFSET_TABLE_"};
  return is_contained(names, name);
}

/// Takes the routines of an object, and refuses what does not fit into an artifact.
static Error readSymbols(const object::ELFObjectFileBase &file, ForeignObject &result) {
  for (const object::ELFSymbolRef symbol : file.symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> given = symbol.getName();
    if (!flags || !given)
      return joinErrors(flags.takeError(), given.takeError());
    StringRef name = *given;
    std::string shown = "'" + runtime::printable(name) + "'";
    if (*flags & object::SymbolRef::SF_Undefined) {
      if (!name.empty() && !isAvailable(name))
        return createStringError("uses " + shown +
                                 ", which artifacts do not have: they import "
                                 "nothing, and offer memcpy, memmove, memset and tssa_host");
      continue;
    }
    if (!(*flags & object::SymbolRef::SF_Global) || !name.starts_with("tssa_"))
      continue;
    if (!name.consume_front(routinePrefix) || name.empty())
      return createStringError("defines " + shown + ", a name of artifacts");
    if (mlir::tssa::te::isLibraryRoutine(name))
      return createStringError("defines " + shown + ", a routine of the compiler");
    result.routines.push_back(name.str());
  }
  if (result.routines.empty())
    return createStringError("defines no routine: no global name begins with 'tssa_extern_'");
  return Error::success();
}

Expected<ForeignObject> readForeignObject(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError("cannot be read: " + buffer.getError().message());
  auto file = object::ObjectFile::createELFObjectFile((*buffer)->getMemBufferRef());
  auto *elf = file ? dyn_cast<object::ELFObjectFileBase>(file->get()) : nullptr;
  if (!elf || elf->getEMachine() != ELF::EM_X86_64 || elf->getEType() != ELF::ET_REL) {
    consumeError(file.takeError());
    return createStringError(
        "is no relocatable ELF file for x86-64, as a C compiler makes with -c");
  }
  ForeignObject result{path, (*buffer)->getBuffer().str(), {}};
  if (Error error = readSymbols(*elf, result))
    return std::move(error);
  return result;
}

} // namespace tssa
