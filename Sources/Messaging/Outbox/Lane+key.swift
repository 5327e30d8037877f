/// The lane as a text: transport, topic and environment, `apns/com.example.app/sandbox`, empty where there is none.
///
/// Letters, digits, `.`, `-` and `_` stand for themselves, all else is percent-encoded (RFC 3986 §2.1), so that no key has
/// a space in it: what follows one in ``QueuePlace`` is never taken for a part of the lane.
extension Lane {
    var key: String {
        [transport.rawValue, topic ?? "", environment?.rawValue ?? ""].map(Self.encode).joined(separator: "/")
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
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        return text.utf8.map { isPlain($0) ? String(Unicode.Scalar($0)) : "%" + hexadecimal($0) }.joined()
    }

    private static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
            rest.removeFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
