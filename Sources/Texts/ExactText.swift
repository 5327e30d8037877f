#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A text that compares by its bytes in UTF-8, as the ids and names of Firestore and of JSON do.
///
/// Swift's own `String`s are equal if Unicode calls them canonically equivalent, such as é as one scalar and as two,
/// and so are two keys of a `Dictionary` or elements of a `Set`. Collections of names that come from clients have these
/// texts in their place. They cost no allocation.
package struct ExactText: Sendable {
    /// The text.
    package let text: String

    package init(_ text: String) { self.text = text }
}

extension ExactText: Hashable {
    /// Compares the bytes.
    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.count == right.text.utf8.count && left.order(to: right) == 0
    }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No UTF-8 contains this byte: it ends the text.
        hasher.combine(0xFF as UInt8)
    }
}

extension ExactText: Comparable {
    /// Compares the bytes; a prefix comes first.
    package static func < (left: ExactText, right: ExactText) -> Bool { left.order(to: right) < 0 }

    /// Returns a number less than, equal to or greater than 0, as `memcmp` does; a prefix comes first.
    private func order(to other: ExactText) -> Int {
        var (one, two) = (text, other.text)
        return one.withUTF8 { one in two.withUTF8 { two in Self.order(one, two) } }
    }

    /// Returns `true` if the bytes begin with those of another text.
    package func begins(with other: ExactText) -> Bool {
        guard text.utf8.count >= other.text.utf8.count else { return false }
        let begins = text.utf8.withContiguousStorageIfAvailable { text in
            other.text.utf8.withContiguousStorageIfAvailable { other in
                Self.order(UnsafeBufferPointer(rebasing: text.prefix(other.count)), other) == 0
            }
        }
        return (begins ?? nil) ?? text.utf8.starts(with: other.text.utf8)
    }

    private static func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        guard let one = left.baseAddress, let other = right.baseAddress else { return left.count - right.count }
        let order = memcmp(one, other, Swift.min(left.count, right.count))
        return order == 0 ? left.count - right.count : Int(order)
    }
}

extension ExactText: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { text = value }
}

extension ExactText: CustomStringConvertible {
    /// The text.
    package var description: String { text }
}
