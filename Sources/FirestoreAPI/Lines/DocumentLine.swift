package import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf

/// A document as one line of JSON, in the form of Firestore's REST API:
/// `{"createTime":…,"fields":{…},"name":"projects/…/databases/…/documents/…","updateTime":…}`.
package struct DocumentLine: Sendable {
    /// The database of the document.
    package let database: DatabaseID
    /// Its path.
    package let path: DocumentPath
    /// Its fields.
    package let fields: Fields

    /// Reads a line, without its end. Times are not read.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is not a document.
    package init(_ line: [UInt8]) throws(FirestoreStatus) {
        var options = JSONDecodingOptions()
        // A value in an array in a map, twenty times.
        options.messageDepthLimit = 256
        let message: Google_Firestore_V1_Document
        do {
            message = try Google_Firestore_V1_Document(jsonUTF8Bytes: line, options: options)
        } catch {
            throw .invalid("The line is not a document in JSON.")
        }
        (database, path) = try Self.document(message.name)
        fields = try Fields(message.fields)
    }

    /// Parses the name of a document as a store, maybe of an earlier version, has it.
    private static func document(_ name: String) throws(FirestoreStatus) -> (DatabaseID, DocumentPath) {
        let parts = try ResourceName(name, of: .document, isStored: true)
        do throws(StoreError) {
            return (parts.database, try DocumentPath(stored: String(parts.path ?? "")))
        } catch {
            throw FirestoreStatus(error)
        }
    }

    /// Returns a document as a line, without its end. Equal documents have equal lines.
    package static func bytes(of document: Document, in database: DatabaseID) throws(FirestoreStatus) -> [UInt8] {
        try Google_Firestore_V1_Document(document, in: database).firestoreJSON
    }
}
