internal import Cryptography

/// The secrets that a gateway makes for itself.
extension DataDirectory {
    /// The shortest admin token that is taken, in characters.
    static let minimumTokenLength = 16
    private static let adminTokenName = "admin-token"

    // MARK: The admin token

    /// The token kept here, made when there is none.
    ///
    /// - Returns: the token, and whether it is new.
    /// - Throws: when there is a file that cannot be read, or has no token in it, or one that can be guessed: it is never
    ///   replaced.
    func adminToken() throws(GatewayError) -> (token: RedactedString, isNew: Bool) {
        if let token = try storedAdminToken() {
            try checkLength(of: token)
            return (token, false)
        }
        let token = Base64URL.encode(RandomBytes.generate(32))
        try write(token + "\n", to: Self.adminTokenName)
        return (RedactedString(token), true)
    }

    /// The token kept here; `nil` if there is none, or it cannot be read.
    public func existingAdminToken() -> RedactedString? { try? storedAdminToken() }

    private func storedAdminToken() throws(GatewayError) -> RedactedString? {
        guard let token = try text(of: Self.adminTokenName) else { return nil }
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw GatewayError(
                "there is no token in \(path)/\(Self.adminTokenName). Restore it; or delete it for a new one.")
        }
        return RedactedString(token)
    }

    private func checkLength(of token: RedactedString) throws(GatewayError) {
        guard token.value.utf8.count >= Self.minimumTokenLength else {
            throw GatewayError(
                "the token in \(path)/\(Self.adminTokenName) has fewer than \(Self.minimumTokenLength) characters and "
                    + "can be guessed. Delete the file for a new one, or write a longer one there.")
        }
    }

    // MARK: The key

    /// The key kept here, made when there is none.
    ///
    /// - Throws: when there is a file that cannot be read, or is no such key: another one would void every registration
    ///   token made so far.
    func gatewayKey() throws(GatewayError) -> GatewayKey {
        if let key = try existingGatewayKey() { return key }
        let bytes = RandomBytes.generate(GatewayKey.byteCount)
        try write(Base64URL.encode(bytes) + "\n", to: Self.gatewayKeyName)
        return GatewayKey(bytes)
    }

    private static let gatewayKeyName = "gateway-key"

    /// The key kept here; `nil` if there is none.
    func existingGatewayKey() throws(GatewayError) -> GatewayKey? {
        guard let text = try text(of: Self.gatewayKeyName) else { return nil }
        guard let bytes = Base64URL.decode(text), bytes.count == GatewayKey.byteCount else {
            throw GatewayError(
                "\(path)/\(Self.gatewayKeyName) is not the key that was made here. Restore it from a backup; or delete it, "
                    + "and every registration token made so far is void.")
        }
        return GatewayKey(bytes)
    }
}
