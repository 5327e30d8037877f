/// The data that a device's authenticator signs, as WebAuthn has them
/// ([§6.1](https://www.w3.org/TR/webauthn-2/#sctn-authenticator-data)).
struct AuthenticatorData: Sendable {
    /// The key that an attestation is about.
    struct Credential: Sendable {
        /// The name of App Attest's environment, 16 bytes.
        let environment: [UInt8]
        /// The id of the key.
        let id: [UInt8]

        fileprivate init?(_ bytes: ArraySlice<UInt8>) {
            let (name, rest) = (bytes.prefix(16), bytes.dropFirst(16))
            guard let length = rest.prefix(2).number, rest.count >= 2 + length else { return nil }
            environment = Array(name)
            id = Array(rest.dropFirst(2).prefix(length))
        }
    }

    private static let headerBytes = 37

    /// The SHA-256 of the app's id.
    let appDigest: [UInt8]
    /// The number of signatures that the key has made.
    let counter: Int
    /// `nil` in an assertion.
    let credential: Credential?

    /// Returns `nil` if the bytes have another form.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerBytes, let counter = bytes[33..<Self.headerBytes].number else { return nil }
        appDigest = Array(bytes[..<32])
        self.counter = counter
        credential = Credential(bytes[Self.headerBytes...])
    }
}

extension ArraySlice<UInt8> {
    /// The number that the bytes are, the highest first; `nil` without bytes.
    fileprivate var number: Int? { isEmpty ? nil : reduce(0) { $0 << 8 | Int($1) } }
}
