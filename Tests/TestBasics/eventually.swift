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
