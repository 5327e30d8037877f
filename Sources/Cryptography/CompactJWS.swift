/// A JSON Web Signature in compact form (RFC 7515 §7.1), of which every JSON Web Token here is one:
/// `header.payload.signature`, each in base64url.
///
/// What header and payload say is not looked at: to this type they are bytes.
public struct CompactJWS: Sendable, Hashable {
    /// The header's JSON.
    public let header: [UInt8]
    /// The payload's JSON: the claims of a token.
    public let payload: [UInt8]
    /// As the algorithm has it: `r || s` for ES256 (RFC 7518 §3.4), the bytes of RSASSA-PKCS1-v1_5 for RS256 (§3.3).
    public let signature: [UInt8]
    /// `header.payload`, whose ASCII is what was signed (RFC 7515 §5.1).
    public let signingInput: String

    /// Composes a token and signs it.
    ///
    /// - Parameter sign: a private key's `signature(for:)`; it gets the ASCII of the signing input.
    public init(
        header: [UInt8], payload: [UInt8],
        sign: (String.UTF8View) throws(CryptographyError) -> [UInt8]
    ) throws(CryptographyError) {
        self.header = header
        self.payload = payload
        signingInput = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        signature = try sign(signingInput.utf8)
    }

    /// Takes a token apart, without believing it: whoever reads it asks a key's `isValid(_:for:)` first.
    ///
    /// - Returns: nil unless there are exactly three parts, each the one canonical base64url of its bytes.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.payload = payload
        self.signature = signature
        signingInput = String(text[..<parts[1].endIndex])
    }

    /// The token as it goes over the wire. Where it stands for a credential it is a secret.
    public var text: String { signingInput + "." + Base64URL.encode(signature) }
}
