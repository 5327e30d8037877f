extension Duration {
    /// The time that a test allows for an event that must come: minutes, for machines that are several times slower
    /// than usual. Without a fault, a wait ends with its event.
    package static let patience = Duration.seconds(300)
}

/// Checks the condition repeatedly until it holds or the time is over.
///
/// - Returns: `true` if the condition held in time.
package func eventually(
    within bound: Duration = .patience, _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + bound
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
}
