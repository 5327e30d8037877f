import Foundation
import JSON

/// A gateway and an APNs simulator in processes of their own, with free ports and a temporary directory.
final class DemoStage {
    static let bundleID = "com.example.agents"

    let directory: URL
    let gatewayURL: String
    let simulatorURL: String
    let controlURL: String
    let processIDs: (gateway: Int32, simulator: Int32)
    private let simulator: ChildProcess
    private let gateway: ChildProcess

    init() async throws {
        // A new directory, with a name that no other user can predict.
        let directory = FileManager.default.temporaryDirectory.appending(path: "pushgate-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        self.directory = directory
        let simulator = try ChildProcess(
            [
                "apns-simulator", "--json", "--port", "0", "--control-port", "0", "--directory",
                directory.appending(path: "simulator").path,
            ], errors: directory.appending(path: "simulator.log"))
        self.simulator = simulator
        let addresses = try JSONValue(parsing: try await simulator.firstLine())
        let gateway = try ChildProcess(
            ["serve", "--port", "0", "--data-directory", directory.appending(path: "data").path],
            environment: Self.environment(for: addresses), errors: directory.appending(path: "gateway.log"))
        self.gateway = gateway
        _ = try await gateway.firstLine()
        gatewayURL = try String(contentsOf: directory.appending(path: "data/address"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        simulatorURL = addresses["apns"]?.string ?? ""
        controlURL = addresses["control"]?.string ?? ""
        processIDs = (gateway.id, simulator.id)
    }

    private static func environment(for simulator: JSONValue) -> [String: String] {
        [
            "PUSHGATE_APNS_ENDPOINT": simulator["apns"]?.string ?? "",
            "PUSHGATE_APNS_CA_FILE": simulator["ca_file"]?.string ?? "",
            "PUSHGATE_APNS_KEY_PATH": simulator["key_path"]?.string ?? "",
            "PUSHGATE_APNS_KEY_ID": simulator["key_id"]?.string ?? "",
            "PUSHGATE_APNS_TEAM_ID": simulator["team_id"]?.string ?? "",
            "PUSHGATE_APNS_BUNDLE_ID": bundleID,
            // The simulator is on this machine, so a proxy in the environment does not apply.
            "PUSHGATE_APNS_PROXY": "",
        ]
    }

    /// Prints the logs of both processes, after a failure.
    func printLogs() {
        for name in ["simulator.log", "gateway.log"] {
            let text = (try? String(contentsOf: directory.appending(path: name), encoding: .utf8)) ?? ""
            if !text.isEmpty { print("--- \(name)\n\(text)") }
        }
    }

    /// Stops both processes, the gateway first, and removes the directory.
    func strike() {
        gateway.stop()
        simulator.stop()
        try? FileManager.default.removeItem(at: directory)
    }
}
