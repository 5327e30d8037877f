import Foundation
package import Secrets

/// The webhooks of the configuration.
package struct WebhookSettings: Hashable, Sendable {
    /// The URLs.
    package var urls: [String]
    /// The secret that signs their events; `nil` for one that the gateway derives for each.
    package var secret: [UInt8]?
    /// The kinds of their events.
    package var kinds: [WebhookEventKind]

    package init(urls: [String] = [], secret: [UInt8]? = nil, kinds: [WebhookEventKind] = WebhookEventKind.allCases) {
        self.urls = urls
        self.secret = secret
        self.kinds = kinds
    }

    /// Reads a URL of the configuration, which may be of any host; `nil` for any other text.
    package static func url(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URL(string: text),
            ["http", "https"].contains(url.scheme), let host = url.host, !host.isEmpty, url.fragment == nil,
            !WebhookTarget.origin(of: text).contains("@")
        else { return nil }
        return text
    }

    /// Reads a secret as the specification writes it: `whsec_` and 24 to 64 bytes in base64; `nil` for any other text.
    package static func secret(_ text: RedactedString) -> [UInt8]? {
        let mark = "whsec_"
        guard text.value.hasPrefix(mark), let bytes = Data(base64Encoded: String(text.value.dropFirst(mark.count))),
            (24...64).contains(bytes.count)
        else { return nil }
        return Array(bytes)
    }
}
