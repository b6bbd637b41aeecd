/// A view of a cell: a struct of its reference alone, whose properties are the fields of one kind of cell.
protocol CellView {
  var ref: CellRef { get }
  init(_ ref: CellRef)
}

/// The field that links the cells of a queue: 32 bits for the index of the next one, 0 in the last.
protocol CellLink {
  associatedtype View: CellView
  /// The offset of the field in a cell.
  static var offset: Int { get }
}

/// An intrusive FIFO of cells, linked through one of their fields, so it allocates nothing. Not thread-safe: guarded by
/// its owner.
struct CellQueue<Link: CellLink> {
  private var first: UInt32 = 0
  private var last: UInt32 = 0

  var isEmpty: Bool { first == 0 }

  @inline(__always)
  mutating func push(_ view: Link.View) {
    setNext(of: view.ref, 0)
    append(first: view.ref.index, last: view.ref.index)
  }

  @inline(__always)
  mutating func pushFront(_ view: Link.View) {
    setNext(of: view.ref, first)
    first = view.ref.index
    if last == 0 { last = first }
  }

  /// Appends all cells of another queue.
  @inline(__always)
  mutating func append(_ other: CellQueue) {
    if !other.isEmpty { append(first: other.first, last: other.last) }
  }

  @inline(__always)
  private mutating func append(first: UInt32, last: UInt32) {
    if self.last == 0 { self.first = first } else { setNext(of: CellRef(index: self.last), first) }
    self.last = last
  }

  @inline(__always)
  mutating func pop() -> Link.View? {
    guard first != 0 else { return nil }
    let ref = CellRef(index: first)
    first = next(of: ref)
    if first == 0 { last = 0 }
    return Link.View(ref)
  }

  /// Whether a cell satisfies `holds`. Examines the oldest cell first.
  @inline(__always)
  func contains(where holds: (Link.View) -> Bool) -> Bool {
    var index = first
    while index != 0 {
      let ref = CellRef(index: index)
      if holds(Link.View(ref)) { return true }
      index = next(of: ref)
    }
    return false
  }

  @inline(__always)
  private func next(of ref: CellRef) -> UInt32 {
    unsafe UnsafeRawPointer(ref.cell).load(fromByteOffset: Link.offset, as: UInt32.self)
  }

  @inline(__always)
  private func setNext(of ref: CellRef, _ index: UInt32) {
    unsafe UnsafeMutableRawPointer(ref.cell).storeBytes(of: index, toByteOffset: Link.offset, as: UInt32.self)
  }
}

/// A CellQueue that counts its cells.
struct CountedQueue<Link: CellLink> {
  private var cells = CellQueue<Link>()
  private(set) var count = 0

  var isEmpty: Bool { cells.isEmpty }

  mutating func push(_ view: Link.View) {
    cells.push(view)
    count += 1
  }

  mutating func pushFront(_ view: Link.View) {
    cells.pushFront(view)
    count += 1
  }

  mutating func append(_ other: CountedQueue) {
    cells.append(other.cells)
    count += other.count
  }

  mutating func pop() -> Link.View? {
    guard let view = cells.pop() else { return nil }
    count -= 1
    return view
  }

  func contains(where holds: (Link.View) -> Bool) -> Bool { cells.contains(where: holds) }

  /// Returns all cells, and leaves the queue empty.
  mutating func take() -> CountedQueue {
    defer { self = CountedQueue() }
    return self
  }
}
