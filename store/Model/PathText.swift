/// The rules and the order that ``DocumentPath`` and ``CollectionPath`` share, on slash-joined text.
package enum PathText {
    static let separator = UInt8(ascii: "/")

    /// Checks that each segment is a valid id, and returns the number of segments.
    static func validatedSegmentCount(_ text: String) throws(StoreError) -> Int {
        var segment = IDCheck()
        var count = 1
        for byte in text.utf8 {
            if byte == separator {
                try segment.finish()
                segment = IDCheck()
                count += 1
            } else {
                segment.take(byte)
            }
        }
        try segment.finish()
        try validate(segmentCount: count)
        return count
    }

    private static func validate(segmentCount count: Int) throws(StoreError) {
        guard count <= Limits.pathSegments else {
            throw .invalid("a path of \(count) segments: at most \(Limits.pathSegments) are allowed")
        }
    }

    /// Returns a valid path with one more segment. Checks only the new id and the number of segments.
    static func appending(_ id: String, to path: String) throws(StoreError) -> String {
        try validateID(id)
        try validate(segmentCount: segmentCount(of: path) + 1)
        return joined(path, id)
    }

    /// Returns a valid path with two more segments, checked as in ``appending(_:to:)``.
    static func appending(_ first: String, _ second: String, to path: String) throws(StoreError) -> String {
        try validateID(first)
        try validateID(second)
        try validate(segmentCount: segmentCount(of: path) + 2)
        var text = path
        text.reserveCapacity(path.utf8.count + first.utf8.count + second.utf8.count + 2)
        text += "/"
        text += first
        text += "/"
        text += second
        return text
    }

    /// Returns `true` if a path is the parent path plus one segment. Runs for each target of a chunk.
    static func isDirectly(_ path: String, below parent: String) -> Bool {
        guard path.beginsWithBytes(of: parent) else { return false }
        let rest = path.utf8.dropFirst(parent.utf8.count)
        return rest.count > 1 && rest.first == separator && !rest.dropFirst().contains(separator)
    }

    private static func segmentCount(of path: String) -> Int { path.utf8.count { $0 == separator } + 1 }

    /// Returns the path with one more segment, which the caller has checked.
    package static func joined(_ path: String, _ id: String) -> String {
        var text = path
        text.reserveCapacity(path.utf8.count + 1 + id.utf8.count)
        text += "/"
        text += id
        return text
    }

    /// Checks that a text is one valid segment.
    static func validateID(_ id: String) throws(StoreError) {
        guard try validatedSegmentCount(id) == 1 else {
            throw .invalid("\"\(brief(id))\" is not an id: an id has no slash in it")
        }
    }

    /// Returns `true` if the left path comes before the right one: segment by segment, by UTF-8 bytes, a parent
    /// first.
    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8) { rank($0) < rank($1) }
    }

    /// The byte's place in the order. A slash comes before each byte of an id, so that "a/b" comes before "a!".
    private static func rank(_ byte: UInt8) -> Int { byte == separator ? -1 : Int(byte) }

    static func lastSegment(of text: Substring) -> Substring {
        guard let slash = text.utf8.lastIndex(of: separator) else { return text }
        return text[text.utf8.index(after: slash)...]
    }

    /// Returns the text before the last segment; `nil` if there is only one segment.
    static func parent(of text: Substring) -> Substring? {
        text.utf8.lastIndex(of: separator).map { text[..<$0] }
    }

    /// Returns the path for a message, with long ids shortened: ids are often tokens or keys, which messages must not
    /// repeat.
    static func brief(_ text: String) -> String {
        text.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.utf8.count > 32 ? "\($0.prefix(8))…" : String($0) }
            .joined(separator: "/")
    }
}

/// A check of one id, byte by byte: 1 to 1,500 bytes, not `.`, not `..`, not `__…__`. Allowed are ids such as
/// `__id-7__`, which Firestore writes for numeric ids: clients name the least of them to begin a range.
private struct IDCheck {
    private static let beginning = Array("__id".utf8)

    private var count = 0
    private var first: (UInt8, UInt8) = (0, 0)
    private var last: (UInt8, UInt8) = (0, 0)
    /// The number of bytes that can be those of a numeric id: `__id`, a sign, digits.
    private var numeric = 0

    mutating func take(_ byte: UInt8) {
        if count == 0 { first.0 = byte }
        if count == 1 { first.1 = byte }
        if numeric == count, isNumeric(byte) { numeric += 1 }
        last = (last.1, byte)
        count += 1
    }

    func finish() throws(StoreError) {
        if count == 0 { throw .invalid("an empty id: a path is ids joined by single slashes") }
        if count > Limits.nameSize {
            throw .invalid("an id of \(count) bytes: at most \(Limits.nameSize) are allowed")
        }
        if isDots { throw .invalid("an id cannot be \".\" or \"..\"") }
        if isReserved { throw .invalid("an id cannot begin and end with \"__\": such names are reserved") }
    }

    private func isNumeric(_ byte: UInt8) -> Bool {
        if count < Self.beginning.count { return byte == Self.beginning[count] }
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (count == 4 && byte == UInt8(ascii: "-"))
    }

    private var isDots: Bool {
        let dot = UInt8(ascii: ".")
        return (count == 1 && first.0 == dot) || (count == 2 && first == (dot, dot))
    }

    private var isReserved: Bool {
        let underscores = (UInt8(ascii: "_"), UInt8(ascii: "_"))
        guard count >= 4, first == underscores, last == underscores else { return false }
        return numeric != count - 2 || numeric <= Self.beginning.count
    }
}
