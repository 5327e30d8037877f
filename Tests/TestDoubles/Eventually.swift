import TestBasics
public import Testing

/// As ``eventually(within:_:)``, and an issue when it does not hold within a minute.
public func eventually(
    _ what: Comment, within bound: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    guard try await TestBasics.eventually(within: bound, condition) else {
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
