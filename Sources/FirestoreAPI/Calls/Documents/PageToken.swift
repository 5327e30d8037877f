import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf

/// A number by which a token shows the list that it continues: of a method, a parent, and everything else that decides
/// about the entries and their order.
struct ListFingerprint: Hashable {
    fileprivate let value: Value

    init(_ parts: String...) {
        // FNV-1a (https://www.rfc-editor.org/rfc/rfc9923) of the parts, each with a byte at its end that no text has.
        let hash = parts.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, part in
            (Array(part.utf8) + [0xFF]).reduce(hash) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        }
        value = .integer(Int64(bitPattern: hash))
    }
}

/// The position after a page: the values of its last entry in the order of the list, as text for URLs.
struct PageToken {
    let values: [Value]
    private let list: ListFingerprint

    init(_ values: [Value], of list: ListFingerprint) {
        self.values = values
        self.list = list
    }

    /// Reads a token; `nil` for the empty text of a first page.
    ///
    /// - Throws: `INVALID_ARGUMENT` if another list gave the token, or none.
    init?(_ text: String, of list: ListFingerprint, count: Int) throws(FirestoreStatus) {
        guard !text.isEmpty else { return nil }
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        guard let data = Data(base64Encoded: standard),
            let cursor: Google_Firestore_V1_Cursor = MessageCoding.token([UInt8](data))
        else { throw Self.invalid }
        let values = try Value.elements(cursor.values)
        guard values.count == count + 1, values.first == list.value else { throw Self.invalid }
        self.init(Array(values.dropFirst()), of: list)
    }

    /// The token as text.
    var text: String {
        var cursor = Google_Firestore_V1_Cursor()
        cursor.values = ([list.value] + values).map { Google_Firestore_V1_Value($0) }
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

    static var invalid: FirestoreStatus {
        .invalid("Invalid page token. A token continues the list that gave it, with the same parameters.")
    }
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
