import GRPC
import HTTPTypes
import Hummingbird
import IPAddresses
import Server

/// The parts of a call on which access depends, the same for gRPC and REST.
struct FirestoreRequest: Sendable {
    var peer: IPAddress?
    /// The `Host` field, or `:authority` with HTTP/2.
    var authority: String?
    /// The hosts under which clients reach the listener, besides the names of the gateway.
    var listenerHosts: [String] = []
    /// The fields of the call; for gRPC, those that the rules of access read.
    var headerFields: HTTPFields = [:]
}

extension FirestoreRequest {
    /// Takes the parts of a request to the REST interface.
    init(_ request: Request, _ context: GatewayRequestContext) {
        self.init(
            peer: context.peer, authority: request.head.authority, listenerHosts: context.listenerHosts,
            headerFields: request.headers)
    }

    /// Takes the parts of a call over gRPC.
    init(_ call: GRPCCall) {
        var fields = HTTPFields()
        for field in call.headers where Self.isRelevant(field.name) {
            if let name = HTTPField.Name(field.name) { fields.append(HTTPField(name: name, value: field.value)) }
        }
        self.init(
            peer: call.peer.flatMap(IPAddress.init), authority: call.headers.first(name: ":authority"),
            headerFields: fields)
    }

    /// Returns `true` for the fields that the rules read. HTTP/2 sends names in lower case.
    private static func isRelevant(_ name: String) -> Bool {
        switch name {
        case "authorization", "origin", "forwarded", "sec-fetch-site", "sec-fetch-dest": true
        default: name.hasPrefix("x-forwarded-")
        }
    }
}
