# tssa_add_model(NAME MODEL [TUNED dir] [OPTIONS option...] [DESTINATION dir])
#   A target that compiles MODEL, an .onnx or .mlir file, to NAME.so in the
#   build folder whenever the model changes, or a file beside it that holds its
#   weights; its property TSSA_FILE is that file. With DESTINATION it is installed
#   there.
#   TUNED is a folder of records, as for --tuned: the model is compiled again
#   when one of them changes.
function(tssa_add_model name model)
  cmake_parse_arguments(ARG "" "TUNED;DESTINATION" "OPTIONS" ${ARGN})
  if(NOT TARGET TSSA::tssa-compile)
    message(FATAL_ERROR "tssa_add_model needs tssa-compile, which is not installed beside libtssart")
  endif()
  get_filename_component(source ${model} ABSOLUTE)
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/${name}.so)
  set(records)
  if(ARG_TUNED)
    get_filename_component(tuned ${ARG_TUNED} ABSOLUTE)
    file(GLOB records CONFIGURE_DEPENDS ${tuned}/records/*.mlir ${tuned}/ends/*.mlir
         ${tuned}/sizes/*.mlir)
    list(APPEND ARG_OPTIONS --tuned=${tuned})
  endif()
  add_custom_command(
    OUTPUT ${binary}
    COMMAND TSSA::tssa-compile ${source} -o ${binary} --depfile=${binary}.d ${ARG_OPTIONS}
    DEPFILE ${binary}.d
    DEPENDS ${source} ${records} TSSA::tssa-compile
    COMMENT "Compiling ${model}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${binary})
  set_target_properties(${name} PROPERTIES TSSA_FILE ${binary})
  if(ARG_DESTINATION)
    install(FILES ${binary} DESTINATION ${ARG_DESTINATION})
  endif()
endfunction()
