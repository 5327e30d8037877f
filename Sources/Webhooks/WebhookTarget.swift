import Cryptography
import Foundation

/// A URL that events are sent to.
package struct WebhookTarget: Hashable, Sendable {
    /// The id, which names its queue.
    package let id: String
    /// The URL. Its path may be a secret.
    package let url: String
    /// `true` if the URL is in the configuration, so that it may lead anywhere. Any other leads to hosts on the
    /// internet only.
    package let isConfigured: Bool
    /// The kinds of its events.
    package let kinds: Set<WebhookEventKind>
    /// The secret that signs its events.
    let secret: [UInt8]

    /// The scheme, host and port, for logs and pages.
    package var origin: String { Self.origin(of: url) }

    /// Returns the origin of a URL, with its user and password, for which a URL is refused where it is read.
    static func origin(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? "\(parts[0])//\(parts[2].prefix { !"/?#".contains($0) })" : "?"
    }

    /// The secret as the specification writes it: `whsec_` and base64. Receivers need it.
    package var secretText: String { "whsec_" + Data(secret).base64EncodedString() }

    /// Returns the id of a URL in the configuration, which is the same after each start.
    static func id(ofConfigured url: String) -> String { "configured-" + SHA256.hexadecimal(of: url).prefix(16) }
}

extension WebhookTarget: CustomStringConvertible, CustomReflectable {
    /// The id and the origin: the path may be a secret.
    package var description: String { "\(id) \(origin)" }
    /// A mirror without the URL and the secret.
    package var customMirror: Mirror { Mirror(self, children: ["id": id, "origin": origin]) }
}
