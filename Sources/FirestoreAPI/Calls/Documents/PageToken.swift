import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf

/// The position after a page: the values of its last entry in the order of the list, as text for URLs.
struct PageToken {
    let values: [Value]

    init(_ values: [Value]) { self.values = values }

    /// Reads a token; `nil` for the empty text of a first page.
    ///
    /// - Throws: `INVALID_ARGUMENT` if no list of this order gave the token.
    init?(_ text: String, count: Int) throws(FirestoreStatus) {
        guard !text.isEmpty else { return nil }
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        guard let data = Data(base64Encoded: standard),
            let cursor = try? Google_Firestore_V1_Cursor(serializedBytes: [UInt8](data)), cursor.values.count == count
        else { throw Self.invalid }
        values = try Value.elements(cursor.values)
    }

    /// The token as text.
    var text: String {
        var cursor = Google_Firestore_V1_Cursor()
        cursor.values = values.map { Google_Firestore_V1_Value($0) }
        let bytes: [UInt8] = (try? cursor.serializedBytes()) ?? []
        return String(Data(bytes).base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// The path of the document that the last value names.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it names none of the database.
    func lastPath(in database: DatabaseID) throws(FirestoreStatus) -> DocumentPath {
        guard case .reference(let name)? = values.last,
            let path = try? DocumentPath(firestoreName: name, in: database)
        else { throw Self.invalid }
        return path
    }

    static var invalid: FirestoreStatus { .invalid("Invalid page token.") }
}

/// The number of entries in a page.
enum PageSize {
    /// The size if the request has none.
    private static let standard = 100
    /// The greatest size. Clients follow the tokens to the end, and memory stays bounded.
    private static let greatest = 300

    /// Returns the size of a page.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the size that was asked for is negative.
    static func of(_ size: Int32) throws(FirestoreStatus) -> Int {
        guard size >= 0 else { throw .invalid("The page size \(size) is negative.") }
        return size == 0 ? standard : min(Int(size), greatest)
    }
}
