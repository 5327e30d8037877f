import Foundation

/// A request of Chromium for a registration token, or to delete one (Chromium, `google_apis/gcm/engine`,
/// `instance_id_get_token_request_handler.cc` and its neighbors).
struct RegistrationRequest: Hashable, Sendable {
    /// The id of the browser's profile, given at its check-in.
    let androidID: UInt64
    /// The secret that belongs to the id.
    let securityToken: UInt64
    /// The browser's name, such as `org.chromium.linux`.
    let app: String
    /// The id of the page's service worker; `nil` if the request has none.
    let subtype: String?
    /// The page's application server key in base64url, or `*` to delete the tokens of all keys.
    let sender: String
    /// The id of the instance that the token belongs to; `nil` if the request has none.
    let instanceID: String?
    /// `true` to delete the token.
    let isDeletion: Bool

    /// Reads the form in a request's body, and the field `authorization`.
    ///
    /// - Returns: `nil` if one of the required values is missing.
    init?(form body: [UInt8], authorization: String?) {
        guard let (androidID, securityToken) = Self.credentials(authorization) else { return nil }
        let form = Self.fields(body)
        guard let app = form["app"] else { return nil }
        let isDeletion = form["delete"] == "true"
        guard let sender = form["sender"] ?? (isDeletion ? "*" : nil), !sender.isEmpty else { return nil }
        self.androidID = androidID
        self.securityToken = securityToken
        self.app = app
        self.subtype = form["X-subtype"] ?? form["subtype"]
        self.sender = sender
        self.instanceID = form["appid"]
        self.isDeletion = isDeletion
    }

    /// The body of the answer to a deletion. Chromium compares the id in it with its own.
    var deletionAnswer: String { instanceID.map { "token=\($0)" } ?? "deleted=\(app)" }

    /// Reads `AidLogin <id>:<secret>`.
    private static func credentials(_ authorization: String?) -> (androidID: UInt64, securityToken: UInt64)? {
        let words = authorization?.split(separator: " ") ?? []
        guard words.count == 2, words[0] == "AidLogin" else { return nil }
        let numbers = words[1].split(separator: ":").map { UInt64($0) }
        guard numbers.count == 2, let androidID = numbers[0], let securityToken = numbers[1] else { return nil }
        return (androidID, securityToken)
    }

    private static func fields(_ body: [UInt8]) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(decoded)
            fields[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        return fields
    }

    private static func decoded(_ text: Substring) -> String {
        let text = String(text).replacing("+", with: " ")
        return text.removingPercentEncoding ?? text
    }
}
