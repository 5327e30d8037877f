internal import Cryptography

/// Makes registration tokens of FCM's form, and knows those that it made.
///
/// A token is `{fid}:APA91b{134 base64url characters}`, 163 characters in all. The 134 are 100 bytes: 68 at random, then
/// HMAC-SHA256 over the fid and those. So a token of this gateway is told from another's without a record of it: one that
/// is ours and has no registration any more is dead, and not merely unknown.
public struct RegistrationTokenKey: Sendable {
    private static let marker = ":APA91b"
    private static let randomCount = 68

    private let key: [UInt8]

    /// - Parameter key: a secret of 32 bytes. With another one, the tokens made so far are strangers.
    public init(_ key: [UInt8]) { self.key = key }

    /// A new token of an installation. Each one is different; that an old one is no longer valid is the registration's to
    /// say.
    func token(for fid: String) -> RegistrationToken {
        let random = RandomBytes.generate(Self.randomCount)
        return RegistrationToken(fid + Self.marker + Base64URL.encode(random + code(fid, random)))
    }

    /// The installation that a token was made for here; nil when it was not made here.
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

    /// The id of an app on a device, the same each time it is asked for: 22 base64url characters, of which the first four
    /// bits are 0111 as in a Firebase installation id.
    func fid(ofDevice deviceToken: String, app: String) -> String {
        var bytes = HMACSHA256.code(for: "\(app)\0\(deviceToken)".utf8, key: key)
        bytes[0] = bytes[0] & 0x0F | 0x70
        return String(Base64URL.encode(bytes[..<17]).prefix(22))
    }

    private func code(_ fid: String, _ random: [UInt8]) -> [UInt8] {
        HMACSHA256.code(for: Array(fid.utf8) + random, key: key)
    }
}
