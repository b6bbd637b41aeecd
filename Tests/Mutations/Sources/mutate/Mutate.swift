import ArgumentParser
import Foundation
import Mutating

/// The command: selects mutations, builds all of them at once, and runs the tests that reach each.
@main
struct Mutate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Puts small faults into the code, and reports which of them no test notices.",
    discussion: """
      Without an option: every row of Tests/Mutations/*.txt. The exit status is 1 if one of them survives, or its code \
      is not in its file.
      """)

  @Option(help: "The package.") var root = FileManager.default.currentDirectoryPath
  @Option(help: "Generated mutations of this folder; may be repeated.") var folder: [String] = []
  @Option(help: "None of this folder; may be repeated.") var except: [String] = []
  @Option(help: "Generated mutations of lines that changed since this commit, and rows of files that did, alone.")
  var since: String?
  @Option(help: "As many generated mutations, drawn at random; of each folder if some are given.") var sample: Int?
  @Option(help: "What they are drawn by.") var seed: UInt64 = 1
  @Option(help: "Mutations of this kind alone; may be repeated.") var kind: [String] = []
  @Option(help: "Mutations whose names contain this alone; may be repeated.") var only: [String] = []
  @Flag(help: "The mutations that no test killed in the last run alone.") var again = false
  @Option(help: "The rows of the tables whose names contain this alone: `features-daisy`; may be repeated.")
  var rowsOf: [String] = []
  @Option(help: "Mutations of this product alone: library, interleavings, orderings, threads, bundle or adapters.")
  var product: Product?
  @Option(help: "The tests whose names contain this alone; may be repeated.") var tests: [String] = []
  @Flag(help: "Each row is judged by the tests that it names alone.") var named = false
  @Flag(help: "The generated memory orderings too.") var orderings = false
  @Flag(help: "No rows of the table.") var noRows = false
  @Flag(help: "Writes into the rows without tests which tests fail.") var record = false
  @Flag(help: "Prints the mutations; builds nothing.") var list = false
  @Option(help: "Tests at a time.") var jobs = 2
  @Option(help: "Seconds of tests for a mutation that none of them notices.") var budget = 60.0
  @Option(help: "Seconds that a test may take without a mutation; longer ones judge none.") var longest = 300

  func run() throws {
    let signals = Programs.killAtSignals()
    defer { withExtendedLifetime(signals) {} }
    let workspace = Workspace(root: URL(filePath: root).standardizedFileURL)
    let table = try Table(workspace)
    for mistake in table.mistakes { note(mistake.description) }
    let changed = try since.map {
      try changedLines(workspace.git("diff", "--unified=0", $0, "--", "Sources", "Tests/Mutations"))
    }
    let file = workspace.folder.appending(path: "report.json")
    let unkilled = again ? try Report.unkilled(file) : []
    var selected = noRows ? [] : table.mutations
    if !rowsOf.isEmpty {
      selected.removeAll { one in !rowsOf.contains { table.byName[one.id]?.table.contains($0) == true } }
    }
    if let changed { selected.removeAll { table.byName[$0.id]?.isConcerned(by: changed) == false } }
    if sample != nil || since != nil || !folder.isEmpty || !kind.isEmpty || !only.isEmpty || noRows || again {
      selected += try generated(workspace, changed)
    }
    if !kind.isEmpty { selected.removeAll { !kind.contains($0.kind.rawValue) } }
    selected.removeAll { !isWanted($0) }
    if again { selected.removeAll { !unkilled.contains($0.id) } }
    if list || selected.isEmpty {
      for one in selected { print("\(one.file):\(one.line): \(one.id)\n  - \(one.before)\n  + \(one.after)") }
      if selected.isEmpty { print("mutate: nothing to mutate") }
      if !table.mistakes.isEmpty { throw ExitCode(1) }
      return
    }

    let numbered = try Numbered(selected + others(selected, table, workspace), workspace)
    var results: [Result] = []
    var unnoticed: [Product: [Mutation]] = [:]
    for product in product.map({ [$0] }) ?? Product.allCases {
      var its = selected.filter { product.judges($0, table.byName[$0.id], isOnly: self.product != nil) }
      its += unnoticed[product] ?? []
      let mixed = its.filter { table.byName[$0.id]?.tests.contains { Product.running($0) != product } == true }
      for one in mixed { note("skipped, since it names tests of two products: \(one.id)") }
      its.removeAll { one in mixed.contains { $0.id == one.id } }
      if its.isEmpty { continue }
      let judges = its.flatMap { table.byName[$0.id]?.tests ?? [] }
      let built = try Mirror(workspace, judges: product.judges(of: its), jobs: jobs)
        .build(product, numbered, selected: Set(its.map(\.id)))
      let suite = try product.suite(workspace, named: judges, jobs: jobs).filter { unit in
        (!named && unit.isAmong(tests)) || judges.contains { unit.has($0) }
      }
      let judged = try Judge(
        workspace, suite, rows: table.byName, jobs: jobs, budget: budget, longest: longest, isNamedAlone: named
      ).run(built, Set(its.map(\.id))) { [results] in try Report(results + $0, rows: table.byName).write(to: file) }
      let isSecondJudged = { (result: Result) in
        product.second != nil && self.product == nil && result.isUnnoticed
          && table.byName[result.mutation.id]?.tests.isEmpty != false
      }
      if let second = product.second { unnoticed[second] = judged.filter(isSecondJudged).map(\.mutation) }
      results += judged.filter { !isSecondJudged($0) }
    }
    let report = Report(results, rows: table.byName)
    try report.write(to: file)
    report.print()
    if record { try table.record(results) }
    for mistake in table.mistakes { print(mistake) }
    if !report.survivingRows.isEmpty || !table.mistakes.isEmpty { throw ExitCode(1) }
  }

  /// Returns mutations that are built and not judged: the other rows, and the generated ones of earlier builds. With
  /// them in each build, a run with another selection compiles nothing.
  private func others(_ selected: [Mutation], _ table: Table, _ workspace: Workspace) throws -> [Mutation] {
    let known = Set(Numbered.ids(workspace)).subtracting(table.byName.keys)
    let files = Set(known.compactMap { $0.split(separator: "#").first.map(String.init) })
    let generated = try workspace.sources().filter(files.contains).flatMap { path in
      try workspace.mutations(path).filter { known.contains($0.id) }
    }
    let ids = Set(selected.map(\.id))
    return (table.mutations + generated).filter { !ids.contains($0.id) }
  }

  private func isWanted(_ mutation: Mutation) -> Bool {
    only.isEmpty || only.contains { mutation.id.contains($0) }
  }

  private func generated(_ workspace: Workspace, _ changed: [String: Set<Int>]?) throws -> [Mutation] {
    var all: [Mutation] = []
    for path in try workspace.sources() where isAmong(folder.isEmpty ? [path] : folder, path) {
      if isAmong(except, path) || changed.map({ $0[path] == nil }) == true { continue }
      let lines = changed?[path]
      all += try workspace.mutations(path).filter {
        (orderings || $0.kind != .ordering || kind.contains("ordering")) && lines?.contains($0.line) != false
      }
    }
    if !kind.isEmpty { all.removeAll { !kind.contains($0.kind.rawValue) } }
    all.removeAll { !isWanted($0) }
    guard let sample else { return all }
    if folder.isEmpty { return all.sample(sample, seed: seed) }
    return folder.flatMap { folder in all.filter { isAmong([folder], $0.file) }.sample(sample, seed: seed) }
  }

  /// Whether a file is one of some folders and files, or is in one of them.
  private func isAmong(_ folders: [String], _ path: String) -> Bool {
    folders.contains { path == $0 || path.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
  }
}
