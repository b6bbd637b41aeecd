extension CellExecutor {
  /// Runs a job in the call that submits it. A handle for what a reaction without an executor does. Nil when there is no
  /// memory for it.
  package static var immediate: CellExecutor? {
    unsafe immediateExecutor.get {
      unsafe makePermanent(.immediate, nil) { _, job in _ = unsafe Job(submitted: job).run() }
    }.map { unsafe CellExecutor(permanent: $0) }
  }

  /// One of the library's own, for `Single`.
  static func makePermanent(_ kind: ExecutorKind, _ context: UnsafeMutableRawPointer?, _ submit: Submit)
    -> UnsafeMutableRawPointer?
  {
    unsafe UnsafeMutableRawPointer(make(submit, Context(context, nil), kind: kind)?.ref.cell)
  }

  init(permanent cell: UnsafeMutableRawPointer) {
    ref = unsafe CellRef(cell.assumingMemoryBound(to: Cell.self))
  }
}

private let immediateExecutor = Single()
