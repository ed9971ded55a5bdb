# cmake -DINPUT=file -DOUTPUT=file.cpp -DFUNCTION=name -P Embed.cmake
#   Writes a function that returns the bytes of INPUT.

file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
  "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"tssa/Externs/Externs.h\"

static const unsigned char bytes[] = {
${bytes}
};

std::string_view tssa::${FUNCTION}() {
  return {reinterpret_cast<const char *>(bytes), sizeof(bytes)};
}
")
