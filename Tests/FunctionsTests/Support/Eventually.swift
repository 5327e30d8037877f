import Testing

/// Polls until the condition holds, and records an issue when it does not within a minute.
func eventually(
    _ what: Comment, within bound: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: bound)
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(1))
    }
    Issue.record(what, sourceLocation: sourceLocation)
    throw NeverHappened()
}

/// As ``eventually(_:within:sourceLocation:_:)``, moving the clock on between looks.
func eventually(
    _ what: Comment, advancing clock: ManualClock, by step: Duration,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    try await eventually(what, sourceLocation: sourceLocation) {
        if try await condition() { return true }
        clock.advance(by: step)
        return false
    }
}

struct NeverHappened: Error {}
