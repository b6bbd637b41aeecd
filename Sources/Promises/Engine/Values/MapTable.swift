import CPlatform

/// The entries of a map, in the order in which their keys were added, and an index by key.
///
/// One allocation holds, for a capacity of n entries:
///
///   [ n values, 16 bytes each | n keys, 8 bytes each | the index ]
///
/// The index is a hash table of entry numbers plus one, at most half full, with linear probing. A few keys are found
/// faster by comparing each: up to `few` entries there is no index, and no key is hashed.
@safe
struct MapTable {
  private(set) var memory: UnsafeMutableRawPointer?
  private(set) var capacity: Int
  private(set) var count: Int

  private struct Key: BitwiseCopyable {
    /// The box of a STRING, to which the map has a reference.
    var box: UInt32
    var hash: UInt32
  }

  private static var few: Int { 8 }
  private static var entrySize: Int { MemoryLayout<CellValue>.stride + MemoryLayout<Key>.stride }

  /// The table in the box of a map or of a builder.
  init(_ box: Box) {
    unsafe memory = unsafe box.memory
    capacity = Int(box.ref.meta)
    count = box.count
  }

  /// Makes an empty table; nil when memory has run out.
  init?(capacity: Int) {
    unsafe memory = nil
    self.capacity = 0
    count = 0
    guard capacity == 0 || grow(to: capacity) else { return nil }
  }

  /// Stores the table in its box.
  func store(in box: Box) {
    unsafe box.memory = unsafe memory
    box.ref.meta = UInt32(capacity)
    box.count = count
  }

  var values: UnsafeMutablePointer<CellValue> {
    unsafe memory.unsafelyUnwrapped.assumingMemoryBound(to: CellValue.self)
  }

  /// The key of an entry: a STRING.
  func key(_ entry: Int) -> Box { unsafe Box(CellRef(index: keys[entry].box)) }

  /// The index of the entry with that key.
  func find(_ key: UnsafeRawBufferPointer) -> Int? {
    unsafe find(key, hash: slotCount == 0 ? 0 : KeyHash.of(key))
  }

  /// Adds an entry, or replaces the value of the entry with that key, which keeps its position. Returns the value to
  /// release, the replaced one or VOID; nil when memory has run out. Takes ownership of both references on every path.
  mutating func set(_ key: CellValue, _ value: CellValue) -> CellValue? {
    let box = Box(key.owner)
    // Growing may add the index, and then the hash is needed.
    guard unsafe count < capacity || find(box.bytes) != nil || grow(to: max(4, capacity * 2)) else {
      key.release()
      value.release()
      return nil
    }
    let hash = unsafe slotCount == 0 ? 0 : KeyHash.of(box.bytes)
    if let entry = unsafe find(box.bytes, hash: hash) {
      key.release()
      let old = unsafe values[entry]
      unsafe values[entry] = value
      return old
    }
    unsafe keys[count] = Key(box: box.ref.index, hash: hash)
    unsafe values[count] = value
    if slotCount > 0 { index(count) }
    count += 1
    return .void
  }

  /// Frees a table that is not stored in a box.
  func discard() {
    release()
    unsafe platform_free(memory)
  }

  /// Releases the keys and values; the caller frees the memory.
  func release() {
    for entry in 0..<count {
      unsafe CellRef(index: keys[entry].box).release()
      unsafe values[entry].release()
    }
  }
}

extension MapTable {
  private var keys: UnsafeMutablePointer<Key> {
    unsafe (memory.unsafelyUnwrapped + capacity * MemoryLayout<CellValue>.stride).assumingMemoryBound(to: Key.self)
  }

  private var slots: UnsafeMutablePointer<UInt32> {
    unsafe (memory.unsafelyUnwrapped + capacity * MapTable.entrySize).assumingMemoryBound(to: UInt32.self)
  }

  private var slotCount: Int { MapTable.slotCount(capacity) }

  private static func slotCount(_ capacity: Int) -> Int {
    capacity <= few ? 0 : 1 << (Int.bitWidth - (capacity * 2 - 1).leadingZeroBitCount)
  }

  private func find(_ key: UnsafeRawBufferPointer, hash: UInt32) -> Int? {
    guard count > 0 else { return nil }
    guard slotCount > 0 else {
      for entry in 0..<count where unsafe isKey(entry, key) { return entry }
      return nil
    }
    var slot = Int(hash) & (slotCount - 1)
    while unsafe slots[slot] != 0 {
      let entry = unsafe Int(slots[slot]) - 1
      if unsafe keys[entry].hash == hash, unsafe isKey(entry, key) { return entry }
      slot = (slot + 1) & (slotCount - 1)
    }
    return nil
  }

  private func isKey(_ entry: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    let bytes = unsafe self.key(entry).bytes
    guard bytes.count == key.count else { return false }
    guard let one = bytes.baseAddress, let other = key.baseAddress else { return true }
    return unsafe memcmp(one, other, key.count) == 0
  }

  private func index(_ entry: Int) {
    var slot = unsafe Int(keys[entry].hash) & (slotCount - 1)
    while unsafe slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
    unsafe slots[slot] = UInt32(entry + 1)
  }

  private mutating func grow(to capacity: Int) -> Bool {
    // Each key is a cell, so there are at most 2^28.
    guard capacity <= 1 << 28 else { return false }
    let slotCount = MapTable.slotCount(capacity)
    let indexSize = slotCount * MemoryLayout<UInt32>.stride
    guard let larger = unsafe malloc(capacity * MapTable.entrySize + indexSize) else { return false }
    let old = self
    unsafe memory = unsafe larger
    self.capacity = capacity
    if let memory = unsafe old.memory {
      unsafe larger.copyMemory(from: memory, byteCount: count * MemoryLayout<CellValue>.stride)
      unsafe UnsafeMutableRawPointer(keys).copyMemory(from: old.keys, byteCount: count * MemoryLayout<Key>.stride)
      unsafe platform_free(memory)
    }
    if slotCount > 0 {
      unsafe memset(slots, 0, indexSize)
      for entry in 0..<count {
        if old.slotCount == 0 { unsafe keys[entry].hash = unsafe KeyHash.of(key(entry).bytes) }
        index(entry)
      }
    }
    return true
  }
}

extension Box {
  /// The key of a map's entry.
  package func key(_ entry: Int) -> Box { MapTable(self).key(entry) }

  /// The value of a map's key, borrowed from the map.
  package func find(_ key: UnsafeRawBufferPointer) -> UnsafePointer<CellValue>? {
    let table = MapTable(self)
    guard let entry = unsafe table.find(key) else { return nil }
    return unsafe UnsafePointer(table.values + entry)
  }

  /// Makes a MAP with this table. Takes ownership of the table on every path.
  static func map(_ table: MapTable) -> CellValue? {
    guard let box = make(.map, count: 0, meta: 0) else {
      table.discard()
      return nil
    }
    table.store(in: box)
    return box.owningValue
  }
}
