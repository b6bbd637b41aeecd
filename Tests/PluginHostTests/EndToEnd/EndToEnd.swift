import Testing

/// The executable, real plugins, and what comes out. One run at a time: the machine may be small, and some runs measure
/// who waits for whom.
@Suite(.serialized) struct EndToEnd {}
