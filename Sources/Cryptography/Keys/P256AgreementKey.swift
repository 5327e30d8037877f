import COpenSSL

/// A key pair with which two sides agree on a secret over P-256 (ECDH, SEC 1 §3.3.1).
///
/// A fresh pair for each message is made here: the arithmetic of the curve, without OpenSSL's look-up of algorithms,
/// which costs more than the arithmetic. The operations are those of its ECDH, in constant time for the private half.
package final class P256AgreementKey: Sendable {
    /// The public half.
    package let publicKey: P256Point
    private let scalar: P256Scalar

    /// Makes a key pair with OpenSSL's random generator.
    package static func generate() throws(CryptographyError) -> P256AgreementKey {
        try P256AgreementKey(.random())
    }

    /// Makes the key pair of a private half.
    ///
    /// - Parameter scalar: a number of 32 bytes, big-endian, from 1 to the order of the curve less 1.
    package convenience init(scalar: [UInt8]) throws(CryptographyError) {
        try self.init(P256Scalar(scalar))
    }

    private init(_ scalar: P256Scalar) throws(CryptographyError) {
        let operation = "make the public half of a key"
        let group = try P256Curve.group(operation)
        let point = try PointHandle(in: group)
        try check(EC_POINT_mul(group, point.pointer, scalar.pointer, nil, nil, nil), operation)
        publicKey = try P256Point(point, in: group)
        self.scalar = scalar
    }

    /// Returns the secret that this side shares with the owner of a public key: 32 bytes, for a derivation of keys.
    package func sharedSecret(with peer: P256Point) throws(CryptographyError) -> [UInt8] {
        let operation = "agree on a secret"
        let group = try P256Curve.group(operation)
        let peer = try PointHandle(decoding: peer.bytes, in: group)
        let point = try PointHandle(in: group)
        try check(EC_POINT_mul(group, point.pointer, nil, peer.pointer, scalar.pointer, nil), operation)
        return try P256Point(point, in: group).x
    }
}

/// The private half of a key on P-256, which is cleared at its end.
final class P256Scalar: @unchecked Sendable {  // because a BIGNUM is never changed after the initializers
    /// The number of bytes in the big-endian form.
    static let byteCount = 32

    let pointer: OpaquePointer

    private init() throws(CryptographyError) {
        pointer = try unwrapped(BN_secure_new(), "allocate a number")
    }

    /// Reads the big-endian form.
    convenience init(_ bytes: [UInt8]) throws(CryptographyError) {
        let operation = "read a private key"
        guard bytes.count == P256Scalar.byteCount else {
            throw CryptographyError(
                operation: operation, reason: "it has \(bytes.count) bytes, not \(P256Scalar.byteCount)")
        }
        try self.init()
        _ = try unwrapped(BN_bin2bn(bytes, Int32(P256Scalar.byteCount), pointer), operation)
        let group = try P256Curve.group(operation)
        guard BN_is_zero(pointer) == 0, BN_cmp(pointer, EC_GROUP_get0_order(group)) < 0 else {
            throw CryptographyError(operation: operation, reason: "it is 0 or not below the order of P-256")
        }
    }

    /// Returns a random number with OpenSSL's generator.
    static func random() throws(CryptographyError) -> P256Scalar {
        let operation = "generate a P-256 key"
        let scalar = try P256Scalar()
        let order = EC_GROUP_get0_order(try P256Curve.group(operation))
        repeat {
            try check(BN_priv_rand_range(scalar.pointer, order), operation)
        } while BN_is_zero(scalar.pointer) == 1
        return scalar
    }

    deinit {
        BN_clear_free(pointer)
    }
}
