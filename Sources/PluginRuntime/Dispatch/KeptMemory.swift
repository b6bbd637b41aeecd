/// The copy of an argument whose address the function keeps: `keep cstr`. It is freed with the last object that keeps
/// it.
final class KeptMemory: ObjectSource {
  // Written only while the arguments are stored, before the memory is shared.
  private nonisolated(unsafe) let arena: CallArena

  init(_ arena: CallArena) { self.arena = arena }

  /// Keeps the memory until the process ends: it is unknown when the library stops using it.
  func keepForever() { _ = Unmanaged.passRetained(self) }
}
