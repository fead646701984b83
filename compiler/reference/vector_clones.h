#pragma once

/// Compiles a function once per vector instruction set, chosen when the program starts. Not under sanitizers, whose
/// run-time is not ready when such functions are resolved.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define ACCORD_VECTOR_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define ACCORD_VECTOR_CLONES
#endif

/// Where functions can be compiled for x86 instruction sets by name.
#if defined(__x86_64__) && defined(__GNUC__)
#define ACCORD_VECTOR_TARGETS
#endif
