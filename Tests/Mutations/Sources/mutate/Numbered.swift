import Foundation
import Mutating

/// The mutations of a build, and the numbers of their switches.
struct Numbered {
  /// The mutations by number, from 1.
  private let byNumber: [Int: Mutation]
  /// The numbers, in order.
  let numbers: [Int]

  private init(_ byNumber: [Int: Mutation]) {
    self.byNumber = byNumber
    numbers = byNumber.keys.sorted()
  }

  subscript(number: Int) -> Mutation { byNumber[number]! }
  var last: Int { numbers.last ?? 0 }

  /// Numbers mutations. Each keeps its number of earlier builds, so that files without a change are not compiled again.
  init(_ mutations: [Mutation], _ workspace: Workspace) throws {
    var ids = Self.ids(workspace)
    var numbers = Dictionary(zip(ids, 1...), uniquingKeysWith: { first, _ in first })
    for mutation in mutations where numbers[mutation.id] == nil {
      ids.append(mutation.id)
      numbers[mutation.id] = ids.count
    }
    self.init(Dictionary(mutations.map { (numbers[$0.id]!, $0) }, uniquingKeysWith: { first, _ in first }))
    try FileManager.default.createDirectory(at: workspace.folder, withIntermediateDirectories: true)
    try ids.map { $0 + "\n" }.joined().write(to: Self.file(workspace), atomically: true, encoding: .utf8)
  }

  /// Returns the names of the mutations of all builds until now, in the order of their numbers.
  static func ids(_ workspace: Workspace) -> [String] {
    let text = (try? String(contentsOf: file(workspace), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  private static func file(_ workspace: Workspace) -> URL { workspace.folder.appending(path: "numbers.txt") }
}
