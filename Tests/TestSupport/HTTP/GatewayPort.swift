import TestBasics
import Testing

/// A port of a gateway.
package enum GatewayPort: String, CaseIterable, Sendable {
    case plain, https, redirect
    /// The port for clients of FCM, whose connections are those of `https`.
    case tls
    case proxy

    /// One port of each kind of connection.
    package static let kinds: [GatewayPort] = [.plain, .https, .redirect, .proxy]
    /// One port of each kind of connection that serves the routes over TLS, and therefore HTTP/2.
    package static let overTLS: [GatewayPort] = [.https, .proxy]

    /// The status of the answer to `TLSConnection.healthRequest`: the port that leads to HTTPS redirects.
    package var healthStatus: Int { self == .redirect ? 308 : 200 }

    /// Opens a connection that is ready for a request.
    ///
    /// - Parameters:
    ///   - serving: a process with the port; see ``ServingProcess/runningWithAllPorts(_:descriptors:_:)``.
    ///   - source: an address of this machine to connect from; `nil` for the system's choice.
    package func open(
        _ serving: ServingProcess, from source: String? = nil, protocols: [String] = ["http/1.1"]
    ) async throws -> TLSConnection {
        switch self {
        case .plain: return try await .openPlain(from: source, port: Int(serving.caller.port))
        case .redirect: return try await .openPlain(from: source, port: serving.port("redirect"))
        case .https:
            return try await .open(
                from: source, port: serving.port("https"), trusting: serving.directory + "/../ca.pem",
                protocols: protocols)
        case .tls, .proxy:
            let addresses = try FCMAddresses(serving)
            return try await .open(
                from: source, port: self == .proxy ? addresses.proxyPort : addresses.tlsPort, isProxy: self == .proxy,
                trusting: addresses.caFile, protocols: protocols)
        }
    }
}

extension ServingProcess {
    /// Runs the program with all its ports, of which each is reached under `TLSConnection.name`; see
    /// ``running(in:_:environment:descriptors:_:)``.
    package static func runningWithAllPorts<Output>(
        _ settings: [String: String] = [:], descriptors: String? = nil, _ body: (ServingProcess) async throws -> Output
    ) async throws -> Output {
        try await withTemporaryDirectory { directory in
            let files = try TLSFiles(in: directory, name: TLSConnection.name)
            let ports = FCMAddresses.settings.merging(files.settings) { $1 }
            return try await running(
                in: directory + "/data", ports.merging(settings) { $1 }, descriptors: descriptors, body)
        }
    }

    /// Returns the port of the address after a word in the banner.
    package func port(_ name: String) throws -> Int {
        try #require(address(name)?.split(separator: ":").last.flatMap { Int($0) })
    }
}
