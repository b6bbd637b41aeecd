extension CellExecutor {
  /// The executor that runs a job inside `submit`: the explicit form of attaching without an executor. Nil when memory
  /// has run out.
  package static var immediate: CellExecutor? {
    unsafe immediateExecutor.get {
      unsafe makePermanent(.immediate, nil) { _, job in _ = unsafe Job(submitted: job).run() }
    }.map { unsafe CellExecutor(permanent: $0) }
  }

  /// Makes a built-in executor, for `Single`.
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
