/// Where a collection is within its database: `agents`, or `agents/7f/devices` below a document.
///
/// Ordered as Firestore orders names: segment by segment, by UTF-8 bytes.
public struct CollectionPath: Sendable {
    /// The slash-joined path.
    public let description: String

    init(unchecked text: String) { description = text }

    /// - Throws: `INVALID_ARGUMENT` unless the text is an odd number of ids.
    public init(_ string: String) throws(StoreError) {
        guard try PathText.validatedSegmentCount(string) % 2 == 1 else {
            throw .invalid(
                "\"\(PathText.brief(string))\" names a document; a collection's path has an odd number of ids")
        }
        self.init(unchecked: string)
    }
}

extension CollectionPath {
    /// The last id, by which collection groups are named.
    public var id: String { String(PathText.lastSegment(of: description[...])) }

    /// The document the collection is below; nil at the root.
    public var parent: DocumentPath? {
        PathText.parent(of: description[...]).map { DocumentPath(unchecked: String($0)) }
    }

    /// The document of that id in the collection.
    ///
    /// - Throws: `INVALID_ARGUMENT` for what is not an id.
    public func document(_ id: String) throws(StoreError) -> DocumentPath {
        DocumentPath(unchecked: try PathText.appending(id, to: description))
    }

    /// The ids, from the root down.
    public var segments: [Substring] { description.split(separator: "/") }
}

extension CollectionPath: Hashable, Comparable, CustomStringConvertible {
    public static func == (left: CollectionPath, right: CollectionPath) -> Bool {
        left.description.hasSameBytes(as: right.description)
    }

    public static func < (left: CollectionPath, right: CollectionPath) -> Bool {
        PathText.precedes(left.description, right.description)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
