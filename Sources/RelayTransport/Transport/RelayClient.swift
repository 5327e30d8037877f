import HTTPClient
import HTTPTypes
import IPAddresses
package import Logging

/// A sender of requests to relays.
package protocol RelayCaller: Sendable {
    /// Sends a request once, and returns the answer.
    func answer(to request: RelayRequest) async -> Result<RelayAnswer, RelayRequestError>
    /// Gives up the request with a body, if it is in progress.
    func cancel(_ body: [UInt8])
}

/// The client for the relays, which asks for each address before it connects.
package final class RelayClient: RelayCaller {
    /// The greatest number of bytes of an answer's body, and of its head. A relay's own have some hundred.
    private static let maximumAnswerBytes = 16 * 1_024
    /// The greatest number of connections that stay open without requests.
    private static let maximumConnections = 64

    private let client: HTTPClient
    private let now: @Sendable () -> Int64

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - caFile: The path of a PEM file with the trusted authorities; `nil` for the system's.
    ///   - connectTo: Other servers to connect to, by host.
    ///   - hosts: Returns the relays that may be connected to.
    ///   - now: Seconds since 1970, for answers without a date.
    package init(
        caFile: String?, connectTo: [String: String], hosts: @escaping @Sendable () -> RelayHosts,
        now: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        var configuration = HTTPClient.Configuration()
        configuration.caFile = caFile
        configuration.connectTo = connectTo
        configuration.refusal = { address, host in
            guard connectTo[host] == nil, let reason = hosts().refusal(of: address, for: host) else { return nil }
            RelayMetrics.recordRefusedAddress()
            return reason
        }
        configuration.maximumResponseBytes = Self.maximumAnswerBytes
        configuration.maximumHeadBytes = Self.maximumAnswerBytes
        configuration.cutsLongBodies = true
        configuration.maximumConnections = Self.maximumConnections
        configuration.connectTimeout = .seconds(5)
        configuration.idleLifetime = .seconds(60)
        client = HTTPClient(configuration: configuration, logger: logger)
        self.now = now
    }

    package func answer(to request: RelayRequest) async -> Result<RelayAnswer, RelayRequestError> {
        var outgoing = HTTPClientRequest(
            method: .post, url: request.url, headerFields: [.authorization: request.authorization],
            body: request.body, deadline: request.deadline)
        outgoing.sharedHeaderFields = Self.headerFields
        do throws(HTTPClientError) {
            let response = try await client.execute(outgoing)
            return .success(
                RelayAnswer(
                    status: response.statusCode, body: response.body, retryAfter: response.headerFields[.retryAfter],
                    now: response.date ?? now()))
        } catch {
            return .failure(RelayRequestError(error))
        }
    }

    package func cancel(_ body: [UInt8]) { client.cancel { $0.body == body } }

    /// Begins no further request on the open connections, whose addresses other rules have allowed.
    func rulesHaveChanged() { client.renewConnections() }

    /// Closes all connections at once. Requests in progress fail.
    package func shutdown() async { await client.shutdown(within: .zero) }

    private static let headerFields = SharedHeaderFields([.contentType: "application/json"])
}

extension RelayRequestError {
    fileprivate init(_ error: HTTPClientError) {
        self.init(
            kind: error.kind.rawValue,
            // libcurl's own time limits are those of connecting.
            isWithoutConnection: error.isWithoutConnection && (error.kind != .timedOut || error.curlCode != nil),
            isAddressRefused: error.kind == .addressRefused, isUntrusted: error.kind == .tls,
            isOwn: error.kind == .cancelled || error.kind == .closed, description: "\(error)")
    }
}
