internal import Foundation

/// The requests of one phone to one server's gateway. The names on the wire stand here.
struct GatewayCalls: Sendable {
    /// The longest display name the gateway takes, in UTF-16 units.
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
        return post("registerSubscription", fields)
    }

    func unregistration(of departure: Departure) -> GatewayRequest {
        var fields = ["installation_id": installationID]
        fields["cwd"] = departure.chat?.cwd
        return post("unregisterSubscription", fields)
    }

    /// Equal for requests that would tell the same gateway the same.
    func fingerprint(of request: GatewayRequest) -> String {
        let body = String(decoding: request.body, as: UTF8.self)
        return SHA256Digest.hexadecimal(of: "\(request.url.absoluteString)\n\(account.secret.serverKey)\n\(body)")
    }

    private func post(_ function: String, _ fields: [String: String]) -> GatewayRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return GatewayRequest(
            url: account.gateway.function(function),
            headerFields: [
                "Authorization": "Bearer \(account.secret.value)", "Content-Type": "application/json",
            ],
            // Strings always encode.
            body: (try? encoder.encode(fields)) ?? Data())
    }
}

extension String {
    /// As many whole characters from the beginning as fit.
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
