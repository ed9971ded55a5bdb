# cpack -G DEB: Debian packages of the components of cmake --install.
#   libtssart0     runtime
#   libtssart-dev  dev
#   tssa           static-tools

set(CPACK_PACKAGE_NAME tssa)
set(CPACK_PACKAGE_VENDOR TSSA)
set(CPACK_PACKAGE_CONTACT "TSSA <tssa@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Deep-learning compiler for CPUs and NVIDIA GPUs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_COMPONENTS_ALL runtime dev static-tools)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libtssart${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.34), libgcc-s1, libstdc++6 (>= 12)")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Library that loads and runs models compiled by tssa-compile.")
# ldconfig runs after installing and after removing.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libtssart-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libtssart${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS tssa)
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers of libtssart, tssart.pc, and the CMake package TSSA.")

set(CPACK_DEBIAN_STATIC-TOOLS_PACKAGE_NAME tssa)
set(CPACK_DEBIAN_STATIC-TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_STATIC-TOOLS_PACKAGE_DEPENDS "libc6 (>= 2.34), libgcc-s1, libstdc++6 (>= 12), zlib1g")
set(CPACK_DEBIAN_STATIC-TOOLS_PACKAGE_RECOMMENDS libxgboost0) # loaded by tssa-tune if it is there
set(CPACK_COMPONENT_STATIC-TOOLS_DESCRIPTION
    "tssa-compile, which turns ONNX models into shared objects, tssa-run, which runs them, and tssa-tune, which makes them faster.")
include(CPack)
