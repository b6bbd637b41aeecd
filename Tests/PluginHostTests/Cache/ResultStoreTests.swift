import Foundation
import PluginRuntime
import PromisesTestSupport
import Synchronization
import Testing

@testable import plugin_host

@Suite struct ResultStoreTests {
  @Test("processes that make or upgrade a cache at once keep each other's results")
  func openedAtOnce() throws {
    for round in 0..<5 {
      let path = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)").path
      defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
      let old = try ResultStore(path: path)
      let writer = try Database(path: path)
      try writer.run("pragma user_version = 1")
      try writer.run("begin immediate")
      let failures = Mutex<[String]>([])
      onThreads(5) { index in
        do {
          if index == 4 {
            // The others read the version, and then wait for this transaction. No gate shows that they have read it.
            usleep(20_000)
            try writer.run("commit")
            return
          }
          let store = try ResultStore(path: path)
          try store.store(.int(Int64(index)), Digest { $0.add("\(index)") }, run: nil, function: "f", step: "s")
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      #expect(failures.withLock { $0 } == [])
      #expect(try old.entries().count == 4, "round \(round)")
    }
  }
}
