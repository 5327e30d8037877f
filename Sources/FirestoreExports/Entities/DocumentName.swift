/// A document's full name, `projects/{p}/databases/{d}/documents/{path}`, in its parts.
struct DocumentName {
    let database: DatabaseName
    let path: [KeyElement]

    init(_ database: DatabaseName, _ path: [KeyElement]) {
        self.database = database
        self.path = path
    }

    /// Parses a name; `nil` if the text is not one.
    init?(_ text: String) {
        // A slash and a combining mark would be one character.
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
        guard parts.count >= 7, parts.count % 2 == 1, !parts.contains(where: \.isEmpty),
            parts[0] == "projects", parts[2] == "databases", parts[4] == "documents"
        else { return nil }
        database = DatabaseName(project: String(parts[1]), database: String(parts[3]))
        path = stride(from: 5, to: parts.count, by: 2).map { index in
            KeyElement(collection: String(parts[index]), id: DocumentID(String(parts[index + 1])))
        }
    }

    /// Returns the name as a text.
    ///
    /// - Throws: an error if one of the ids cannot be a document's or a collection's.
    func text() throws(EntityError) -> String {
        var segments: [String] = []
        for element in path {
            guard let path = element.path else {
                throw EntityError(
                    "has the id “\(element.id.description)” in “\(element.collection)”, which no document can have")
            }
            segments.append(path)
        }
        guard !segments.isEmpty else { throw EntityError("has a key without ids") }
        return database.prefix + segments.joined(separator: "/")
    }
}
