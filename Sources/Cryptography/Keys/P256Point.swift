import COpenSSL

/// A public key on P-256 in its uncompressed form: 4, and two coordinates of 32 bytes (SEC 1 §2.3.3).
package struct P256Point: Hashable, Sendable {
    /// The number of bytes in the form.
    package static let byteCount = 65

    /// The form.
    package let bytes: [UInt8]

    /// Reads a point.
    ///
    /// - Throws: an error that says why the bytes are no such point: another length or form, or off the curve.
    package init(_ bytes: [UInt8]) throws(CryptographyError) {
        let group = try P256Curve.group("read a point on P-256")
        _ = try PointHandle(decoding: bytes, in: group)
        self.bytes = bytes
    }

    /// Takes the point of a handle.
    init(_ point: PointHandle, in group: OpaquePointer) throws(CryptographyError) {
        let operation = "write a point on P-256"
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        let count = EC_POINT_point2oct(
            group, point.pointer, POINT_CONVERSION_UNCOMPRESSED, &bytes, Self.byteCount, nil)
        // The point at infinity has one byte.
        guard count == Self.byteCount else { throw .fromOpenSSL(operation) }
        self.bytes = bytes
    }

    /// The first coordinate: 32 bytes.
    var x: [UInt8] { Array(bytes[1...32]) }
}

/// The curve P-256 in OpenSSL's form, kept until the process exits.
final class P256Curve: @unchecked Sendable {  // because an EC_GROUP is never changed after it was made here
    private static let shared = P256Curve()

    private let pointer: OpaquePointer?

    private init() {
        pointer = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)
    }

    deinit {
        EC_GROUP_free(pointer)
    }

    /// Returns the curve.
    static func group(_ operation: String) throws(CryptographyError) -> OpaquePointer {
        try unwrapped(shared.pointer, operation)
    }
}

/// An owner of one point in OpenSSL's form.
final class PointHandle {
    let pointer: OpaquePointer

    /// Makes a point at infinity, as memory for another one.
    init(in group: OpaquePointer) throws(CryptographyError) {
        pointer = try unwrapped(EC_POINT_new(group), "allocate a point")
    }

    /// Reads the uncompressed form of a point. OpenSSL checks that the curve has it.
    convenience init(decoding bytes: [UInt8], in group: OpaquePointer) throws(CryptographyError) {
        let operation = "read a point on P-256"
        guard bytes.count == P256Point.byteCount, bytes[0] == 4 else {
            throw CryptographyError(
                operation: operation,
                reason: "it is not an uncompressed point, which has \(P256Point.byteCount) bytes and begins with 4")
        }
        try self.init(in: group)
        try check(EC_POINT_oct2point(group, pointer, bytes, bytes.count, nil), operation)
    }

    deinit {
        EC_POINT_free(pointer)
    }
}
