import TestBasics
package import Testing

/// Waits until the condition holds, and records an issue if it does not hold in time.
package func eventually(
    _ what: Comment, within bound: Duration = .patience, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    guard try await TestBasics.eventually(within: bound, condition) else {
        Issue.record(what, sourceLocation: sourceLocation)
        throw NeverHappened()
    }
}

/// Waits as ``eventually(_:within:sourceLocation:_:)`` does, and moves the clock forward between the checks.
///
/// The clock waits for a loop that it woke: it moves on when something sleeps again, or after 100 checks in which
/// nothing did. Otherwise, on a busy machine, a message could outlive its lifetime before its second attempt.
package func eventually(
    _ what: Comment, advancing clock: ManualClock, by step: Duration,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    var checks = 0
    try await eventually(what, sourceLocation: sourceLocation) {
        if try await condition() { return true }
        checks += 1
        guard !clock.pendingSleeps.isEmpty || checks == 100 else { return false }
        checks = 0
        clock.advance(by: step)
        return false
    }
}

private struct NeverHappened: Error {}
