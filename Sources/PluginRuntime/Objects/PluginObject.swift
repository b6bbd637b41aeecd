import Synchronization

/// A reference-counted owner of an object that a plugin's function made. The last reference destroys the object.
///
/// A `PluginPointer` to the object holds a reference, and so does each object that was made from this one: a statement
/// of SQL keeps its database.
final class PluginObject: ObjectSource {
  let life: ObjectLife
  private let objects: LiveObjects
  private let number: Int
  /// The objects among the arguments of the function that made this one, and the memory that its functions keep.
  private let sources: Mutex<[any ObjectSource]>

  init(_ life: ObjectLife, _ number: Int, in objects: LiveObjects, from sources: [any ObjectSource]) {
    self.life = life
    self.number = number
    self.objects = objects
    self.sources = Mutex(sources)
  }

  deinit { objects.drop(life, number, keeping: sources.withLock { $0 }) }

  /// Keeps the memory until the object is destroyed: a function that was given the object may have stored its address.
  func keep(_ memory: any ObjectSource) { sources.withLock { $0.append(memory) } }
}
