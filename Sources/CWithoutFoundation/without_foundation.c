#include "without_foundation.h"

/* In debug builds the library is a shared one, which tests use too. */
#ifdef PLUGIN_HOST_RELEASE
#include <stdlib.h>

_Noreturn void without_foundation(void);

_Noreturn void without_foundation(void) {
  abort();
}

#define ABSENT(name, symbol) void name(void) __asm__(symbol) __attribute__((alias("without_foundation")))

ABSENT(encoder_class, "$s20FoundationEssentials11JSONEncoderCMa");
ABSENT(encoder_new, "$s20FoundationEssentials11JSONEncoderCACycfc");
ABSENT(sorted_keys, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV10sortedKeysAEvau");
ABSENT(pretty_printed, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV13prettyPrintedAEvau");
ABSENT(string_of_data, "$sSS20FoundationEssentialsE4data8encodingSSSgAA4DataVh_SSAAE8EncodingVtcfC");
ABSENT(utf8, "$sSS20FoundationEssentialsE8EncodingV4utf8ACvau");

/* The descriptor of a protocol without a parent and requirements: flags, parent, name, counts of the signature and of
 * the requirements, names of associated types. The offsets are relative. */
__asm__(".pushsection .rodata.localized_error,\"a\",@progbits\n"
        ".p2align 2\n"
        ".globl \"$s20FoundationEssentials14LocalizedErrorMp\"\n"
        "\"$s20FoundationEssentials14LocalizedErrorMp\":\n"
        ".long 0x10043\n"
        ".long 0\n"
        ".long 1f - .\n"
        ".long 0\n"
        ".long 0\n"
        ".long 0\n"
        "1: .asciz \"LocalizedError\"\n"
        ".popsection\n");
#endif
