import Foundation

/// The requests of one device to one server's gateway, with their wire names.
struct GatewayCalls: Sendable {
    /// The longest display name that the gateway accepts, in UTF-16 units.
    private static let longestDisplayName = 120

    let account: ServerAccount
    let installationID: String
    let build: AppBuild

    func registration(of subscription: ChatSubscription, token: String) -> GatewayRequest {
        var fields = [
            "cwd": subscription.chat.cwd, "installation_id": installationID, "fcm_token": token,
            "platform": build.platform,
        ]
        fields["agent_display_name"] = subscription.displayName?.prefix(utf16Length: Self.longestDisplayName)
        fields["bundle_id"] = build.bundleID
        fields["apns_environment"] = build.apnsEnvironment?.rawValue
        fields["app_version"] = build.version
        return post("registerSubscription", fields, flags: build.sendsReceipts ? ["receipts"] : [])
    }

    func unregistration(of departure: Unsubscription) -> GatewayRequest {
        var fields = ["installation_id": installationID]
        fields["cwd"] = departure.chat?.cwd
        return post("unregisterSubscription", fields)
    }

    /// Returns a hash that is equal for requests with the same content to the same gateway.
    func fingerprint(of request: GatewayRequest) -> String {
        let body = String(decoding: request.body, as: UTF8.self)
        return SHA256Digest.hexadecimal(of: "\(request.url.absoluteString)\n\(account.secret.serverKey)\n\(body)")
    }

    /// - Parameter flags: The fields that are `true`.
    private func post(_ function: String, _ fields: [String: String], flags: [String] = []) -> GatewayRequest {
        var values = fields.mapValues(FieldValue.text)
        for flag in flags { values[flag] = .flag }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return GatewayRequest(
            url: account.gateway.function(function),
            headerFields: [
                "Authorization": "Bearer \(account.secret.value)", "Content-Type": "application/json",
            ],
            // Strings and flags always encode.
            body: (try? encoder.encode(values)) ?? Data())
    }
}

/// The value of a field: a text, or `true`.
private enum FieldValue: Encodable {
    case text(String)
    case flag

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .flag: try container.encode(true)
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
