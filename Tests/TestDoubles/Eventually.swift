public import Testing

/// Looks again and again until the condition holds.
///
/// - Returns: whether it held before the time was over.
public func eventually(
    within bound: Duration = .seconds(10), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + bound
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
}

/// As ``eventually(within:_:)``, and an issue when it does not hold within a minute.
public func eventually(
    _ what: Comment, within bound: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    guard try await eventually(within: bound, condition) else {
        Issue.record(what, sourceLocation: sourceLocation)
        throw NeverHappened()
    }
}

/// As ``eventually(_:within:sourceLocation:_:)``, moving the clock on between looks.
public func eventually(
    _ what: Comment, advancing clock: ManualClock, by step: Duration,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    try await eventually(what, sourceLocation: sourceLocation) {
        if try await condition() { return true }
        clock.advance(by: step)
        return false
    }
}

private struct NeverHappened: Error {}
