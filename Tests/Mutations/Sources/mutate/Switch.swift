/// The files added to the mirrored package: the switches.
enum Switch {
  /// Returns the files, for switches up to a number.
  static func files(last: Int) -> [String: String] {
    [
      "Sources/CPlatform/include/mutation.h": header,
      "Sources/CPlatform/mutation.c": "#define MUTATIONS \(last + 1)\n" + source,
    ]
  }

  /// Returns the end of the manifest, which removes the targets that the product does not need, and disables warnings.
  static func manifest(of product: Product, _ judges: [String]?) -> String {
    """

    \(selection(product))
    \(product == .bundle ? judges.map(targets) ?? "" : "")
    for target in package.targets where target.type != .system {
      target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-suppress-warnings"])]
    }

    """
  }

  private static func selection(_ product: Product) -> String {
    if product == .interleavings {
      return """
        package.products = []
        package.dependencies = []
        package.targets.removeAll { !["CCoroutines", "CPlatform", "CRaces", "EngineInterleavings"].contains($0.name) }
        """
    }
    return "package.targets.removeAll { $0.name == \"EngineInterleavings\" }"
  }

  /// Returns code that keeps the targets of the tests, and those that they depend on.
  private static func targets(of tests: [String]) -> String {
    let names = Set(tests.map { String($0.prefix { $0 != "." }) }).sorted()
    return """
      var needed = Set(\(names))
      for _ in package.targets {
        for target in package.targets where needed.contains(target.name) {
          for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): needed.insert(name)
            default: break
            }
          }
        }
      }
      package.products = []
      package.targets.removeAll { !needed.contains($0.name) }
      """
  }

  /// The header of the switches. It includes nothing, because it precedes macros that a file defines for the system's
  /// headers.
  private static let header = """
    #ifndef MUTATION_H
    #define MUTATION_H
    #ifdef __cplusplus
    extern "C" {
    #define MUTATION_BOOL bool
    #else
    #define MUTATION_BOOL _Bool
    #endif
    extern unsigned mutation_active;
    extern unsigned char *mutation_reached;
    /* Whether a mutation is switched on. Notes that it was reached. */
    static inline MUTATION_BOOL mutation_on(unsigned number) {
      __atomic_store_n(&mutation_reached[number], 1, __ATOMIC_RELAXED);
      return mutation_active == number;
    }
    static inline MUTATION_BOOL mutation_flip(unsigned number, MUTATION_BOOL condition) {
      return mutation_on(number) != condition;
    }
    #ifdef __cplusplus
    }
    #endif
    #endif

    """

  /// The source of the switches. MUTATION is the number of the active mutation. MUTATION_REACHED is a file with a byte
  /// for each mutation: the bytes of those that were reached become 1, in child processes too, and however the process
  /// ends.
  private static let source = """
    #include "mutation.h"
    #include <fcntl.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <unistd.h>

    static unsigned char mutation_nowhere[MUTATIONS];
    unsigned mutation_active = 0;
    unsigned char *mutation_reached = mutation_nowhere;

    __attribute__((constructor(101))) static void mutation_begin(void) {
      const char *number = getenv("MUTATION");
      if (number) mutation_active = (unsigned)atoi(number);
      const char *path = getenv("MUTATION_REACHED");
      int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
      if (file < 0) return;
      void *shared = mmap(0, MUTATIONS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (shared != MAP_FAILED) mutation_reached = shared;
      close(file);
    }

    """
}
