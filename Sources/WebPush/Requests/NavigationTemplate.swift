/// The template of the URL that a notification opens, such as `https://app.example/agents/{agent_key}`. A name in
/// braces stands for that value of the message's data, percent-encoded; for nothing if the message has no such value.
package struct NavigationTemplate: Hashable, Sendable {
    private enum Part: Hashable {
        case text(String)
        case value(String)
    }

    private let parts: [Part]

    /// Reads a template; `nil` if the text is no `https` URL with names in pairs of braces behind its host.
    package init?(_ text: String) {
        var (parts, rest) = ([Part](), text[...])
        while let start = rest.firstIndex(of: "{") {
            guard let end = rest[start...].firstIndex(of: "}") else { return nil }
            let name = rest[start..<end].dropFirst()
            guard !name.isEmpty, !name.contains("{") else { return nil }
            parts += [.text(String(rest[..<start])), .value(String(name))]
            rest = rest[end...].dropFirst()
        }
        parts.append(.text(String(rest)))
        guard case .text(let beginning) = parts[0], parts.allSatisfy(Self.isPartOfURL),
            (try? WebPushEndpoint(String(beginning.prefix { $0 != "#" }))) != nil,
            parts.count == 1 || beginning.dropFirst("https://".count).contains("/")
        else { return nil }
        self.parts = parts
    }

    private static func isPartOfURL(_ part: Part) -> Bool {
        guard case .text(let text) = part else { return true }
        return text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !forbidden.contains($0) }
    }

    private static let forbidden = Set(#"}"<>\^`|"#.utf8)

    /// Returns the URL for a message's data.
    package func url(for data: [String: String]) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let name): Self.encoded(data[name] ?? "")
            }
        }.joined()
    }

    /// Returns a text whose characters have no meaning in a URL (RFC 3986 §2.3).
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if unreserved.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
}
