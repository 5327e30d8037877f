import Cryptography
package import Secrets

/// The admin token that a gateway makes for itself, in its data directory.
package struct AdminTokenFile: Sendable {
    static let name = "admin-token"
    /// The minimum length of an admin token, in characters.
    package static let minimumLength = 16

    private let files: DataFolder

    init(in files: DataFolder) { self.files = files }

    private var path: String { "\(files.path)/\(Self.name)" }

    /// Returns the token, and creates one if there is none.
    ///
    /// - Returns: The token, and `true` if it is new.
    /// - Throws: `GatewayError` if the file cannot be read, holds no token, or holds one that can be guessed. An
    ///   existing file is never replaced.
    package func readOrCreate() throws(GatewayError) -> (token: RedactedString, isNew: Bool) {
        if let token = try read() {
            try checkLength(of: token)
            return (token, false)
        }
        let token = Base64URL.encode(RandomBytes.generate(32))
        try files.write(token + "\n", to: Self.name)
        return (RedactedString(token), true)
    }

    /// Returns the token; `nil` if there is none or it cannot be read.
    package func existing() -> RedactedString? { try? read() }

    private func read() throws(GatewayError) -> RedactedString? {
        guard let token = try files.text(of: Self.name) else { return nil }
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw GatewayError("there is no token in \(path). Restore it, or delete it for a new token.")
        }
        return RedactedString(token)
    }

    private func checkLength(of token: RedactedString) throws(GatewayError) {
        guard token.value.utf8.count >= Self.minimumLength else {
            throw GatewayError(
                "the token in \(path) has fewer than \(Self.minimumLength) characters and can be guessed. Delete the "
                    + "file to get a new token, or write a longer one to it.")
        }
    }
}
