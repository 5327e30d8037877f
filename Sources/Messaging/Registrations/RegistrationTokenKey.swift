import Cryptography

/// A key that creates registration tokens in FCM's form, and recognizes them.
///
/// A token is `{fid}:APA91b{134 base64url characters}`, 163 characters in all. The 134 characters are 100 bytes: 68
/// random bytes, then HMAC-SHA256 over the fid and those bytes. The gateway therefore recognizes its own tokens
/// without a record of them: one that is ours and has no registration is invalid, and not just unknown.
package struct RegistrationTokenKey: Sendable {
    private static let marker = ":APA91b"
    private static let randomCount = 68

    private let key: [UInt8]

    /// Creates a key.
    ///
    /// - Parameter key: a secret of 32 bytes. Another secret does not recognize the tokens made so far.
    package init(_ key: [UInt8]) { self.key = key }

    /// Returns a new token for an installation. Each token is different; the registration decides which one is valid.
    func token(for fid: String) -> RegistrationToken {
        let random = RandomBytes.generate(Self.randomCount)
        return RegistrationToken(fid + Self.marker + Base64URL.encode(random + code(fid, random)))
    }

    /// Returns the installation that a token was made for; `nil` if it was not made here.
    func fid(of token: RegistrationToken) -> String? {
        let text = token.value
        // An installation id has no colon.
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text.utf8[end...].starts(with: Self.marker.utf8)
        else { return nil }
        let fid = String(text[..<end])
        guard let bytes = Base64URL.decode(text[text.utf8.index(end, offsetBy: Self.marker.utf8.count)...]),
            bytes.count == Self.randomCount + HMACSHA256.byteCount,
            ConstantTime.equal(Array(bytes[Self.randomCount...]), code(fid, Array(bytes[..<Self.randomCount])))
        else { return nil }
        return fid
    }

    /// Returns the id of an app on a device, which is always the same: 22 base64url characters, of which the first
    /// four bits are 0111 as in a Firebase installation id.
    func fid(ofDevice deviceToken: String, app: String) -> String {
        var bytes = HMACSHA256.code(for: "\(app)\0\(deviceToken)".utf8, key: key)
        bytes[0] = bytes[0] & 0x0F | 0x70
        return String(Base64URL.encode(bytes[..<17]).prefix(22))
    }

    private func code(_ fid: String, _ random: [UInt8]) -> [UInt8] {
        HMACSHA256.code(for: Array(fid.utf8) + random, key: key)
    }
}
