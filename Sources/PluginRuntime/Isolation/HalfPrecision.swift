/// Conversions between the bit patterns of floats of 64, 32 and 16 bits, each exact or not made. They keep the payloads
/// of NaNs, which the conversions of the processor change.
enum HalfPrecision {
  /// Returns the float of 32 bits with the same value, or the same payload; `nil` if there is none.
  static func single(exactly double: UInt64) -> UInt32? {
    guard double & 0x7FF0_0000_0000_0000 == 0x7FF0_0000_0000_0000 else {
      let single = Float(Double(bitPattern: double))
      return Double(single).bitPattern == double ? single.bitPattern : nil
    }
    // Infinity or NaN: the fraction loses 29 bits, which must be 0.
    guard double & 0x1FFF_FFFF == 0 else { return nil }
    return UInt32(double >> 32) & 0x8000_0000 | 0x7F80_0000 | UInt32(double >> 29 & 0x7F_FFFF)
  }

  /// Returns the float of 16 bits with the same value, or the same payload; `nil` if there is none.
  static func half(exactly single: UInt32) -> UInt16? {
    let sign = UInt16(single >> 16) & 0x8000
    let exponent = Int(single >> 23 & 0xFF) - 127
    let fraction = single & 0x7F_FFFF
    switch exponent {
    case 128: return fraction & 0x1FFF == 0 ? sign | 0x7C00 | UInt16(fraction >> 13) : nil
    case -14...15: return fraction & 0x1FFF == 0 ? sign | UInt16(exponent + 15) << 10 | UInt16(fraction >> 13) : nil
    case -24 ... -15:
      // Subnormal: the leading 1 moves into the fraction.
      let shift = UInt32(-1 - exponent)
      let whole = fraction | 0x80_0000
      return whole & (1 << shift - 1) == 0 ? sign | UInt16(whole >> shift) : nil
    case -127: return fraction == 0 ? sign : nil
    default: return nil
    }
  }

  /// Returns the float of 64 bits with the same value, or the same payload.
  static func double(half: UInt16) -> UInt64 {
    let sign = UInt64(half & 0x8000) << 48
    let exponent = UInt64(half >> 10 & 0x1F)
    let fraction = UInt64(half & 0x3FF)
    switch exponent {
    case 0x1F: return sign | 0x7FF0_0000_0000_0000 | fraction << 42
    case 0:
      // Exact: a small integer times a power of two.
      return sign | (Double(fraction) * 0x1p-24).bitPattern
    default: return sign | (exponent + 1023 - 15) << 52 | fraction << 42
    }
  }

  /// Returns the float of 64 bits with the same value, or the same payload.
  static func double(single: UInt32) -> UInt64 {
    guard single & 0x7F80_0000 == 0x7F80_0000 else { return Double(Float(bitPattern: single)).bitPattern }
    return UInt64(single & 0x8000_0000) << 32 | 0x7FF0_0000_0000_0000 | UInt64(single & 0x7F_FFFF) << 29
  }
}
