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
    for number in 0..<100 as Range<UInt8> {
      let other = pool.block(of: [UInt8](repeating: number, count: SharedBytes.threshold))
      #expect(other != nil && other !== block)
      // The entries: of the kept block, and of the latest one.
      #expect(pool.count <= 2)
    }
    #expect(pool.block(of: bytes) === block)
  }
}
