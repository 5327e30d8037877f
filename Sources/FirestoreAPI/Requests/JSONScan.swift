/// A look at the JSON of a request, which counts its elements.
struct JSONScan {
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    private var count: ElementCount
    private var depth = 0
    /// `true` within a list of the body's object.
    private var isListed = false
    private var isWithinText = false
    private var isEscaped = false

    private init(mostWrites: Int?) { count = ElementCount(mostWrites: mostWrites) }

    /// Counts the elements of a body, which may be malformed.
    ///
    /// - Parameter mostWrites: the greatest number of elements of the lists in the body's object, which are its writes;
    ///   `nil` for a body without writes.
    /// - Throws: `INVALID_ARGUMENT` if there are too many elements, or too many writes.
    static func elements(of body: [UInt8], mostWrites: Int?) throws(FirestoreStatus) -> Int {
        var scan = JSONScan(mostWrites: mostWrites)
        for byte in body { try scan.read(byte) }
        return scan.count.elements
    }

    private mutating func read(_ byte: UInt8) throws(FirestoreStatus) {
        guard !isWithinText else { return readText(byte) }
        switch byte {
        case Self.quote: isWithinText = true
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            depth += 1
            try count.add()
            guard depth == 2 else { return }
            isListed = byte == UInt8(ascii: "[")
            // The first element of a list has no comma before it.
            if isListed { try count.addWrite() }
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: ","):
            try count.add()
            if depth == 2, isListed { try count.addWrite() }
        default: return
        }
    }

    private mutating func readText(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == Self.backslash {
            isEscaped = true
        } else if byte == Self.quote {
            isWithinText = false
        }
    }
}
