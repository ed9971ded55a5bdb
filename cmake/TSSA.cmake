# Helpers for the rooms' CMakeLists: one call per library, tool or test.

find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${LLVM_DEFINITIONS_LIST})
find_package(Threads REQUIRED)

find_program(TSSA_CCACHE ccache)
if(TSSA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${TSSA_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TSSA_CCACHE})
endif()

# The cache of kernels tells builds of the compiler apart by their ids.
add_link_options(-Wl,--build-id=sha1)
add_compile_options(-Wall -Wextra -Wno-unused-parameter -fvisibility=hidden)
if(NOT TSSA_ASSERTIONS)
  add_compile_definitions($<$<COMPILE_LANGUAGE:C,CXX>:NDEBUG>)
else()
  # LLVM's statistics have other members without NDEBUG: its headers must find them as
  # they were when Debian built it.
  add_compile_options(-UNDEBUG "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/assertions/Statistic.h>")
endif()
if(TSSA_SANITIZE)
  # Left out: what needs the whole of LLVM to be instrumented, and checks of every
  # pointer, which AddressSanitizer sees fail anyway and which double the code.
  add_compile_options(-fsanitize=${TSSA_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize=vptr,function,null,pointer-overflow,object-size
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TSSA_SANITIZE})
endif()
if(TSSA_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# tssa_sanitized(TARGET)
#   What every program needs when it is built with sanitizers.
function(tssa_sanitized name)
  if(TARGET tssa_sanitizer_options)
    target_link_libraries(${name} PRIVATE tssa_sanitizer_options)
  endif()
endfunction()
if(TSSA_SANITIZE MATCHES "address")
  add_library(tssa_sanitizer_options OBJECT ${PROJECT_SOURCE_DIR}/cmake/sanitizers/Options.cpp)
endif()

# Parsing MLIR's headers, and making code of their templates, is most of a build: it is done
# once. The preset dev does without, so that each file is known to include what it uses.
option(TSSA_PRECOMPILE "Precompile MLIR's headers" ON)
if(TSSA_PRECOMPILE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CMAKE_CXX_COMPILER_LAUNCHER})
  add_library(tssa_headers OBJECT ${PROJECT_SOURCE_DIR}/cmake/headers/Headers.cpp)
  target_include_directories(tssa_headers SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_options(tssa_headers PUBLIC "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(tssa_headers PRIVATE
    <mlir/Dialect/Affine/IR/AffineOps.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/GPU/IR/GPUDialect.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/LLVMIR/NVVMDialect.h>
    <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/IR/Matchers.h>
    <mlir/IR/PatternMatch.h>
    <mlir/Pass/Pass.h>
    <mlir/Pass/PassManager.h>
    <mlir/Transforms/GreedyPatternRewriteDriver.h>)
endif()

# tssa_precompiled(TARGET)
#   The precompiled headers, for a target that uses MLIR. They are position-independent, so
#   programs are too.
function(tssa_precompiled name)
  if(TSSA_PRECOMPILE)
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp" -fPIC)
    target_precompile_headers(${name} REUSE_FROM tssa_headers)
  endif()
endfunction()

# tssa_library(NAME SOURCES... [LINK lib...] [DEPENDS target...])
#   A static library that uses MLIR and LLVM through their shared libraries.
function(tssa_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  tssa_precompiled(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tssa_passes(TARGET ROOM NAME)
#   "tssa/ROOM/Passes.h.inc" from include/tssa/ROOM/Passes.td, with `registerNAMEPasses`.
function(tssa_passes target room name)
  set(LLVM_TARGET_DEFINITIONS ${PROJECT_SOURCE_DIR}/include/tssa/${room}/Passes.td)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tssa/${room})
  file(RELATIVE_PATH folder ${CMAKE_CURRENT_BINARY_DIR} ${PROJECT_BINARY_DIR}/tssa/${room})
  mlir_tablegen(${folder}/Passes.h.inc -gen-pass-decls -name=${name})
  add_public_tablegen_target(${target})
endfunction()

# tssa_plain_library(NAME SOURCES... [LINK lib...])
#   A static library without MLIR: the runtime's side of the house, and the search.
function(tssa_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# tssa_tool(NAME SOURCES... [LINK lib...] [PLAIN] [USERS])
#   A program in bin, installed where it was built, and built before check-tssa runs. PLAIN is
#   one without MLIR. USERS is one for users, which cmake/install installs; others are for those
#   who develop the compiler and belong to the component `developer`.
function(tssa_tool name)
  cmake_parse_arguments(ARG "PLAIN;USERS" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  tssa_sanitized(${name})
  if(NOT ARG_PLAIN)
    tssa_precompiled(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY TSSA_TEST_TARGETS ${name})
  if(NOT ARG_USERS)
    install(TARGETS ${name} OPTIONAL COMPONENT developer)
  endif()
endfunction()

# tssa_pages(NAME COMPONENT...)
#   The man page of a tool and its completions for bash and zsh, which the tool itself writes when
#   it has been built; installed where the tool was built. Tools with sanitizers are not installed.
function(tssa_pages name)
  if(TSSA_SANITIZE)
    return()
  endif()
  set(share ${PROJECT_BINARY_DIR}/share)
  set(place_man man/man1)
  set(place_bash bash-completion/completions)
  set(place_zsh zsh/site-functions)
  set(file_man ${name}.1)
  set(file_bash ${name})
  set(file_zsh _${name})
  foreach(kind man bash zsh)
    set(file ${share}/${place_${kind}}/${file_${kind}})
    file(MAKE_DIRECTORY ${share}/${place_${kind}})
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${name} --print-options=${kind} > ${file} VERBATIM)
    foreach(component ${ARGN})
      set(all)
      if(component STREQUAL static-tools)
        set(all EXCLUDE_FROM_ALL)
      endif()
      install(FILES ${file} DESTINATION share/${place_${kind}} OPTIONAL COMPONENT ${component} ${all})
    endforeach()
  endforeach()
endfunction()

# tssa_test_program(NAME SOURCES... [LINK lib...])
#   A program of the tests, which uses MLIR; built before check-tssa runs.
function(tssa_test_program name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  tssa_sanitized(${name})
  tssa_precompiled(${name})
  set_property(GLOBAL APPEND PROPERTY TSSA_TEST_TARGETS ${name})
endfunction()

# tssa_unit_test(NAME SOURCES... [LINK lib...] [DEPENDS target...] [PLAIN])
#   A GoogleTest program in the build folder's unit; scripts/test runs them all. PLAIN is one
#   without MLIR.
function(tssa_unit_test name)
  cmake_parse_arguments(ARG "PLAIN" "" "LINK;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  tssa_sanitized(${name})
  if(NOT ARG_PLAIN)
    tssa_precompiled(${name})
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unit)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY TSSA_UNIT_TESTS ${name})
  set_property(GLOBAL APPEND PROPERTY TSSA_TEST_TARGETS ${name})
endfunction()

# tssa_fuzzer(NAME SOURCES... [LINK lib...])
#   A libFuzzer program in the build folder's fuzz; built where TSSA_FUZZ is on.
function(tssa_fuzzer name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  tssa_sanitized(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endfunction()
