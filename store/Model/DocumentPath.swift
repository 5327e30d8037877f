/// Where a document is within its database: collection and document ids in turn, `agents/7f/devices/a1`.
///
/// Ordered as Firestore orders names: segment by segment, by UTF-8 bytes.
public struct DocumentPath: Sendable {
    /// The slash-joined path.
    public let description: String

    init(unchecked text: String) { description = text }

    /// - Throws: `INVALID_ARGUMENT` unless the text is an even number of ids.
    public init(_ string: String) throws(StoreError) {
        guard try PathText.validatedSegmentCount(string) % 2 == 0 else {
            throw .invalid(
                "\"\(PathText.brief(string))\" names a collection; a document's path has an even number of ids")
        }
        self.init(unchecked: string)
    }
}

extension DocumentPath {
    /// The last id.
    public var id: String { String(PathText.lastSegment(of: description[...])) }

    /// The collection the document is in.
    public var collection: CollectionPath {
        CollectionPath(unchecked: String(PathText.parent(of: description[...]) ?? ""))
    }

    /// Returns whether the document is directly in a collection.
    public func isIn(_ collection: CollectionPath) -> Bool {
        PathText.isDirectly(description, below: collection.description)
    }

    /// The collection of that id below the document.
    ///
    /// - Throws: `INVALID_ARGUMENT` for what is not an id.
    public func collection(_ id: String) throws(StoreError) -> CollectionPath {
        CollectionPath(unchecked: try PathText.appending(id, to: description))
    }

    /// The document of that id in the collection of that id below the document.
    ///
    /// - Throws: `INVALID_ARGUMENT` for what is not an id.
    public func document(_ id: String, in collection: String) throws(StoreError) -> DocumentPath {
        DocumentPath(unchecked: try PathText.appending(collection, id, to: description))
    }

    /// The ids, from the root down.
    public var segments: [Substring] { description.split(separator: "/") }

    /// The path as messages show it, with long ids cut: they may be tokens.
    var brief: String { PathText.brief(description) }
}

extension DocumentPath {
    /// The full name, `projects/{p}/databases/{d}/documents/{path}`, as the REST API and references have it.
    public func name(in database: DatabaseID) -> String { "\(database)/documents/\(description)" }

    /// The path of a full name.
    ///
    /// - Throws: `INVALID_ARGUMENT` when it is not the name of a document of this database.
    public init(name: String, in database: DatabaseID) throws(StoreError) {
        let prefix = "\(database)/documents/"
        guard name.utf8.starts(with: prefix.utf8) else {
            throw .invalid("a document's name begins with \"\(prefix)\"")
        }
        try self.init(String(name.utf8.dropFirst(prefix.utf8.count)) ?? "")
    }
}

extension DocumentPath: Hashable, Comparable, CustomStringConvertible {
    public static func == (left: DocumentPath, right: DocumentPath) -> Bool {
        left.description.hasSameBytes(as: right.description)
    }

    public static func < (left: DocumentPath, right: DocumentPath) -> Bool {
        PathText.precedes(left.description, right.description)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
