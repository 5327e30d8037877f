#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Comparisons by UTF-8 bytes, as Firestore compares. Swift's own operators treat canonically equivalent texts as
/// equal, such as é as one scalar and as two.
extension String {
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && byteOrder(to: other) == 0
    }

    func precedesInBytes(_ other: String) -> Bool { byteOrder(to: other) < 0 }

    /// Hashes the bytes, so that texts with other bytes have another hash.
    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No UTF-8 contains this byte.
        hasher.combine(0xFF as UInt8)
    }

    /// Returns `true` if this text begins with the other one.
    func beginsWithBytes(of other: String) -> Bool {
        guard utf8.count >= other.utf8.count else { return false }
        let begins = utf8.withContiguousStorageIfAvailable { text in
            other.utf8.withContiguousStorageIfAvailable { other in
                Self.byteOrder(UnsafeBufferPointer(rebasing: text.prefix(other.count)), other) == 0
            }
        }
        return (begins ?? nil) ?? utf8.starts(with: other.utf8)
    }

    /// Returns a number less than, equal to or greater than 0, as `memcmp` does; a prefix comes first.
    private func byteOrder(to other: String) -> Int {
        let order = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in Self.byteOrder(left, right) }
        }
        return (order ?? nil)
            ?? Array(utf8).withUnsafeBufferPointer { left in
                Array(other.utf8).withUnsafeBufferPointer { right in Self.byteOrder(left, right) }
            }
    }

    private static func byteOrder(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        guard let one = left.baseAddress, let other = right.baseAddress else { return left.count - right.count }
        let order = memcmp(one, other, Swift.min(left.count, right.count))
        return order == 0 ? left.count - right.count : Int(order)
    }
}
