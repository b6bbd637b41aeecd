import Foundation
import Mutating

/// A copy of the package whose sources contain the switches, and its builds.
struct Mirror {
  let workspace: Workspace
  /// The tests that are to be built; nil: all.
  let judges: [String]?
  let jobs: Int

  init(_ workspace: Workspace, judges: [String]?, jobs: Int) {
    self.workspace = workspace
    self.judges = judges
    self.jobs = jobs
  }

  /// Builds a product with the mutations, without those that do not compile. `selected` are the names of those to be
  /// judged.
  func build(_ product: Product, _ numbered: Numbered, selected: Set<String>) throws -> Built {
    try FileManager.default.createDirectory(at: workspace.tree, withIntermediateDirectories: true)
    let known = LeftOut(workspace)
    var left = Set(numbered.numbers.filter { known.has(numbered[$0]) })
    let start = ContinuousClock.now
    for round in 1...12 {
      let renderings = try write(numbered, for: product, without: left)
      note("building \(product.rawValue) with \(numbered.numbers.count - left.count) mutations")
      let outcome = try Command.capture(product.buildCommand(workspace, jobs: jobs))
      if outcome.status == 0 {
        note("built in \((ContinuousClock.now - start).components.seconds) s")
        return Built(numbered: numbered, leftOut: left)
      }
      var blamed = blamed(outcome.output, renderings).subtracting(left)
      guard !blamed.isEmpty else {
        let errors = Self.errors(outcome.output)
        let text = errors.isEmpty ? String(outcome.output.suffix(6000)) : errors.joined(separator: "\n")
        throw Failure("\(product.rawValue) does not build:\n\(text)")
      }
      note("round \(round): \(blamed.count) mutations do not compile")
      // A row is blamed for an error in its body only if no generated mutation can be.
      let generated = blamed.filter { numbered[$0].kind != .row }
      if !generated.isEmpty { blamed = generated }
      let rows = blamed.map { numbered[$0] }.filter { $0.kind == .row && selected.contains($0.id) }.map(\.id).sorted()
      if !rows.isEmpty {
        let errors = Self.errors(outcome.output)
        note("rows that do not compile: \(rows.joined(separator: ", "))\n" + errors.joined(separator: "\n"))
      }
      left.formUnion(blamed)
      try known.add(blamed.map { numbered[$0] }.filter { $0.kind != .row })
    }
    throw Failure("\(product.rawValue): too many rounds")
  }

  /// Copies the package, and writes the mutated files.
  private func write(_ numbered: Numbered, for product: Product, without left: Set<Int>) throws -> [String: Rendering] {
    var byFile: [String: [(number: Int, edit: Edit)]] = [:]
    for number in numbered.numbers where !left.contains(number) {
      byFile[numbered[number].file, default: []].append((number, numbered[number].edit))
    }
    var renderings: [String: Rendering] = [:]
    var texts = Switch.files(last: numbered.last)
    for (path, edits) in byFile {
      let source = try workspace.source(path)
      let rendering = source.rendered(edits, preamble: preamble(path, source.text))
      renderings[workspace.tree.appending(path: path).path] = rendering
      texts[path] = rendering.text
    }
    let changes = Switch.manifest(of: product, judges)
    texts["Package.swift"] = try workspace.text("Package.swift") + changes
    let platform = "Sources/CPlatform/include/platform.h"
    texts[platform] = try "#include \"mutation.h\"\n" + (texts[platform] ?? workspace.text(platform))
    try copy(replacing: texts)
    return renderings
  }

  private func preamble(_ path: String, _ text: String) -> String {
    if !path.hasSuffix(".swift") {
      return "#include \"\(workspace.tree.path)/Sources/CPlatform/include/mutation.h\"\n"
    }
    return text.contains("import CPlatform\n") ? "" : "import CPlatform\n"
  }

  /// Writes only the files that differ, so that builds stay incremental.
  private func copy(replacing texts: [String: String]) throws {
    let files = FileManager.default
    let tracked = try workspace.git("ls-files", "-co", "--exclude-standard").split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("Tests/Mutations/") && !$0.hasPrefix("Benchmarks/") }
    let wanted = Set(tracked).union(texts.keys)
    for path in wanted {
      let from = workspace.root.appending(path: path).path
      let to = workspace.tree.appending(path: path).path
      try files.createDirectory(atPath: (to as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      if let text = texts[path] {
        let data = Data(text.utf8)
        if files.contents(atPath: to) != data { try data.write(to: URL(filePath: to)) }
      } else if let target = try? files.destinationOfSymbolicLink(atPath: from) {
        if (try? files.destinationOfSymbolicLink(atPath: to)) != target {
          try? files.removeItem(atPath: to)
          try files.createSymbolicLink(atPath: to, withDestinationPath: target)
        }
      } else if let data = files.contents(atPath: from), files.contents(atPath: to) != data {
        try? files.removeItem(atPath: to)
        try files.copyItem(atPath: from, toPath: to)
      }
    }
    let there = files.enumerator(atPath: workspace.tree.path)
    while let path = there?.nextObject() as? String {
      if path == ".build" || path == "Package.resolved" || wanted.contains(path) { continue }
      let full = workspace.tree.appending(path: path)
      let isFolder = try full.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
      if !isFolder && !files.fileExists(atPath: workspace.root.appending(path: path).path) {
        try? files.removeItem(at: full)
      }
    }
  }

  /// Returns the compiler's errors, each once: those of a module are repeated for each of its files.
  private static func errors(_ output: String) -> [Substring] {
    var known: Set<Substring> = []
    return output.split(separator: "\n").filter { $0.contains("error:") && known.insert($0).inserted }
  }

  /// Returns the mutations to blame for the compiler's errors.
  private func blamed(_ output: String, _ renderings: [String: Rendering]) -> Set<Int> {
    var numbers: Set<Int> = []
    for line in Set(output.split(separator: "\n")) where line.contains(" error: ") {
      let parts = line.split(separator: ":", maxSplits: 3)
      guard parts.count == 4, let row = Int(parts[1]), let column = Int(parts[2]) else { continue }
      let file = URL(filePath: String(parts[0])).resolvingSymlinksInPath().path
      numbers.formUnion(renderings[file]?.blamed(line: row, column: column) ?? [])
    }
    return numbers
  }
}

/// Mutations, and the numbers of those that did not compile.
struct Built {
  let numbered: Numbered
  let leftOut: Set<Int>
}

/// The mutations that did not compile in earlier builds.
struct LeftOut {
  private let path: URL
  private let lines: Set<Substring>

  init(_ workspace: Workspace) {
    path = workspace.folder.appending(path: "left-out.txt")
    lines = Set((try? String(contentsOf: path, encoding: .utf8))?.split(separator: "\n") ?? [])
  }

  func has(_ mutation: Mutation) -> Bool { lines.contains(Substring(key(mutation))) }

  func add(_ mutations: [Mutation]) throws {
    let old = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    try (old + mutations.map { key($0) + "\n" }.joined()).write(to: path, atomically: true, encoding: .utf8)
  }

  private func key(_ mutation: Mutation) -> String {
    "\(mutation.id)\t\(mutation.before)\t\(mutation.after)".replacing("\n", with: " ")
  }
}
