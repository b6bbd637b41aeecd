/// Something that an object keeps until it is destroyed: the objects that it was made from, and memory.
protocol ObjectSource: AnyObject, Sendable {}
