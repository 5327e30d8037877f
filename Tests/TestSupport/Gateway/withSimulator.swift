package import APNsSimulator

/// The simulator of Apple's side, running inside the test process.
package struct RunningSimulator: Sendable {
    package let simulator: APNsSimulator
    package let addresses: APNsSimulatorAddresses

    /// The bundle id that ``gatewaySettings`` sets.
    package static let bundleID = "com.example.agents"

    /// The settings that connect a gateway to this simulator, by key.
    package var gatewaySettings: [String: String] {
        [
            "apns.endpoint": addresses.apns,
            "apns.channelEndpoint": addresses.channels,
            "apns.caFile": addresses.certificateAuthorityPath,
            "apns.keyPath": addresses.providerKeyPath ?? "",
            "apns.keyId": addresses.providerKeyID ?? "",
            "apns.teamId": addresses.providerTeamID ?? "",
            "apns.bundleId": Self.bundleID,
        ]
    }
}

/// Runs an APNs simulator for the duration of the body.
package func withSimulator<Output>(
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
