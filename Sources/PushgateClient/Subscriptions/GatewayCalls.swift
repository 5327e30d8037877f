import Foundation

/// The requests of one device to one server's gateway, with their wire names.
struct GatewayCalls: Sendable {
    /// The longest display name that the gateway accepts, in UTF-16 units.
    private static let longestDisplayName = 120
    /// The path of a paired device's own subscription.
    private static let pairedSubscription = "try/subscription"

    let account: ServerAccount
    let installationID: String
    let build: AppBuild
    /// The part for cards; `nil` for a device that shows none.
    let liveActivity: LiveActivityRegistration?

    func registration(of subscription: ChatSubscription, to recipient: Recipient) -> GatewayRequest {
        var fields = recipient.fields(build)
        fields["platform"] = .text(build.platform)
        fields["app_version"] = build.version.map(FieldValue.text)
        if build.sendsReceipts { fields["receipts"] = .boolean(true) }
        fields["live_activity"] = liveActivity.map { recipient.value(of: $0) }
        if account.pairing != nil { return request("PUT", Self.pairedSubscription, fields) }
        fields["cwd"] = .text(subscription.chat.cwd)
        fields["installation_id"] = .text(installationID)
        fields["agent_display_name"] = subscription.displayName
            .map { .text($0.prefix(utf16Length: Self.longestDisplayName)) }
        return request("POST", "registerSubscription", fields)
    }

    func unregistration(of departure: Unsubscription) -> GatewayRequest {
        if account.pairing != nil { return request("DELETE", Self.pairedSubscription, nil) }
        var fields: [String: FieldValue] = ["installation_id": .text(installationID)]
        fields["cwd"] = departure.chat.map { .text($0.cwd) }
        return request("POST", "unregisterSubscription", fields)
    }

    /// Returns a hash that is equal for requests with the same content to the same gateway.
    func fingerprint(of request: GatewayRequest) -> String {
        let body = String(decoding: request.body, as: UTF8.self)
        return SHA256Digest.hexadecimal(of: "\(request.url.absoluteString)\n\(account.secret.serverKey)\n\(body)")
    }

    /// - Parameter fields: The members of the body; `nil` for a request without one.
    private func request(_ method: String, _ path: String, _ fields: [String: FieldValue]?) -> GatewayRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return GatewayRequest(
            method: method, url: account.gateway.function(path),
            headerFields: [
                "Authorization": "Bearer \(account.secret.value)", "Content-Type": "application/json",
            ],
            // Strings and flags always encode.
            body: fields.flatMap { try? encoder.encode($0) } ?? Data())
    }
}

/// The way to this device, as a registration names it.
enum Recipient: Hashable, Sendable {
    /// The device's token.
    case token(String)
    /// The address at the author's relay.
    case relay(RelayRoute)

    /// Returns the members of a registration's body. An app at a relay is not one of the gateway's.
    fileprivate func fields(_ build: AppBuild) -> [String: FieldValue] {
        switch self {
        case .token(let token):
            var fields: [String: FieldValue] = ["fcm_token": .text(token)]
            fields["bundle_id"] = build.bundleID.map(FieldValue.text)
            fields["apns_environment"] = (build.apnsEnvironment?.rawValue).map(FieldValue.text)
            return fields
        case .relay(let route): return ["fcm_token": .text(route.address), "relay": .texts(route.secrets)]
        }
    }
}

extension Recipient {
    /// Returns the part for cards. A relay has the tokens of its devices.
    fileprivate func value(of liveActivity: LiveActivityRegistration) -> FieldValue {
        guard case .token = self else { return .object([:]) }
        var members: [String: FieldValue] = [
            "push_to_start_token": .text(liveActivity.startToken),
            "frequent_updates": .boolean(liveActivity.hasFrequentUpdates),
        ]
        if !liveActivity.updateTokens.isEmpty { members["update_tokens"] = .texts(liveActivity.updateTokens) }
        return .object(members)
    }
}

/// The value of a field.
private enum FieldValue: Encodable {
    case text(String)
    case texts([String: String])
    case boolean(Bool)
    case object([String: FieldValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .texts(let texts): try container.encode(texts)
        case .boolean(let value): try container.encode(value)
        case .object(let members): try container.encode(members)
        }
    }
}

extension String {
    /// Returns the longest prefix of whole characters that is no longer than the limit.
    func prefix(utf16Length limit: Int) -> String {
        guard utf16.count > limit else { return self }
        var length = 0
        return String(
            prefix {
                length += $0.utf16.count
                return length <= limit
            })
    }
}
