import DocumentStore
import FirestoreProtos
import SwiftProtobuf

extension Google_Firestore_V1_Document {
    /// Makes the message of a document.
    ///
    /// - Parameters:
    ///   - document: the document.
    ///   - database: its database, for its name.
    ///   - mask: the fields to include; `nil` for all.
    init(_ document: Document, in database: DatabaseID, mask: FieldSelection? = nil) {
        self.init()
        name = document.path.name(in: database)
        fields = (mask?.parts(of: document.fields) ?? document.fields).messages
        createTime = Google_Protobuf_Timestamp(document.createTime)
        updateTime = Google_Protobuf_Timestamp(document.updateTime)
    }
}

extension FieldPath {
    /// Reads a field path.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the text is not one.
    init(firestoreText text: String) throws(FirestoreStatus) {
        do {
            self = try FieldPath(parsing: text)
        } catch {
            throw FirestoreStatus(error)
        }
    }

    /// Reads the paths of a mask.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of them is not a field path, or if they or their names are too many.
    static func paths(of mask: Google_Firestore_V1_DocumentMask) throws(FirestoreStatus) -> [FieldPath] {
        try RequestLimits.check(fields: mask.fieldPaths.count)
        var paths: [FieldPath] = []
        paths.reserveCapacity(mask.fieldPaths.count)
        var names = 0
        for text in mask.fieldPaths {
            let path = try FieldPath(firestoreText: text)
            names += path.segments.count
            try RequestLimits.check(names: names)
            paths.append(path)
        }
        return paths
    }
}

extension FieldSelection {
    /// Reads the mask of a read.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of its paths is not a field path, or if they or their names are too many.
    init(_ mask: Google_Firestore_V1_DocumentMask) throws(FirestoreStatus) {
        self.init(try FieldPath.paths(of: mask))
    }
}
