import Cryptography
import Foundation
package import HTTPTypes

/// The header fields of an event, as the [Standard
/// Webhooks](https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md) specification
/// has them: an id that is the same at each attempt, the time of the attempt, and a signature of both and the body by
/// HMAC-SHA256.
package enum WebhookSignature {
    /// Returns the fields.
    ///
    /// - Parameter seconds: The time of the attempt, in seconds since 1970.
    package static func fields(id: String, at seconds: Int64, body: [UInt8], secret: [UInt8]) -> HTTPFields {
        let signed = Array("\(id).\(seconds).".utf8) + body
        let code = Data(HMACSHA256.code(for: signed, key: secret)).base64EncodedString()
        var fields: HTTPFields = [.contentType: "application/json"]
        let values = [
            ("webhook-id", id), ("webhook-timestamp", String(seconds)), ("webhook-signature", "v1,\(code)"),
        ]
        for (name, value) in values {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }
}
