import DocumentStore
import FirestoreProtos

extension FieldPath {
    /// Parses the field that a query names.
    ///
    /// - Throws: `INVALID_ARGUMENT` unless the text is a field path.
    init(_ reference: Google_Firestore_V1_StructuredQuery.FieldReference) throws(FirestoreStatus) {
        do throws(StoreError) {
            try self.init(parsing: reference.fieldPath)
        } catch {
            throw FirestoreStatus(error)
        }
    }
}
