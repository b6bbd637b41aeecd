import CPlatform
import Synchronization

/// Memory that is never freed: names and methods of types. The blocks form a list rooted in a global variable, so that
/// leak checkers reach them; they do not scan the slab.
///
///   [ next | 8 bytes of padding | the caller's bytes ]
enum Permanent {
  private static var header: Int { 16 }
  private static let last = Atomic<UInt>(0)

  /// Allocates memory that is not in the list yet; nil when memory has run out.
  static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    guard let block = unsafe malloc(header + size) else { return nil }
    return unsafe block + header
  }

  /// Frees memory that is not in the list.
  static func free(_ memory: UnsafeMutableRawPointer) { unsafe platform_free(memory - header) }

  /// Adds memory to the list.
  static func keep(_ memory: UnsafeMutableRawPointer) {
    let block = unsafe memory - header
    var next = last.load(ordering: .relaxed)
    while true {
      unsafe block.storeBytes(of: next, as: UInt.self)
      // Relaxed, because no thread follows the list; leak checkers stop all threads first.
      let (exchanged, original) = last.weakCompareExchange(
        expected: next, desired: UInt(bitPattern: block), ordering: .relaxed)
      if exchanged { return }
      next = original
    }
  }
}
