import JSON

/// A request to a relay to deliver a sealed message.
package struct RelayRequest: Sendable {
    /// The relay.
    package let server: RelayServer
    /// The value of `Authorization`, which no log may have.
    let authorization: String
    /// The JSON, which no other request has.
    package let body: [UInt8]
    /// The time for the whole request.
    let deadline: Duration

    static let path = "/relay/v1/send"

    /// Creates the request for one notification.
    ///
    /// - Parameter id: The notification's id, by which the relay recognizes a repetition.
    init(
        to address: RelayAddress, _ keys: RelayKeys, id: String, sealed: String, collapseID: String?,
        _ delivery: RelayDelivery, deadline: Duration
    ) {
        server = address.server
        authorization = "Bearer \(keys.sendSecret)"
        self.deadline = deadline
        var body: JSONObject = [
            "address": .string(address.text), "id": .string(id), "sealed": .string(sealed),
        ]
        let collapseID = delivery.card == nil ? collapseID : nil
        body["collapse"] = collapseID.map { .string(CollapseDigest.text(of: $0, key: keys.collapseKey)) }
        body["priority"] = .string(delivery.priority.rawValue)
        body["ttl"] = .integer(delivery.ttl)
        body["kind"] = .string(delivery.kind.rawValue)
        body["card"] = delivery.card?.json(key: keys.collapseKey)
        self.body = JSONValue.object(body).serialized
    }

    /// The URL of the call.
    var url: String { "https://\(server)\(Self.path)" }
}

/// The reason why a request to a relay has no answer.
package struct RelayRequestError: Error, Hashable, Sendable {
    /// The kind, such as `timedOut`.
    package let kind: String
    /// `true` if other requests to the relay would fail in the same way now.
    package let isWithoutConnection: Bool
    /// `true` if the host has no address that may be connected to.
    package let isAddressRefused: Bool
    /// `true` if TLS failed: the relay's certificate is not trusted, or the port speaks something else.
    package let isUntrusted: Bool
    /// `true` if this gateway gave the request up.
    package let isOwn: Bool
    /// The error in words.
    package let description: String

    package init(
        kind: String, isWithoutConnection: Bool = false, isAddressRefused: Bool = false, isUntrusted: Bool = false,
        isOwn: Bool = false, description: String = ""
    ) {
        self.kind = kind
        self.isWithoutConnection = isWithoutConnection
        self.isAddressRefused = isAddressRefused
        self.isUntrusted = isUntrusted
        self.isOwn = isOwn
        self.description = description
    }
}
