/// The rules and the order that ``DocumentPath`` and ``CollectionPath`` share, on slash-joined text.
package enum PathText {
    static let separator = UInt8(ascii: "/")

    /// Checks that each segment is a valid id, and returns the number of segments.
    ///
    /// - Parameters:
    ///   - depth: the number of segments before the text. Those at even places are ids of collections.
    ///   - isStored: `true` for names from a store, which may have ids that only earlier versions accepted.
    static func validatedSegmentCount(
        _ text: String, at depth: Int = 0, isStored: Bool = false
    ) throws(StoreError) -> Int {
        let bytes = text.utf8
        var (start, count) = (bytes.startIndex, 0)
        while true {
            let end = bytes[start...].firstIndex(of: separator) ?? bytes.endIndex
            let isOfDocument = (depth + count) % 2 == 1
            try IDCheck(bytes[start..<end], isOfDocument: isOfDocument, isStored: isStored).validate()
            count += 1
            guard end < bytes.endIndex else { break }
            start = bytes.index(after: end)
        }
        try validate(segmentCount: count)
        return count
    }

    private static func validate(segmentCount count: Int) throws(StoreError) {
        guard count <= Limits.pathSegments else {
            throw .invalid("a path of \(count) segments: at most \(Limits.pathSegments) are allowed")
        }
    }

    /// Returns a valid path with one more segment. Checks only the new id and the number of segments.
    static func appending(_ id: String, to path: String, isStored: Bool = false) throws(StoreError) -> String {
        let depth = segmentCount(of: path)
        try validateID(id, at: depth, isStored: isStored)
        try validate(segmentCount: depth + 1)
        return joined(path, id)
    }

    /// Returns a valid path with two more segments, checked as in ``appending(_:to:)``.
    static func appending(_ first: String, _ second: String, to path: String) throws(StoreError) -> String {
        let depth = segmentCount(of: path)
        try validateID(first, at: depth)
        try validateID(second, at: depth + 1)
        try validate(segmentCount: depth + 2)
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
        path.utf8.count > parent.utf8.count + 1 && path.beginsWithBytes(of: parent)
            && lastSeparator(in: path[...]) == parent.utf8.count
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

    /// Checks that a text is one valid segment of a path.
    ///
    /// - Parameters:
    ///   - depth: the number of segments before it; 0 for the id of a collection, wherever it is.
    ///   - isStored: `true` for an id from a store.
    static func validateID(_ id: String, at depth: Int = 0, isStored: Bool = false) throws(StoreError) {
        guard try validatedSegmentCount(id, at: depth, isStored: isStored) == 1 else {
            throw .invalid("\"\(brief(id))\" is not an id: an id has no slash in it")
        }
    }

    /// Returns `true` if the left path comes before the right one: segment by segment, a parent first. Numeric ids come
    /// first, by number, then all others by UTF-8 bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8, right.utf8)
        var (place, other) = (left.startIndex, right.startIndex)
        var (segment, otherSegment) = (place, other)
        while place < left.endIndex, other < right.endIndex, left[place] == right[other] {
            let isSeparator = left[place] == separator
            left.formIndex(after: &place)
            right.formIndex(after: &other)
            if isSeparator { (segment, otherSegment) = (place, other) }
        }
        switch (number(at: segment, in: left), number(at: otherSegment, in: right)) {
        case (let one?, let two?) where one != two: return one < two
        case (_?, nil): return true
        case (nil, _?): return false
        default: break
        }
        guard other < right.endIndex else { return false }
        return place == left.endIndex || rank(left[place]) < rank(right[other])
    }

    /// Returns the number of the segment that begins at a place; `nil` if it is no numeric id.
    private static func number(at start: String.Index, in path: String.UTF8View) -> Int64? {
        guard start < path.endIndex, path[start] == UInt8(ascii: "_") else { return nil }
        return NumericID.number(in: path[start...].prefix { $0 != separator })
    }

    /// The byte's place in the order. A slash comes before each byte of an id, so that "a/b" comes before "a!".
    private static func rank(_ byte: UInt8) -> Int { byte == separator ? -1 : Int(byte) }

    static func lastSegment(of text: Substring) -> Substring {
        guard let slash = lastSeparator(in: text) else { return text }
        return text[text.utf8.index(text.startIndex, offsetBy: slash + 1)...]
    }

    /// Returns the text before the last segment; `nil` if there is only one segment.
    static func parent(of text: Substring) -> Substring? {
        lastSeparator(in: text).map { text[..<text.utf8.index(text.startIndex, offsetBy: $0)] }
    }

    /// Returns the number of bytes before the last separator; `nil` if there is none. It searches memory, since a view
    /// of the text takes several times as long for each byte.
    private static func lastSeparator(in text: Substring) -> Int? {
        let place = text.utf8.withContiguousStorageIfAvailable { $0.lastIndex(of: separator) }
        return place
            ?? text.utf8.lastIndex(of: separator).map { text.utf8.distance(from: text.utf8.startIndex, to: $0) }
    }

    /// Returns the path for a message, with long ids shortened: ids are often tokens or keys, which messages must not
    /// repeat.
    static func brief(_ text: String) -> String {
        text.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.utf8.count > 32 ? "\($0.prefix(8))…" : String($0) }
            .joined(separator: "/")
    }
}

/// A check of one id: 1 to 1,500 bytes, not `.`, not `..`, not `__…__`. A document may have a ``NumericID``, of which
/// clients name the least to begin a range.
private struct IDCheck {
    private let id: Substring.UTF8View
    private let isOfDocument: Bool
    private let isStored: Bool

    init(_ id: Substring.UTF8View, isOfDocument: Bool, isStored: Bool) {
        self.id = id
        self.isOfDocument = isOfDocument
        self.isStored = isStored
    }

    func validate() throws(StoreError) {
        let count = id.count
        if count == 0 { throw .invalid("an empty id: a path is ids joined by single slashes") }
        if count > Limits.nameSize {
            throw .invalid("an id of \(count) bytes: at most \(Limits.nameSize) are allowed")
        }
        if isDots { throw .invalid("an id cannot be \".\" or \"..\"") }
        if isReserved { throw .invalid("an id cannot begin and end with \"__\": such names are reserved") }
    }

    private var isDots: Bool { id.count <= 2 && id.allSatisfy { $0 == UInt8(ascii: ".") } }

    private var isReserved: Bool {
        guard id.count >= 4, id.starts(with: "__".utf8), id.suffix(2).elementsEqual("__".utf8) else { return false }
        if isStored, NumericID.isEarlier(id) { return false }
        return !isOfDocument || NumericID.number(in: id) == nil
    }
}

/// The segments of a path in memory, from the root down, without an allocation.
struct PathSegments: Sequence, IteratorProtocol {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>?

    init(_ path: UnsafeBufferPointer<UInt8>) { rest = path[...] }

    mutating func next() -> Slice<UnsafeBufferPointer<UInt8>>? {
        guard let text = rest else { return nil }
        guard let end = text.firstIndex(of: PathText.separator) else {
            rest = nil
            return text
        }
        rest = text[(end + 1)...]
        return text[..<end]
    }
}
