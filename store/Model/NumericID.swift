import Texts

/// The ids that Datastore makes: `__id7__` in Firestore. They come before all other ids, in the order of their numbers
/// ([java-firestore 1945](https://github.com/googleapis/java-firestore/issues/1945)).
///
/// One text stands for each number of 64 bits except 0: there are no leading zeros and no plus sign.
enum NumericID {
    private static let (underscore, minus) = (UInt8(ascii: "_"), UInt8(ascii: "-"))
    private static let zero = UInt8(ascii: "0")

    /// Returns the number of an id in UTF-8; `nil` if the id is not numeric.
    static func number(in id: some Sequence<UInt8>) -> Int64? {
        var bytes = id.makeIterator()
        guard bytes.next() == underscore, bytes.next() == underscore, bytes.next() == UInt8(ascii: "i"),
            bytes.next() == UInt8(ascii: "d"), var byte = bytes.next()
        else { return nil }
        let isNegative = byte == minus
        if isNegative {
            guard let digit = bytes.next() else { return nil }
            byte = digit
        }
        guard byte != zero else { return nil }
        // There is one more negative number than there are positive ones.
        var negative: Int64 = 0
        while byte.isASCIIDigit {
            guard let more = appending(byte - zero, to: negative), let next = bytes.next() else { return nil }
            (negative, byte) = (more, next)
        }
        guard negative != 0, byte == underscore, bytes.next() == underscore, bytes.next() == nil else { return nil }
        if isNegative { return negative }
        return negative == .min ? nil : -negative
    }

    /// Returns a negative number with one more digit; `nil` if it has more than 64 bits.
    private static func appending(_ digit: UInt8, to number: Int64) -> Int64? {
        let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
        let (sum, isLess) = tens.subtractingReportingOverflow(Int64(digit))
        return isTooLarge || isLess ? nil : sum
    }

    /// Returns `true` if earlier versions accepted the id as a numeric one: of any digits, or of none after a minus
    /// sign.
    static func isEarlier(_ id: Substring.UTF8View) -> Bool {
        guard id.starts(with: "__id".utf8), id.suffix(2).elementsEqual("__".utf8) else { return false }
        let number = id.dropFirst(4).dropLast(2)
        let digits = number.first == minus ? number.dropFirst() : number
        return !number.isEmpty && digits.allSatisfy(\.isASCIIDigit)
    }

    /// Returns the id of a number.
    static func text(of number: Int64) -> String { "__id\(number)__" }
}
