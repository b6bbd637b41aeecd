import Glibc

/// The memory of `own` results and arguments, which changes hands between the host and its plugins.
enum HostMemory {
  static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    size > 0 ? malloc(size) : nil
  }

  static func free(_ memory: UnsafeMutableRawPointer?) {
    Glibc.free(memory)
  }
}
