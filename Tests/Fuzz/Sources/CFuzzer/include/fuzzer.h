/* fuzzer.h - libFuzzer as a library, for a program that has its own main function. */
#ifndef FUZZ_FUZZER_H
#define FUZZ_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/* Runs the fuzzer with the command line's options; returns the exit status. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

#endif
