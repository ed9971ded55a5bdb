# tssa_add_model(NAME MODEL [OPTIONS option...])
#   A target that compiles MODEL, an .onnx or .mlir file, to NAME.so in the
#   build folder whenever the model changes; its property TSSA_FILE is that file.
function(tssa_add_model name model)
  cmake_parse_arguments(ARG "" "" "OPTIONS" ${ARGN})
  get_filename_component(source ${model} ABSOLUTE)
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/${name}.so)
  add_custom_command(
    OUTPUT ${binary}
    COMMAND TSSA::tssa-compile ${source} -o ${binary} ${ARG_OPTIONS}
    DEPENDS ${source} TSSA::tssa-compile
    COMMENT "Compiling ${model}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${binary})
  set_target_properties(${name} PROPERTIES TSSA_FILE ${binary})
endfunction()
