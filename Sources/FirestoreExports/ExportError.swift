/// The reason that an export cannot be read or written: a text for its operator that says what failed, where, why, and
/// what to do.
package struct ExportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failures, for programs.
    package enum Kind: Hashable, Sendable {
        /// The path does not lead to an export.
        case notAnExport
        /// Bytes of a file are not as they were written.
        case damaged
        /// The files contain another number of documents than the export lists.
        case incomplete
        /// An entity is not a document of Firestore, such as one of Datastore with a namespace.
        case unsupportedEntity
        /// A document cannot be part of an export.
        case unsupportedDocument
        /// The file system refuses an operation.
        case fileSystem
    }

    package let kind: Kind
    /// The path of the file or folder; empty if the failure has none.
    package let file: String
    /// The place in the file, in bytes from its beginning; `nil` if the failure has none.
    package let offset: Int?
    /// The problem and the remedy.
    package let message: String

    init(_ kind: Kind, _ file: String, at offset: Int? = nil, _ message: String) {
        self.kind = kind
        self.file = file
        self.offset = offset
        self.message = message
    }

    package var description: String {
        let place = offset.map { "\(file), byte \($0)" } ?? file
        return place.isEmpty ? message : "\(place): \(message)"
    }
}

extension ExportError {
    /// Returns the error for bytes that are not as they were written.
    static func damaged(_ file: String, at offset: Int? = nil, _ problem: String) -> ExportError {
        ExportError(.damaged, file, at: offset, "\(problem). The file is damaged: copy or make the export again.")
    }
}

/// The reason that an entity is not a document, or that a document cannot be an entity. The reader adds the file to it,
/// the writer the document's name.
struct EntityError: Error {
    let problem: String
    /// The names of the field and of the maps around it, from the innermost to the outermost.
    private(set) var names: [String] = []

    init(_ problem: String) { self.problem = problem }

    /// Returns the error, in the field of that name.
    func inField(_ name: String) -> EntityError {
        var error = self
        error.names.append(name)
        return error
    }

    var description: String {
        guard !names.isEmpty else { return problem }
        return "the field \(names.map { "“\($0)”" }.joined(separator: " in ")) \(problem)"
    }
}
