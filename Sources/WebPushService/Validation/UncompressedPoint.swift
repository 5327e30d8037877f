import Cryptography
import Foundation

/// A public key on P-256 as browsers and VAPID write it: an uncompressed point (SEC 1 §2.3.3), in base64url.
struct UncompressedPoint: Hashable, Sendable {
    static let byteCount = 65
    /// 4, and two coordinates of 32 bytes.
    let bytes: [UInt8]

    /// Takes the bytes of a point; `nil` if they do not have its form. ``verifyingKey()`` checks that it is on the
    /// curve.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount, bytes.first == 4 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads base64url without padding; `nil` for any other text.
    init?(base64URL text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Takes the point of a key.
    init?(_ key: ES256PublicKey) {
        let lines = key.pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
        guard let encoded = Data(base64Encoded: lines.joined()) else { return nil }
        self.init(encoded.suffix(Self.byteCount))
    }

    var base64URL: String { Base64URL.encode(bytes) }

    /// Returns the key; `nil` if the point is not on the curve.
    func verifyingKey() -> ES256PublicKey? {
        let encoded = Data(Self.encodingPrefix + bytes).base64EncodedString()
        return try? ES256PublicKey(pem: "-----BEGIN PUBLIC KEY-----\n\(encoded)\n-----END PUBLIC KEY-----\n")
    }

    /// The beginning of a SubjectPublicKeyInfo for a key on P-256, up to the point (RFC 5480 §2).
    private static let encodingPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
}
