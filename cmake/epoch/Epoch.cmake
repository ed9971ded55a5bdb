# Writes the header OUTPUT, unless it is there already: a hash of the files that the file LIST names,
# relative to the folder ROOT, and of the version LLVM. Run with cmake -P.
file(STRINGS ${LIST} names)
list(SORT names)
set(text "LLVM ${LLVM}\n")
foreach(name IN LISTS names)
  file(SHA256 ${ROOT}/${name} hash)
  string(APPEND text "${hash} ${name}\n")
endforeach()
string(SHA256 epoch "${text}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define TSSA_EPOCH \"${epoch}\"\n")
