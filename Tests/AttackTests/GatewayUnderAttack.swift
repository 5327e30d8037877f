import Foundation
import HTTPTypes
import TestDoubles
import TestSupport
import Testing

/// A gateway in a process of its own, with all its ports, for attacks.
struct GatewayUnderAttack: Sendable {
    let serving: ServingProcess

    /// Returns the resident memory, in MiB.
    func residentMebibytes() throws -> Int { try #require(serving.child.residentBytes) >> 20 }

    /// Returns the number of open descriptors.
    func descriptors() throws -> Int { try #require(serving.child.openDescriptors) }

    /// Waits until the gateway has at most two more open descriptors than before an attack.
    func givesBackDescriptors(to before: Int) async throws -> Bool {
        try await eventually { try descriptors() <= before + 2 }
    }

    /// Returns the peak growth of the gateway's memory during an attack, in MiB.
    func growth(during attack: @escaping @Sendable () async throws -> Void) async throws -> Int {
        let before = try residentMebibytes()
        var most = before
        try await watching(attack, every: .milliseconds(20)) { most = max(most, try residentMebibytes()) }
        return most - before
    }

    /// Returns the sorted response times of repeated `/healthz` requests to the plain listener during an attack.
    func latencies(during attack: @escaping @Sendable () async throws -> Void) async throws -> [Duration] {
        var latencies: [Duration] = []
        try await watching(attack, every: .milliseconds(10)) {
            let start = ContinuousClock.now
            let status = try await serving.caller.send(.get, "/healthz").status
            latencies.append(ContinuousClock.now - start)
            #expect(status == 200)
        }
        return latencies.sorted()
    }

    /// Measures the same requests without an attack, and the load of the machine.
    func reference() async throws -> Reference {
        let latencies = try await latencies { try await Task.sleep(for: .milliseconds(500)) }
        return Reference(median: latencies[latencies.count / 2], slowdown: try await slowdown())
    }

    /// Runs a check repeatedly during an attack, and once after it.
    private func watching(
        _ attack: @escaping @Sendable () async throws -> Void, every pause: Duration, _ look: () async throws -> Void
    ) async throws {
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { isOver.set() }
                try await attack()
            }
            while !isOver.isSet {
                try await look()
                try await Task.sleep(for: pause)
            }
            try await group.waitForAll()
        }
        try await look()
    }
}

/// A measurement beside an attack, to compare the attack with.
struct Reference: Hashable, Sendable {
    /// The median of the response times.
    let median: Duration
    /// The factor by which other programs slow this one down: 1 if the machine does nothing else, 2 if this process
    /// gets half of the processors' time.
    let slowdown: Double
}

/// Measures the time that this process gets of all processors. The gateway must have nothing to do.
private func slowdown() async throws -> Double {
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let shares = try await concurrently(Array(0..<processors), limit: processors) { _ in
        let (start, used) = (ContinuousClock.now, timeOfThread())
        while ContinuousClock.now - start < .milliseconds(500) {}
        return (timeOfThread() - used) / (ContinuousClock.now - start)
    }
    return max(1, Double(processors) / shares.reduce(0, +))
}

/// Returns the processor time of the present thread.
private func timeOfThread() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// Runs a gateway for the attack of the body.
///
/// - Parameter settings: The settings by key, as in a configuration.
func withGatewayUnderAttack(
    _ settings: [String: String] = [:], _ body: (GatewayUnderAttack) async throws -> Void
) async throws {
    raiseDescriptorLimit()
    try await ServingProcess.runningWithAllPorts(settings) { serving in
        try await body(GatewayUnderAttack(serving: serving))
    }
}

/// `true` if `/proc` reports a process's resources.
var isLinux: Bool {
    #if os(Linux)
        true
    #else
        false
    #endif
}
