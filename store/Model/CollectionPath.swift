/// The path of a collection within its database: `agents`, or `agents/7f/devices` below a document.
///
/// Paths have Firestore's order of names: segment by segment, numeric ids such as `__id7__` by their numbers and before
/// all others, which are in the order of their UTF-8 bytes.
public struct CollectionPath: Sendable {
    /// The ids, joined by slashes.
    public let description: String

    init(unchecked text: String) { description = text }

    /// Parses a path.
    ///
    /// - Throws: `INVALID_ARGUMENT` unless the text is an odd number of valid ids.
    public init(_ string: String) throws(StoreError) {
        guard try PathText.validatedSegmentCount(string) % 2 == 1 else {
            throw .invalid(
                "\"\(PathText.brief(string))\" names a document; a collection's path has an odd number of ids")
        }
        self.init(unchecked: string)
    }
}

extension CollectionPath {
    /// The last id, which also names the collection group.
    public var id: String { String(PathText.lastSegment(of: description[...])) }

    /// The document that contains the collection; `nil` at the root.
    public var parent: DocumentPath? {
        PathText.parent(of: description[...]).map { DocumentPath(unchecked: String($0)) }
    }

    /// Returns the path of the document with that id in the collection.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the text is not a valid id.
    public func document(_ id: String) throws(StoreError) -> DocumentPath {
        DocumentPath(unchecked: try PathText.appending(id, to: description))
    }

    /// Returns the path of the document with an id that a store may have, as ``DocumentPath/init(stored:)`` parses it.
    package func document(stored id: String) throws(StoreError) -> DocumentPath {
        DocumentPath(unchecked: try PathText.appending(id, to: description, isStored: true))
    }

    /// The ids, from the root down.
    public var segments: [Substring] { description.split(separator: "/") }
}

extension CollectionPath: Hashable, Comparable, CustomStringConvertible {
    /// Compares the bytes of two paths.
    public static func == (left: CollectionPath, right: CollectionPath) -> Bool {
        left.description.hasSameBytes(as: right.description)
    }

    /// Orders paths segment by segment, numeric ids first, then by UTF-8 bytes; a path comes before those below it.
    public static func < (left: CollectionPath, right: CollectionPath) -> Bool {
        PathText.precedes(left.description, right.description)
    }

    /// Hashes the bytes of the path.
    public func hash(into hasher: inout Hasher) { description.hashBytes(into: &hasher) }
}
