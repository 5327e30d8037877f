public import APNsSimulator

/// Apple's side, inside the test process.
public struct RunningSimulator: Sendable {
    public let simulator: APNsSimulator
    public let addresses: APNsSimulatorAddresses

    /// The bundle id that ``gatewaySettings`` sets.
    public static let bundleID = "com.example.agents"

    /// What points a gateway here, by key.
    public var gatewaySettings: [String: String] {
        [
            "apns.endpoint": addresses.apns,
            "apns.caFile": addresses.certificateAuthorityPath,
            "apns.keyPath": addresses.providerKeyPath ?? "",
            "apns.keyId": addresses.providerKeyID ?? "",
            "apns.teamId": addresses.providerTeamID ?? "",
            "apns.bundleId": Self.bundleID,
        ]
    }
}

/// Runs an APNs simulator for as long as the body takes.
public func withSimulator<Output>(
    _ body: (RunningSimulator) async throws -> Output
) async throws -> Output {
    var configuration = APNsSimulatorConfiguration()
    configuration.gracePeriod = .milliseconds(100)
    configuration.rules.isStrict = true
    let simulator = APNsSimulator(configuration: configuration)
    let addresses = try await simulator.start()
    do {
        let result = try await body(RunningSimulator(simulator: simulator, addresses: addresses))
        await simulator.shutdown()
        return result
    } catch {
        await simulator.shutdown()
        throw error
    }
}
