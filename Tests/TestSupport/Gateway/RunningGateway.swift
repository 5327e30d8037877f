public import Gateway
public import HTTPTypes
public import TestDoubles

/// A gateway that serves inside the test process, on a free port, while ``withGateway(_:simulator:in:log:_:)`` runs
/// its body.
public struct RunningGateway: Sendable {
    public let gateway: Gateway
    public let caller: Caller
    /// The gateway's log, from level trace on.
    public let log: CollectedLog

    /// The gateway's URL, `http://127.0.0.1:50123`.
    public var url: String { caller.url }
    public var port: UInt16 { caller.port }
    /// The gateway's data directory.
    public var directory: String { gateway.configuration.dataDirectory }

    /// Sends a request with the admin token.
    public func ask(_ path: String, _ method: HTTPRequest.Method = .get) async throws -> Answer {
        try await caller.send(
            method, path, headerFields: [.authorization: "Bearer \(gateway.adminToken.value)"])
    }
}
