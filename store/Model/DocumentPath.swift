/// The path of a document within its database: alternating collection and document ids, `agents/7f/devices/a1`.
///
/// Paths have Firestore's order of names: segment by segment, numeric ids such as `__id7__` by their numbers and before
/// all others, which are in the order of their UTF-8 bytes.
public struct DocumentPath: Sendable {
    /// The ids, joined by slashes.
    public let description: String

    package init(unchecked text: String) { description = text }

    /// Parses a path.
    ///
    /// - Throws: `INVALID_ARGUMENT` unless the text is an even number of valid ids.
    public init(_ string: String) throws(StoreError) { try self.init(string, isStored: false) }

    /// Parses the path of a document that a store has. Its ids may be such that only earlier versions accepted them, as
    /// `__id0__`, or a collection's `__id7__`.
    ///
    /// - Throws: `INVALID_ARGUMENT` unless the text is an even number of such ids.
    package init(stored string: String) throws(StoreError) { try self.init(string, isStored: true) }

    private init(_ string: String, isStored: Bool) throws(StoreError) {
        guard try PathText.validatedSegmentCount(string, isStored: isStored) % 2 == 0 else {
            throw .invalid(
                "\"\(PathText.brief(string))\" names a collection; a document's path has an even number of ids")
        }
        self.init(unchecked: string)
    }
}

extension DocumentPath {
    /// The last id, which is the document's within its collection.
    public var id: String { String(PathText.lastSegment(of: description[...])) }

    /// The collection that contains the document.
    public var collection: CollectionPath {
        CollectionPath(unchecked: String(PathText.parent(of: description[...]) ?? ""))
    }

    /// Returns `true` if the document is directly in the collection.
    public func isIn(_ collection: CollectionPath) -> Bool {
        PathText.isDirectly(description, below: collection.description)
    }

    /// Returns the path of the collection with that id below the document.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the text is not a valid id.
    public func collection(_ id: String) throws(StoreError) -> CollectionPath {
        CollectionPath(unchecked: try PathText.appending(id, to: description))
    }

    /// Returns the path of a document in a collection below this document.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of the texts is not a valid id.
    public func document(_ id: String, in collection: String) throws(StoreError) -> DocumentPath {
        DocumentPath(unchecked: try PathText.appending(collection, id, to: description))
    }

    /// The ids, from the root down.
    public var segments: [Substring] { description.split(separator: "/") }

    /// Returns `true` for a document in one of some collections at the root, or below such a document.
    package func isBelow(anyOf roots: Set<String>) -> Bool {
        segments.first.map { roots.contains(String($0)) } ?? false
    }

    /// The path for messages, with long ids shortened because they may be tokens.
    package var brief: String { PathText.brief(description) }
}

extension DocumentPath {
    /// Returns the full name, `projects/{p}/databases/{d}/documents/{path}`, as the REST API and references write it.
    public func name(in database: DatabaseID) -> String { "\(database)/documents/\(description)" }

    /// Parses a full name.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the text is not the name of a document of this database.
    public init(name: String, in database: DatabaseID) throws(StoreError) {
        try self.init(Self.text(of: name, in: database))
    }

    /// Parses the full name of a document that a store has, as ``init(stored:)`` parses its path.
    package init(storedName name: String, in database: DatabaseID) throws(StoreError) {
        try self.init(stored: Self.text(of: name, in: database))
    }

    private static func text(of name: String, in database: DatabaseID) throws(StoreError) -> String {
        let prefix = "\(database)/documents/"
        guard name.utf8.starts(with: prefix.utf8) else {
            throw .invalid("a document's name begins with \"\(prefix)\"")
        }
        return String(name.utf8.dropFirst(prefix.utf8.count)) ?? ""
    }
}

extension DocumentPath: Hashable, Comparable, CustomStringConvertible {
    /// Compares the bytes of two paths.
    public static func == (left: DocumentPath, right: DocumentPath) -> Bool {
        left.description.hasSameBytes(as: right.description)
    }

    /// Orders paths segment by segment, numeric ids first, then by UTF-8 bytes; a path comes before those below it.
    public static func < (left: DocumentPath, right: DocumentPath) -> Bool {
        PathText.precedes(left.description, right.description)
    }

    /// Hashes the bytes of the path.
    public func hash(into hasher: inout Hasher) { description.hashBytes(into: &hasher) }
}

/// New ids: 20 characters of `[A-Za-z0-9]`, as Firestore's clients make them.
extension DocumentPath {
    /// Returns a random id of 119 bits, from the system's generator.
    public static func randomID() -> String {
        var generator = SystemRandomNumberGenerator()
        return randomID(using: &generator)
    }

    /// Returns an id like ``randomID()``, from the given generator.
    public static func randomID(using generator: inout some RandomNumberGenerator) -> String {
        id(UInt64.random(in: 0..<half, using: &generator), UInt64.random(in: 0..<half, using: &generator))
    }

    /// Returns an id that is greater, by its bytes, than the ids of earlier times. Documents created one after
    /// another are thus neighbors in an index of paths. The id has 9 characters for the time in microseconds, then 65
    /// random bits.
    ///
    /// - Parameter time: in the years 1970 to 2398; an earlier or later time counts as the first or last moment of
    ///   these.
    public static func timeOrderedID(at time: Timestamp) -> String {
        var generator = SystemRandomNumberGenerator()
        return timeOrderedID(at: time, using: &generator)
    }

    /// Returns an id like ``timeOrderedID(at:)``, from the given generator.
    public static func timeOrderedID(at time: Timestamp, using generator: inout some RandomNumberGenerator) -> String {
        let moment = min(UInt64(max(time.microseconds, 0)), half / radix - 1)
        return id(
            moment * radix + UInt64.random(in: 0..<radix, using: &generator),
            UInt64.random(in: 0..<half, using: &generator))
    }

    /// The characters of an id, in the order of their bytes.
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let radix: UInt64 = 62
    private static let halfLength = 10
    /// The number of texts of half an id's length. An id is made of two numbers because the system's generator makes
    /// one kernel call for each number.
    private static let half = (0..<halfLength).reduce(1 as UInt64) { power, _ in power * radix }

    private static func id(_ first: UInt64, _ second: UInt64) -> String {
        String(unsafeUninitializedCapacity: 2 * halfLength) { text in
            write(first, to: text[..<halfLength])
            write(second, to: text[halfLength..<2 * halfLength])
            return 2 * halfLength
        }
    }

    private static func write(_ number: UInt64, to text: Slice<UnsafeMutableBufferPointer<UInt8>>) {
        var (text, number) = (text, number)
        for index in text.indices.reversed() {
            text[index] = alphabet[Int(number % radix)]
            number /= radix
        }
    }
}
