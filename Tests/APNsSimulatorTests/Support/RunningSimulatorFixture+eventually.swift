import APNsSimulator

extension RunningSimulatorFixture {
    /// Waits until the counters are as they should be, which the wire does not tell when nothing comes.
    ///
    /// - Returns: `false` after ten seconds in vain.
    func eventually(_ condition: (SimulatorCounters) -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while !condition(simulator.counters) {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(1))
        }
        return true
    }
}
