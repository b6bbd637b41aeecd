/// Whether the bytes are well-formed UTF-8 (Unicode 15, table 3-7): no overlong form, no surrogate, nothing above
/// U+10FFFF.
///
/// The standard library's own check is not part of Embedded Swift.
func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  var index = 0
  while index < bytes.count {
    let first = unsafe bytes[index]
    index += 1
    guard first >= 0x80 else { continue }
    let rest: Int
    var second: ClosedRange<UInt8> = 0x80...0xbf
    switch first {
    case 0xc2...0xdf: rest = 1
    case 0xe0: (rest, second) = (2, 0xa0...0xbf)
    case 0xed: (rest, second) = (2, 0x80...0x9f)
    case 0xe1...0xef: rest = 2
    case 0xf0: (rest, second) = (3, 0x90...0xbf)
    case 0xf1...0xf3: rest = 3
    case 0xf4: (rest, second) = (3, 0x80...0x8f)
    default: return false
    }
    guard bytes.count - index >= rest, unsafe second.contains(bytes[index]) else { return false }
    for offset in 1..<rest where unsafe bytes[index + offset] & 0xc0 != 0x80 { return false }
    index += rest
  }
  return true
}
