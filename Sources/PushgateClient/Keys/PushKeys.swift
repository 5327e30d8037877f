/// The keys under which the gateway keeps servers and agents, and which notifications carry.
public enum PushKeys {
    /// The `server_key`: SHA-256 of the trimmed secret, as 64 lower-case hexadecimal digits.
    public static func serverKey(secret: String) -> String { SHA256Digest.hexadecimal(of: secret.trimmingBlanks()) }

    /// The `agent_key`: SHA-256 of the trimmed path, as 64 lower-case hexadecimal digits. It is also the notification's
    /// thread id and collapse id.
    public static func agentKey(cwd: String) -> String { SHA256Digest.hexadecimal(of: cwd.trimmingBlanks()) }
}

extension String {
    /// Without the white space around it, scalar by scalar, as the gateway trims before it hashes.
    func trimmingBlanks() -> String {
        guard let first = unicodeScalars.firstIndex(where: { !$0.isBlank }),
            let last = unicodeScalars.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(unicodeScalars[first...last])
    }
}

extension Unicode.Scalar {
    /// Unicode's white space, and the byte order mark, as ECMAScript counts it.
    fileprivate var isBlank: Bool { properties.isWhitespace || self == "\u{FEFF}" }
}
