import PluginRuntime

/// The results of a check for people: a row for each header that declares functions.
struct CheckTable {
  private struct Row {
    var name: String
    var functions = 0
    var drafted = 0
    var safe = 0
    var wrongReads = 0
    var wrongWrites = 0
    var notCalled = 0

    var numbers: [Int] { [functions, drafted, safe, wrongReads, wrongWrites, notCalled] }
  }

  private static let titles = ["functions", "drafted", "safe", "wrong reads", "wrong writes", "not called"]
  private var rows: [Row] = []
  /// The functions about which some calls showed nothing, and why.
  private var notes: [String] = []

  /// - Parameter draft: the draft before the functions with faults are left out of it.
  init(_ draft: AdoptionDraft, _ findings: [String: DraftCheck.Finding]) {
    for function in draft.functions {
      let row = row(of: function.file)
      rows[row].functions += 1
      rows[row].drafted += 1
      switch findings[function.signature.name] {
      case .safe(let calls, _, let failures):
        rows[row].safe += 1
        if let failures { notes.append("\(function.signature.name): checked by \(calls) calls only: \(failures)") }
      case .unsafe(_, isWrite: true), .kept(_, isWrite: true): rows[row].wrongWrites += 1
      case .unsafe, .kept: rows[row].wrongReads += 1
      case .unknown(let reason):
        rows[row].notCalled += 1
        notes.append("\(function.signature.name): not checked: \(reason)")
      case nil: break
      }
    }
    for function in draft.leftOut { rows[row(of: function.file)].functions += 1 }
  }

  private mutating func row(of file: String) -> Int {
    let name = Directory.name(of: file)
    if let index = rows.firstIndex(where: { $0.name == name }) { return index }
    rows.append(Row(name: name))
    return rows.count - 1
  }

  /// The table, with a sum if there are several headers, and a line for each function of which some calls did not
  /// return, or were not made.
  var lines: [String] {
    var all = rows.sorted { $0.name < $1.name }
    if all.count > 1 {
      var sum = Row(name: "all")
      for row in rows {
        sum.functions += row.functions
        sum.drafted += row.drafted
        sum.safe += row.safe
        sum.wrongReads += row.wrongReads
        sum.wrongWrites += row.wrongWrites
        sum.notCalled += row.notCalled
      }
      all.append(sum)
    }
    let width = (all.map(\.name.count) + ["header".count]).max() ?? 0
    func line(_ name: String, _ cells: [String]) -> String {
      let name = name + String(repeating: " ", count: width - name.count)
      return name
        + zip(cells, Self.titles).map { cell, title in
          "  " + String(repeating: " ", count: max(title.count - cell.count, 0)) + cell
        }.joined()
    }
    return ([line("header", Self.titles)] + all.map { line($0.name, $0.numbers.map(String.init)) }).map(\.displayLine)
      + notes.sorted().map { "  \($0)".displayLine }
  }
}
