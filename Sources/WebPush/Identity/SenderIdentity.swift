package import Cryptography
import Synchronization

/// The identity of this gateway at all push services: its key and its operator's address (RFC 8292).
///
/// A push service gets one token, which changes every four hours of the clock, but an hour after its first use at the
/// earliest: Apple wants no new one within an hour. RFC 8292 allows none that is valid for more than a day.
package final class SenderIdentity: Sendable {
    /// The time for which a token is used, in seconds.
    static let slotSeconds: Int64 = 4 * 3_600
    /// The time for which a token is used at least, in seconds, also beyond its slot.
    static let minimumUse: Int64 = 3_600
    /// The time for which a token is valid after the beginning of its slot: beyond the slot by half a day, so that it
    /// is valid at services whose clock differs.
    static let validity: Int64 = 16 * 3_600
    /// The number of servers of strangers whose tokens are kept. Those of known services' main hosts always are.
    static let maximumCount = 1_000
    private static let mainOrigins = Set(ServiceProfile.mainHosts.keys.map { "https://\($0)" })

    /// The address of the operator: `mailto:` or `https:`.
    package let subject: String
    /// The public key in base64url, which browsers need for a subscription: 87 characters.
    package let publicKey: String
    private let key: ES256PrivateKey
    private let now: @Sendable () -> Int64
    private let fields = Mutex(Fields())

    private struct Field {
        let slot: Int64
        let signedAt: Int64
        let value: String

        func isUsed(at time: Int64, in slot: Int64) -> Bool {
            self.slot == slot || (0..<SenderIdentity.minimumUse).contains(time - signedAt)
        }
    }

    /// The fields of services by their origins. Strangers name origins, and must not displace those of main hosts:
    /// Apple refuses a sender whose token changes often.
    private struct Fields {
        private var ofMainHosts: [String: Field] = [:]
        private var ofOthers: [String: Field] = [:]

        subscript(origin: String) -> Field? {
            get { ofMainHosts[origin] ?? ofOthers[origin] }
            set {
                if SenderIdentity.mainOrigins.contains(origin) {
                    ofMainHosts[origin] = newValue
                } else {
                    makeRoom(for: newValue)
                    ofOthers[origin] = newValue
                }
            }
        }

        private mutating func makeRoom(for field: Field?) {
            guard ofOthers.count >= SenderIdentity.maximumCount else { return }
            ofOthers = ofOthers.filter { $0.value.slot == field?.slot }
            if ofOthers.count >= SenderIdentity.maximumCount { ofOthers = [:] }
        }
    }

    /// Creates an identity.
    ///
    /// - Parameter now: The time in seconds since 1970.
    package init(
        key: ES256PrivateKey, subject: String, now: @escaping @Sendable () -> Int64
    ) throws(CryptographyError) {
        self.key = key
        self.subject = subject
        self.now = now
        publicKey = Base64URL.encode(try key.publicKey.point().bytes)
    }

    /// Returns the value of `Authorization` for a push service.
    ///
    /// - Parameter origin: The origin of the endpoint.
    package func authorization(for origin: String) throws(CryptographyError) -> String {
        let time = now()
        let slot = time - time % Self.slotSeconds
        // Other callers wait while a token is signed: a service would count each signature as another token.
        return try fields.withLock { fields throws(CryptographyError) in
            if let field = fields[origin], field.isUsed(at: time, in: slot) { return field.value }
            let token = try VAPIDToken.signed(
                audience: origin, subject: subject, expiration: slot + Self.validity, with: key)
            let field = Field(
                slot: slot, signedAt: time, value: VAPIDToken.authorization(token, publicKey: publicKey))
            fields[origin] = field
            return field.value
        }
    }

    /// Returns `true` if another identity has the same key and address.
    func isSame(as other: SenderIdentity) -> Bool { publicKey == other.publicKey && subject == other.subject }
}
