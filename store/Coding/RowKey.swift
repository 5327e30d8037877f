/// The columns that identify a document. All of them are parts of its path in the form of ``StoredName``.
package struct RowKey: Sendable {
    private let path: [UInt8]
    private let parentEnd: Int
    private let collectionStart: Int
    private let documentStart: Int

    package init(_ path: DocumentPath) {
        var text = path.description
        self = text.withUTF8(Self.init)
    }

    private init(_ path: UnsafeBufferPointer<UInt8>) {
        var (parentEnd, collectionStart, documentStart) = (0, 0, 0)
        self.path = Array(unsafeUninitializedCapacity: StoredName.size(of: path)) { bytes, count in
            count = StoredName.write(path, to: bytes) { end, start in
                (parentEnd, collectionStart, documentStart) = (end, documentStart, start)
            }
        }
        (self.parentEnd, self.collectionStart, self.documentStart) = (parentEnd, collectionStart, documentStart)
    }

    /// The number of bytes of all parts together.
    package var size: Int { path.count }

    package typealias Column = UnsafeBufferPointer<UInt8>

    /// Calls the closure with the collection's path, the collection's id, and the document's id.
    package func withColumns<Answer>(
        _ body: (_ parent: Column, _ collection: Column, _ document: Column) throws -> Answer
    ) rethrows -> Answer {
        try path.withUnsafeBufferPointer { path in
            try body(
                Column(rebasing: path[..<parentEnd]), Column(rebasing: path[collectionStart..<parentEnd]),
                Column(rebasing: path[documentStart...]))
        }
    }
}
