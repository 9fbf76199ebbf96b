# SPDX-License-Identifier: Apache-2.0
# The compile policy of every SunLoCo target, in one INTERFACE target: link `sunloco_policy` PRIVATE.
add_library(sunloco_policy INTERFACE)
target_compile_options(sunloco_policy INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wold-style-cast;-Woverloaded-virtual;-Wnon-virtual-dtor;-Wcast-align;-Werror=switch>
  # GCC 12 reports overlaps inside std::string that are not there (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  # Hardening: stack protector, control-flow protection, fortified libc, bounds-checked operator[] of the standard library.
  $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong;-fstack-clash-protection>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(sunloco_policy INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fcf-protection>)
endif()
target_compile_definitions(sunloco_policy INTERFACE _GLIBCXX_ASSERTIONS
  $<$<AND:$<NOT:$<CONFIG:Debug>>,$<STREQUAL:${SUNLOCO_SANITIZE},>>:_FORTIFY_SOURCE=2>)
target_link_options(sunloco_policy INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
target_include_directories(sunloco_policy INTERFACE ${CMAKE_SOURCE_DIR})
if(SUNLOCO_SANITIZE)
  list(JOIN SUNLOCO_SANITIZE "," _sanitizers)
  target_compile_options(sunloco_policy INTERFACE -fsanitize=${_sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(sunloco_policy INTERFACE -fsanitize=${_sanitizers})
endif()

# Targets with Qt add these: no implicit conversions between bytes and text, no keyword macros (they break other headers).
add_library(sunloco_qt_policy INTERFACE)
target_compile_definitions(sunloco_qt_policy INTERFACE
  QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_CAST_FROM_BYTEARRAY QT_NO_URL_CAST_FROM_STRING
  QT_NO_FOREACH QT_NO_NARROWING_CONVERSIONS_IN_CONNECT QT_USE_QSTRINGBUILDER QT_MESSAGELOGCONTEXT
  QT_NO_CONTEXTLESS_CONNECT QT_DISABLE_DEPRECATED_BEFORE=0x060400)

# What two machines must agree on bit for bit: never fuse a multiply with an add (DESIGN section 8).
add_library(sunloco_same_bits INTERFACE)
target_compile_options(sunloco_same_bits INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-fno-fast-math>)
