import Testing

@testable import PluginRuntime

@Suite("Isolation: shared memory of a pool")
struct PoolMemoryTests {
  @Test("the same array has one block as long as the block is used, and blocks that are freed leave no entry")
  func blocks() throws {
    let pool = PoolMemory()
    let bytes = [UInt8](repeating: 1, count: SharedBytes.threshold)
    let block = try #require(pool.block(of: bytes))
    #expect(pool.block(of: bytes) === block)
    #expect(pool.block(of: Array(bytes.dropLast())) == nil)
    // Kept, so that each has an address of its own.
    let others = (0..<20).map { [UInt8](repeating: $0, count: SharedBytes.threshold) }
    for bytes in others {
      let other = pool.block(of: bytes)
      #expect(other != nil && other !== block)
      // The entries: of the kept block, and of the latest one.
      #expect(pool.count <= 2)
    }
    #expect(pool.block(of: bytes) === block)
    withExtendedLifetime(others) {}
  }
}
