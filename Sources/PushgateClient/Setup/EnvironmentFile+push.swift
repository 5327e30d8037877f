extension EnvironmentFile {
    /// Points the daemon at a gateway: sets the base URL, and a secret unless there is one. Restart the daemon when the
    /// ``bytes`` have changed.
    ///
    /// - Parameter makeSecret: what gives a new secret.
    /// - Returns: the server's secret, the one that was there or the new one, to be kept in the Keychain.
    /// - Throws: when the secret that is there cannot be used. It is not replaced: other phones may have it.
    public mutating func enablePush(
        gateway: GatewayURL, makeSecret: () -> PushSecret = PushSecret.random
    ) throws(UnusableSecret) -> PushSecret {
        let secret = try existingSecret() ?? makeSecret()
        if value(of: Self.secretKey) != secret.value { put(secret.value, for: Self.secretKey) }
        if value(of: Self.baseURLKey) != gateway.text { put(gateway.text, for: Self.baseURLKey) }
        return secret
    }

    private func existingSecret() throws(UnusableSecret) -> PushSecret? {
        guard let text = value(of: Self.secretKey), !text.trimmingBlanks().isEmpty else { return nil }
        guard let secret = PushSecret(text) else { throw UnusableSecret() }
        return secret
    }
}

/// The file's `CODEAGENTS_PUSH_SECRET` holds what no request can carry; remove the line, or mend it by hand.
public struct UnusableSecret: Error, Hashable, Sendable {
    public init() {}
}
