import DocumentStore
import FirestoreProtos

extension FieldTransform {
    /// Reads a transform. The store checks its field and its operand.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is malformed.
    init(_ message: Google_Firestore_V1_DocumentTransform.FieldTransform) throws(FirestoreStatus) {
        self = FieldTransform(try FieldPath(firestoreText: message.fieldPath), try Operation(message))
    }

    /// Reads the transforms of a write, in their order.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of them is malformed.
    static func transforms(
        _ messages: [Google_Firestore_V1_DocumentTransform.FieldTransform]
    ) throws(FirestoreStatus) -> [FieldTransform] {
        var transforms: [FieldTransform] = []
        transforms.reserveCapacity(messages.count)
        for message in messages { transforms.append(try FieldTransform(message)) }
        return transforms
    }
}

extension FieldTransform.Operation {
    fileprivate init(_ message: Google_Firestore_V1_DocumentTransform.FieldTransform) throws(FirestoreStatus) {
        switch message.transformType {
        case .setToServerValue(.requestTime): self = .requestTime
        case .setToServerValue:
            throw .invalid("ServerValue type must be specified for set_to_server_value transformation.")
        case .increment(let number): self = .increment(try Value(number))
        case .maximum(let number): self = .maximum(try Value(number))
        case .minimum(let number): self = .minimum(try Value(number))
        case .appendMissingElements(let array): self = .arrayUnion(try Value.elements(array.values))
        case .removeAllFromArray(let array): self = .arrayRemove(try Value.elements(array.values))
        case nil: throw .invalid("Operation type must be specified for field transformation.")
        }
    }
}
