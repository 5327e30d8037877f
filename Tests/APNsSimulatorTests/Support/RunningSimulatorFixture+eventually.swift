import APNsSimulator
import TestDoubles

extension RunningSimulatorFixture {
    /// Waits until the counters satisfy the condition, for events that send nothing over the wire.
    ///
    /// - Returns: `false` if the condition is not met within ten seconds.
    func eventually(_ condition: (SimulatorCounters) -> Bool) async throws -> Bool {
        await TestDoubles.eventually { condition(simulator.counters) }
    }
}
