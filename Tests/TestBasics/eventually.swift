/// Checks the condition repeatedly until it holds or the time is over.
///
/// - Returns: `true` if the condition held in time.
package func eventually(
    within bound: Duration = .seconds(10), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + bound
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
}
