/* without_foundation.h - symbols of FoundationEssentials that swift-argument-parser refers to, for plugin-host.
 *
 * The package asks each error whether it is a LocalizedError, and encodes JSON for --experimental-dump-help. For that
 * the static library of FoundationEssentials, with ICU's collections and regular expressions behind it, was a quarter
 * of plugin-host. Here are the same symbols: a protocol to which nothing conforms, and functions that end the process.
 * plugin-host refuses the option before they are called. A version of the package that refers to more gets the whole
 * library again, and the linker reports symbols that are defined twice. */
#ifndef WITHOUT_FOUNDATION_H
#define WITHOUT_FOUNDATION_H
#endif
