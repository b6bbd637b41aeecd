/// A reference-counted owner of an object that a plugin's function made. The last reference destroys the object.
///
/// A `PluginPointer` to the object holds a reference, and so does each object that was made from this one: a statement
/// of SQL keeps its database.
final class PluginObject: Sendable {
  let life: ObjectLife
  private let objects: LiveObjects
  private let number: Int
  /// The objects among the arguments of the function that made this one.
  private let sources: [PluginObject]

  init(_ life: ObjectLife, _ number: Int, in objects: LiveObjects, from sources: [PluginObject]) {
    self.life = life
    self.number = number
    self.objects = objects
    self.sources = sources
  }

  deinit { objects.drop(life, number, keeping: sources) }
}
