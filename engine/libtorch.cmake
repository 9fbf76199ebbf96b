# SPDX-License-Identifier: Apache-2.0
# LibTorch as imported targets. The wheel's own TorchConfig.cmake demands a CUDA toolkit even for CPU programs, so it is not used.
#
# Where it is looked for, in this order:
#   1. -DSUNLOCO_LIBTORCH_DIR=DIR   an unzipped wheel (DIR/torch), a LibTorch zip (DIR/lib, DIR/include) or a distribution's prefix (/usr)
#   2. $SUNLOCO_DEPS/libtorch-<version>-<system>-<processor>, default ~/.cache/sunloco/deps: what installer/setup.sh puts there
#
# Result (visible in every folder):
#   SUNLOCO_LIBTORCH_FOUND        ON or OFF; OFF leaves out sunloco-worker and nothing else
#   SUNLOCO_LIBTORCH_VERSION      for example 2.15.0
#   SUNLOCO_LIBTORCH_LIB_DIR      folder of libtorch_cpu.so
#   SUNLOCO_LIBTORCH_CUDA_LIB     libtorch_cuda.so, or empty; only the module engine_cuda may link it (target libtorch_cuda)
#   SUNLOCO_LIBTORCH_CUDA_INCLUDE CUDA headers that lie beside the wheel, or empty
#   libtorch                      headers (as SYSTEM) and libtorch_cpu + libc10
#   libtorch_openmp               add it where at::parallel_for is used: without -fopenmp in that file it silently runs serially
#   libtorch_cuda                 libtorch + libtorch_cuda + libc10_cuda, only when SUNLOCO_LIBTORCH_CUDA_LIB is set
include_guard(GLOBAL)

set(SUNLOCO_LIBTORCH_PINNED 2.15.0)
set(SUNLOCO_LIBTORCH_DIR "" CACHE PATH "LibTorch: unzipped wheel, LibTorch zip or prefix; empty: the folder filled by installer/setup.sh")

function(_sunloco_find_libtorch)
  foreach(result FOUND VERSION LIB_DIR INCLUDE_DIR CUDA_LIB CUDA_INCLUDE)
    set(SUNLOCO_LIBTORCH_${result} "" CACHE INTERNAL "")
  endforeach()
  set(SUNLOCO_LIBTORCH_FOUND OFF CACHE INTERNAL "")

  if(SUNLOCO_LIBTORCH_DIR)
    set(root "${SUNLOCO_LIBTORCH_DIR}")
  else()
    if(DEFINED ENV{SUNLOCO_DEPS} AND NOT "$ENV{SUNLOCO_DEPS}" STREQUAL "")
      set(deps "$ENV{SUNLOCO_DEPS}")
    else()
      set(deps "$ENV{HOME}/.cache/sunloco/deps")
    endif()
    string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" platform)
    set(root "${deps}/libtorch-${SUNLOCO_LIBTORCH_PINNED}-${platform}")
  endif()

  set(cpu_name "${CMAKE_SHARED_LIBRARY_PREFIX}torch_cpu${CMAKE_SHARED_LIBRARY_SUFFIX}")
  set(lib_dir "")
  foreach(candidate torch/lib lib lib/${CMAKE_LIBRARY_ARCHITECTURE} lib64)
    if(EXISTS "${root}/${candidate}/${cpu_name}")
      set(lib_dir "${root}/${candidate}")
      break()
    endif()
  endforeach()
  set(include_dir "")
  foreach(candidate torch/include include)
    if(EXISTS "${root}/${candidate}/ATen/core/Tensor.h")
      set(include_dir "${root}/${candidate}")
      break()
    endif()
  endforeach()
  if(NOT lib_dir OR NOT include_dir)
    if(SUNLOCO_LIBTORCH_DIR)
      message(WARNING "LibTorch not found: ${root} (SUNLOCO_LIBTORCH_DIR) has no torch/lib/${cpu_name} or lib/${cpu_name} with headers "
        "beside it. sunloco-worker is left out. Give the folder that holds 'torch/', or 'lib/' and 'include/'.")
    else()
      message(STATUS "LibTorch not found in ${root}: sunloco-worker is left out. installer/setup.sh fetches it, or pass -DSUNLOCO_LIBTORCH_DIR=")
    endif()
    return()
  endif()

  set(version "unknown")
  foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(EXISTS "${include_dir}/${header}")
      file(STRINGS "${include_dir}/${header}" parts REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
      list(TRANSFORM parts REPLACE "[^0-9]" "")
      list(LENGTH parts count)
      if(count EQUAL 3)
        list(JOIN parts "." version)
        break()
      endif()
    endif()
  endforeach()
  if(NOT version STREQUAL SUNLOCO_LIBTORCH_PINNED)
    message(STATUS "LibTorch ${version} in ${root}: SunLoCo is tested with ${SUNLOCO_LIBTORCH_PINNED}")
  endif()

  set(cuda_lib "")
  if(EXISTS "${lib_dir}/${CMAKE_SHARED_LIBRARY_PREFIX}torch_cuda${CMAKE_SHARED_LIBRARY_SUFFIX}")
    set(cuda_lib "${lib_dir}/${CMAKE_SHARED_LIBRARY_PREFIX}torch_cuda${CMAKE_SHARED_LIBRARY_SUFFIX}")
  endif()
  set(cuda_include "")
  file(GLOB cuda_headers LIST_DIRECTORIES FALSE "${root}/nvidia/*/include/cuda_runtime_api.h")
  if(cuda_headers)
    list(GET cuda_headers 0 first)
    get_filename_component(cuda_include "${first}" DIRECTORY)
  endif()

  set(SUNLOCO_LIBTORCH_FOUND ON CACHE INTERNAL "")
  set(SUNLOCO_LIBTORCH_VERSION "${version}" CACHE INTERNAL "")
  set(SUNLOCO_LIBTORCH_LIB_DIR "${lib_dir}" CACHE INTERNAL "")
  set(SUNLOCO_LIBTORCH_INCLUDE_DIR "${include_dir}" CACHE INTERNAL "")
  set(SUNLOCO_LIBTORCH_CUDA_LIB "${cuda_lib}" CACHE INTERNAL "")
  set(SUNLOCO_LIBTORCH_CUDA_INCLUDE "${cuda_include}" CACHE INTERNAL "")

  # libtorch_cpu.so of the wheel needs libcudart and libcupti (no driver): they lie in nvidia/<toolkit>/lib beside torch/.
  set(extra_lib_dirs "")
  file(GLOB nvidia_libs LIST_DIRECTORIES FALSE "${root}/nvidia/*/lib/libcudart.so*")
  foreach(library IN LISTS nvidia_libs)
    get_filename_component(directory "${library}" DIRECTORY)
    list(APPEND extra_lib_dirs "${directory}")
  endforeach()
  list(REMOVE_DUPLICATES extra_lib_dirs)

  foreach(name c10 torch_cpu)
    add_library(libtorch_${name}_so SHARED IMPORTED GLOBAL)
    set_target_properties(libtorch_${name}_so PROPERTIES
      IMPORTED_LOCATION "${lib_dir}/${CMAKE_SHARED_LIBRARY_PREFIX}${name}${CMAKE_SHARED_LIBRARY_SUFFIX}"
      IMPORTED_NO_SONAME OFF)
  endforeach()
  add_library(libtorch INTERFACE IMPORTED GLOBAL)
  target_include_directories(libtorch SYSTEM INTERFACE "${include_dir}" "${include_dir}/torch/csrc/api/include")
  # Operators register themselves when libtorch_cpu is loaded; --as-needed must not drop it from a program that calls few symbols.
  target_link_libraries(libtorch INTERFACE
    -Wl,--push-state,--no-as-needed libtorch_torch_cpu_so libtorch_c10_so -Wl,--pop-state)
  # Only for the linker: CMake itself puts lib_dir into the run path of the build tree and takes it out again on install, and
  # libtorch_cpu.so finds libcudart and libcupti by its own run path ($ORIGIN).
  foreach(directory IN LISTS lib_dir extra_lib_dirs)
    target_link_options(libtorch INTERFACE "LINKER:-rpath-link,${directory}")
  endforeach()

  add_library(libtorch_openmp INTERFACE IMPORTED GLOBAL)
  target_compile_options(libtorch_openmp INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fopenmp>)
  # LibTorch's own OpenMP runtime when it brings one: two runtimes in one process fight over the cores.
  file(GLOB openmp_runtime LIST_DIRECTORIES FALSE "${lib_dir}/libgomp*.so*")
  if(openmp_runtime)
    list(GET openmp_runtime 0 first)
    target_link_libraries(libtorch_openmp INTERFACE "${first}")
  else()
    target_link_options(libtorch_openmp INTERFACE -fopenmp)
  endif()

  if(cuda_lib)
    add_library(libtorch_cuda INTERFACE IMPORTED GLOBAL)
    # Its own needs (cuDNN, NCCL, ...) are resolved when the module is loaded, not when it is linked.
    target_link_libraries(libtorch_cuda INTERFACE libtorch "${cuda_lib}" "${lib_dir}/libc10_cuda.so")
    target_link_options(libtorch_cuda INTERFACE LINKER:--allow-shlib-undefined)
    if(cuda_include)
      target_include_directories(libtorch_cuda SYSTEM INTERFACE "${cuda_include}")
    endif()
  endif()
  message(STATUS "LibTorch ${version}: ${root}")
endfunction()

_sunloco_find_libtorch()
