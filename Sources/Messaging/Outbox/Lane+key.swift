internal import Foundation

/// The lane as a text: transport, topic and environment, `apns/com.example.app/sandbox`, empty where there is none.
///
/// Letters, digits, `.`, `-` and `_` stand for themselves, all else is percent-encoded (RFC 3986 §2.1), so that no key has
/// a space in it: what follows one in ``QueuePlace`` is never taken for a part of the lane.
extension Lane {
    var key: String {
        "\(Self.encode(transport.rawValue))/\(Self.encode(topic ?? ""))/\(Self.encode(environment?.rawValue ?? ""))"
    }

    /// nil when the text is no key.
    init?(key: Substring) {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false).map(Self.decode)
        guard parts.count == 3, let transport = parts[0], let topic = parts[1], let name = parts[2] else { return nil }
        let environment = APNsEnvironment(rawValue: name)
        guard !transport.isEmpty, name.isEmpty || environment != nil else { return nil }
        self.init(
            transport: TransportName(rawValue: transport), topic: topic.isEmpty ? nil : topic, environment: environment)
    }

    private static func encode(_ text: String) -> String {
        // Most do, and Foundation makes a copy or two of each.
        if text.unicodeScalars.allSatisfy(plain.contains) { return text }
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    private static func decode(_ text: Substring) -> String? { text.removingPercentEncoding }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_")
}
