import DocumentStore

extension Rows {
    /// The document of a row whose columns are those of ``StateSource/columns``.
    func stored(_ row: Int32, from column: Int32 = 2) -> StoredDocument? {
        guard let fields = bytes(row, column), let created = integer(row, column + 1),
            let updated = integer(row, column + 2)
        else { return nil }
        return StoredDocument(
            json: fields, createTime: Timestamp(microseconds: created), updateTime: Timestamp(microseconds: updated))
    }

    /// The path of a row's document.
    func path(_ row: Int32, from column: Int32 = 0) -> DocumentPath {
        DocumentPath(
            unchecked: PathText.joined(
                StoredName.decode(text(row, column) ?? ""), StoredName.decode(text(row, column + 1) ?? "")))
    }

    /// Returns the stored documents by their paths.
    func storedByPath() -> [DocumentPath: StoredDocument] {
        var documents: [DocumentPath: StoredDocument] = [:]
        documents.reserveCapacity(Int(count))
        for row in 0..<count { documents[path(row)] = stored(row) }
        return documents
    }

    /// Returns the stored documents of ``SharedReads/statement(for:)`` by their paths.
    ///
    /// - Parameter paths: those that the statement names, in the same order.
    func stored(at paths: [DocumentPath]) -> [DocumentPath: StoredDocument] {
        var documents: [DocumentPath: StoredDocument] = [:]
        documents.reserveCapacity(Int(count))
        for row in 0..<count {
            guard let place = integer(row, SharedCall.placeColumn), paths.indices.contains(Int(place)) else { continue }
            documents[paths[Int(place)]] = stored(row)
        }
        return documents
    }

    /// Returns the documents. Those that cannot be read are left out and reported.
    func documents(reporting unreadable: UnreadableDocuments) -> [Document] {
        var documents: [Document] = []
        documents.reserveCapacity(Int(count))
        for row in 0..<count {
            if let document = document(row, reporting: unreadable) { documents.append(document) }
        }
        return documents
    }

    /// Returns the document of a row; `nil` if it cannot be read, which is reported.
    func document(_ row: Int32, reporting unreadable: UnreadableDocuments) -> Document? {
        let path = path(row)
        do throws(StoreError) {
            return try stored(row)?.document(at: path)
        } catch {
            unreadable.report(path, because: "\(error)")
            return nil
        }
    }
}
