import APNsSimulator
import TestDoubles

extension RunningSimulatorFixture {
    /// Waits until the counters are as they should be, which the wire does not tell when nothing comes.
    ///
    /// - Returns: `false` after ten seconds in vain.
    func eventually(_ condition: (SimulatorCounters) -> Bool) async throws -> Bool {
        await TestDoubles.eventually { condition(simulator.counters) }
    }
}
