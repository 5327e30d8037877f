package import Gateway
package import HTTPTypes
package import JSON
import Secrets
package import TestDoubles
import Testing

/// A gateway that serves inside the test process, on a free port, while ``withGateway(_:simulator:in:log:_:)`` runs
/// its body.
package struct RunningGateway: Sendable {
    package let gateway: Gateway
    package let caller: Caller
    /// The gateway's log, from level trace on.
    package let log: CollectedLog

    /// The gateway's URL, `http://127.0.0.1:50123`.
    package var url: String { caller.url }
    package var port: UInt16 { caller.port }
    /// The gateway's data directory.
    package var directory: String { gateway.configuration.data.directory }

    /// Sends a request with the admin token.
    package func ask(_ path: String, _ method: HTTPRequest.Method = .get, _ body: JSONValue? = nil) async throws
        -> Answer
    {
        try await caller.send(
            method, path, headerFields: [.authorization: "Bearer \(gateway.adminToken.value)"],
            body: body?.serialized ?? [])
    }

    /// Returns a delivery once all of its notifications have settled, which is stored after the answer to its request.
    package func settledDelivery(_ id: String) async throws -> JSONValue {
        var delivery = JSONValue.null
        try await eventually("the notifications settle") {
            delivery = try await ask("/v1/deliveries/\(id)").body
            return delivery["pending"] == 0
        }
        return delivery
    }
}
