import Testing

/// The executable, real plugins, and their output. One run at a time: the machine may be small, and some runs measure
/// which call waits for another.
@Suite(.serialized) struct EndToEnd {}
