import Foundation
import Gateway
import HTTPTypes
import PushgateClient
import Synchronization
import TestSupport
import Testing

/// The relay of an app's author, with Apple's side behind it, and the way for gateways that send through it.
struct RelayWorld: Sendable {
    /// The host in the addresses of the relay.
    static let host = "relay.example.com"
    /// The usual host of a gateway that sends through it.
    static let sender = "gateway.example.com"

    private static let limits = [
        "relay.callsPerMinutePerAddress", "relay.newInstallationsPerHourPerAddress",
        "relay.messagesPerMinutePerAddress", "relay.messagesPerMinutePerInstallation",
        "relay.messagesPerMinutePerSecret", "relay.cardsPerHourPerInstallation",
    ]

    /// The settings of a relay without limits.
    static let settings = Dictionary(uniqueKeysWithValues: limits.map { ($0, "0") })
        .merging(["relay.enabled": "true", "http.publicUrl": "https://\(host)"]) { $1 }

    let apns: RunningSimulator
    let relay: RunningGateway
    let hosts: HostTable
    /// The settings of a gateway that sends through the relay.
    let sending: [String: String]

    /// Runs a relay for the duration of the body.
    ///
    /// - Parameters:
    ///   - directory: The data directory, if it outlives the relay.
    ///   - hosts: The hosts that apps call; the relay takes its place among them.
    static func running(
        in directory: String? = nil, _ apns: RunningSimulator, _ hosts: HostTable = HostTable(),
        _ body: (RelayWorld) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let files = try TLSFiles(in: folder, name: host)
            let settings = files.settings.merging(settings) { $1 }
            try await withGateway(settings, simulator: apns, in: directory) { relay in
                let port = try #require(await relay.gateway.listening()?.https?.split(separator: ":").last)
                hosts.lead(host, to: relay)
                try await body(
                    RelayWorld(
                        apns: apns, relay: relay, hosts: hosts,
                        sending: [
                            "relay.hosts": host, "relay.caFile": files.caFile,
                            "relay.connectTo": "\(host)=127.0.0.1:\(port)",
                        ]))
            }
        }
    }

    /// Runs a gateway that sends through the relay for the duration of the body.
    func withSender(
        _ host: String = Self.sender, in directory: String? = nil, _ body: (RunningGateway) async throws -> Void
    ) async throws {
        try await withGateway(sending, in: directory) { gateway in
            hosts.lead(host, to: gateway)
            try await body(gateway)
        }
    }
}

/// Runs a simulator of Apple's side, a relay, and a gateway that sends through it, for the duration of the body.
func withRelayWorld(_ body: (RelayWorld, RunningGateway) async throws -> Void) async throws {
    try await withSimulator { apns in
        try await RelayWorld.running(apns) { world in
            try await world.withSender { gateway in try await body(world, gateway) }
        }
    }
}

/// The hosts that an app calls, each led to the gateway that serves it now.
final class HostTable: HTTPSending {
    private struct NoSuchHost: Error {}

    private let callers = Mutex<[String: Caller]>([:])

    func lead(_ host: String, to gateway: RunningGateway) { lead(host, to: gateway.caller) }

    func lead(_ host: String, to caller: Caller) { callers.withLock { $0[host] = caller } }

    func send(_ request: GatewayRequest) async throws -> GatewayResponse {
        guard let caller = callers.withLock({ $0[request.url.host() ?? ""] }),
            let method = HTTPRequest.Method(request.method)
        else { throw NoSuchHost() }
        var fields = HTTPFields()
        for (name, value) in request.headerFields {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let answer = try await caller.send(method, request.url.path, headerFields: fields, body: Array(request.body))
        return GatewayResponse(
            status: answer.status, retryAfter: answer.headerFields[.retryAfter], body: Data(answer.bytes))
    }
}
