import Cryptography
import DocumentStore
import HTTPTypes
import JSON

/// A call that an installation has signed with its key.
///
/// The header fields are `Relay-Key` (the public key as an uncompressed point), `Relay-Time` (seconds since 1970) and
/// `Relay-Signature` (r and s), the keys and signatures in base64url. The signature is one of ES256 over the call's
/// text.
struct SignedCall: Sendable {
    private enum Field {
        static let key = HTTPField.Name("Relay-Key")
        static let time = HTTPField.Name("Relay-Time")
        static let signature = HTTPField.Name("Relay-Signature")
    }

    /// The greatest difference between the clocks of the installation and the relay, in seconds.
    static let clockTolerance: Int64 = 60 * 60
    private static let signatureBytes = 64

    /// The installation's public key.
    let key: P256Point
    /// The time of the call by the installation's clock, in seconds since 1970.
    let time: Int64
    /// The name under which the use of the signature is remembered.
    let mark: String
    private let body: [UInt8]

    /// Checks a call.
    ///
    /// - Parameters:
    ///   - path: The path that the installation has signed.
    ///   - now: The relay's time in seconds since 1970.
    init(
        _ request: FunctionRequest, at path: String, body: [UInt8], now: Int64
    ) throws(RelayError) {
        guard let keyText = Self.value(of: Field.key, request), let timeText = Self.value(of: Field.time, request),
            let signatureText = Self.value(of: Field.signature, request)
        else { throw .unsigned("a call has the header fields Relay-Key, Relay-Time and Relay-Signature") }
        guard let bytes = Base64URL.decode(keyText), let key = try? P256Point(bytes) else {
            throw .unsigned("Relay-Key must be an uncompressed point on P-256, in base64url without padding")
        }
        guard let time = Int64(timeText) else {
            throw .unsigned("Relay-Time must be a whole number of seconds since 1970")
        }
        guard let signature = Base64URL.decode(signatureText), signature.count == Self.signatureBytes else {
            throw .unsigned("Relay-Signature must be r and s, 64 bytes, in base64url without padding")
        }
        guard request.query.isEmpty else { throw .unsigned("a signed call has no query") }
        guard (now - Self.clockTolerance...now + Self.clockTolerance).contains(time) else { throw .clock(now) }
        let text = Self.text(request.method, path, at: timeText, body: body)
        guard let publicKey = try? ES256PublicKey(key), publicKey.isValid(signature, for: text.utf8) else {
            throw .unsigned("Relay-Signature is not one of this method, path, Relay-Time and body by Relay-Key")
        }
        self.key = key
        self.time = time
        self.body = body
        mark = Self.mark(of: signature, by: key)
    }

    private static func value(of name: HTTPField.Name?, _ request: FunctionRequest) -> String? {
        name.flatMap { request.headerFields[$0] }
    }

    /// Returns the text that an installation signs.
    static func text(_ method: HTTPRequest.Method, _ path: String, at time: String, body: [UInt8]) -> String {
        let digest = Hexadecimal.lowercase(SHA256.digest(of: body))
        return ["pushgate-relay-v1", method.rawValue, path, time, digest].joined(separator: "\n")
    }

    /// Returns the name of a signature. Its second half does not count: anybody can negate it, and the signature stays
    /// valid.
    private static func mark(of signature: [UInt8], by key: P256Point) -> String {
        Hexadecimal.lowercase(SHA256.digest(of: key.bytes + signature.prefix(signatureBytes / 2)))
    }

    /// Reads the body as a JSON object.
    func object() throws(JSONBodyError) -> JSONObject { try FunctionRequest.jsonObject(in: body) }

    /// Returns the write that remembers the signature. It fails if the signature has counted before.
    func use(at time: Timestamp) throws(StoreError) -> Write {
        .create(try RelayDocuments.signature(mark), [RelayDocuments.usedAt: .timestamp(time)])
    }
}
