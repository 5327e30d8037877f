import DocumentStore

/// A resource's name, `projects/{p}/databases/{d}/documents/{path}`, in its parts.
struct ResourceName {
    /// The kinds of resources, as errors name them.
    enum Kind: String {
        case database = "Database"
        case parent = "Parent"
        case document = "Document"
    }

    let database: DatabaseID
    /// The text after `documents/`; `nil` if the name ends before the slash.
    let path: Substring?
    /// The number of bytes before the path.
    let prefixLength: Int

    private static let slash = UInt8(ascii: "/")

    /// Parses a name. Checks everything but the path.
    ///
    /// - Parameter isStored: `true` if a store had the database, maybe under a name that no request can have.
    /// - Throws: `INVALID_ARGUMENT`, with the place of the first mistake in UTF-8 bytes.
    init(_ name: String, of kind: Kind, isStored: Bool = false) throws(FirestoreStatus) {
        var parser = SegmentParser(name: name, kind: kind)
        try parser.take(word: "projects")
        let project = try parser.takeID("a project id")
        try parser.take(word: "databases")
        let database = try parser.takeID("a database id")
        self.database =
            try isStored
            ? DatabaseID(project: project, database: database) : Self.checkedDatabase(project, database)
        if kind == .database {
            try parser.finish()
            path = nil
        } else {
            try parser.take(word: "documents")
            path = parser.rest
        }
        prefixLength = parser.index
    }

    private static func checkedDatabase(
        _ project: String, _ database: String
    ) throws(FirestoreStatus) -> DatabaseID {
        do throws(StoreError) {
            return try DatabaseID(checkedProject: project, database: database)
        } catch {
            throw FirestoreStatus(error)
        }
    }
}

/// Takes one segment of a name after the other.
private struct SegmentParser {
    let name: String
    let kind: ResourceName.Kind
    /// The text that is not taken yet; `nil` at the end.
    private(set) var rest: Substring?
    /// The number of bytes before ``rest``.
    private(set) var index = 0

    init(name: String, kind: ResourceName.Kind) {
        self.name = name
        self.kind = kind
        rest = name[...]
    }

    mutating func take(word: String) throws(FirestoreStatus) {
        let start = index
        guard let segment = segment(), segment.utf8.elementsEqual(word.utf8) else {
            throw kind.invalid(name, "lacks \"\(word)\"", at: start)
        }
    }

    mutating func takeID(_ description: String) throws(FirestoreStatus) -> String {
        let start = index
        guard let segment = segment(), !segment.isEmpty else {
            throw kind.invalid(name, "lacks \(description)", at: start)
        }
        return String(segment)
    }

    func finish() throws(FirestoreStatus) {
        if rest != nil { throw kind.invalid(name, "has more than a database", at: index - 1) }
    }

    private mutating func segment() -> Substring? {
        guard let text = rest else { return nil }
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            index += text.utf8.count
            rest = nil
            return text
        }
        let segment = text[..<end]
        rest = text[text.utf8.index(after: end)...]
        index += segment.utf8.count + 1
        return segment
    }
}

extension ResourceName {
    /// Returns the path of a document.
    ///
    /// - Throws: `INVALID_ARGUMENT` unless the path is an even number of valid ids.
    func documentPath(of kind: Kind, _ name: String) throws(FirestoreStatus) -> DocumentPath {
        guard let path else { throw kind.invalid(name, "lacks \"/\"", at: prefixLength) }
        var segments = 1
        var isEmpty = true
        var index = prefixLength
        for byte in path.utf8 {
            if byte == Self.slash {
                if isEmpty { break }
                segments += 1
            }
            isEmpty = byte == Self.slash
            index += 1
        }
        if isEmpty { throw kind.invalid(name, "lacks a resource id", at: index) }
        guard segments % 2 == 0 else { throw kind.invalid(name, "lacks \"/\"", at: name.utf8.count) }
        do {
            return try DocumentPath(String(path))
        } catch {
            throw FirestoreStatus(error)
        }
    }
}

extension ResourceName.Kind {
    /// Returns the error for a mistake at a place of a name.
    fileprivate func invalid(_ name: String, _ mistake: String, at index: Int) -> FirestoreStatus {
        .invalid("\(rawValue) name \"\(name)\" \(mistake) at index \(index).")
    }
}
