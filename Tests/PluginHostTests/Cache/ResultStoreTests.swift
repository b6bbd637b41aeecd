import Foundation
import PluginRuntime
import PromisesTestSupport
import Synchronization
import Testing

@testable import plugin_host

@Suite struct ResultStoreTests {
  @Test("processes that make or upgrade a cache at once keep each other's results")
  func openedAtOnce() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)").path
    defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
    let old = try ResultStore(path: path)
    let writer = try Database(path: path)
    try writer.run("pragma user_version = 1")
    try writer.run("begin immediate")
    let failures = Mutex<[String]>([])
    // The others read the version, and then wait for this transaction.
    let reads = Gate(count: 5)
    onThreads(5) { index in
      do {
        if index == 4 {
          reads.meet()
          try writer.run("commit")
          return
        }
        let store = try ResultStore(path: path, didRead: reads.meet)
        try store.store(.int(Int64(index)), Digest { $0.add("\(index)") }, run: nil, function: "f", step: "s")
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try old.entries().count == 4)
  }

  /// A trigger stands for another process that adds results.
  @Test("the number of pruned results does not depend on those that are added meanwhile")
  func pruned() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)").path
    defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
    let store = try ResultStore(path: path)
    for index in 0..<5 {
      try store.store(.int(Int64(index)), Digest { $0.add("\(index)") }, run: nil, function: "f", step: "\(index)")
    }
    let database = try Database(path: path)
    for statement in [
      "create table spare as select * from results where step > '1'", "delete from results where step > '1'",
      "update results set created = 0 where step = '0'", "update results set digest = x'00' where step = '1'",
      "create trigger added after delete on results begin insert or ignore into results select * from spare; end",
    ] { try database.run(statement) }
    #expect(try store.prune(createdBefore: 1) == 2)
    #expect(try store.entries().map(\.step).sorted() == ["2", "3", "4"])
  }
}
