/// A JSON Web Signature in compact form (RFC 7515 §7.1), which each JSON Web Token here is:
/// `header.payload.signature`, each in base64url.
///
/// This type does not interpret the header and the payload; they are bytes.
package struct CompactJWS: Sendable, Hashable {
    /// The header's JSON.
    package let header: [UInt8]
    /// The payload's JSON: the claims of a token.
    package let payload: [UInt8]
    /// The signature in the algorithm's form: `r || s` for ES256 (RFC 7518 §3.4), RSASSA-PKCS1-v1_5 for RS256 (§3.3).
    package let signature: [UInt8]
    /// The text `header.payload`, whose ASCII is signed (RFC 7515 §5.1).
    package let signingInput: String

    /// Makes a token and signs it.
    ///
    /// - Parameter sign: a private key's `signature(for:)`; its argument is the ASCII of the signing input.
    package init(
        header: [UInt8], payload: [UInt8],
        sign: (String.UTF8View) throws(CryptographyError) -> [UInt8]
    ) throws(CryptographyError) {
        self.header = header
        self.payload = payload
        signingInput = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        signature = try sign(signingInput.utf8)
    }

    /// Parses a token without verifying it. Verify it with a key's `isValid(_:for:)` before you use it.
    ///
    /// - Returns: `nil` unless there are exactly three parts, each the canonical base64url of its bytes.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.payload = payload
        self.signature = signature
        signingInput = String(text[..<parts[1].endIndex])
    }

    /// The token as text for the wire. A token that is a credential is a secret.
    package var text: String { signingInput + "." + Base64URL.encode(signature) }
}
