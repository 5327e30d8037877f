import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf
import Texts

extension Value {
    /// Reads a value. The store checks it.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the message has no type of a stored value, or a time out of range.
    init(_ message: Google_Firestore_V1_Value) throws(FirestoreStatus) {
        switch message.valueType {
        case .stringValue(let text): self = .string(text)
        case .integerValue(let number): self = .integer(number)
        case .doubleValue(let number): self = .double(number)
        case .booleanValue(let value): self = .boolean(value)
        case .mapValue(let map): self = .map(try Fields(map.fields))
        case .arrayValue(let array): self = .array(try Self.elements(array.values))
        case .timestampValue(let time): self = .timestamp(try Timestamp(time))
        case .nullValue: self = .null
        case .bytesValue(let bytes): self = .bytes([UInt8](bytes))
        case .referenceValue(let name): self = .reference(name)
        case .geoPointValue(let point): self = .geoPoint(latitude: point.latitude, longitude: point.longitude)
        case .fieldReferenceValue: throw Self.unsupported("field_reference_value")
        case .variableReferenceValue: throw Self.unsupported("variable_reference_value")
        case .functionValue: throw Self.unsupported("function_value")
        case .pipelineValue: throw Self.unsupported("pipeline_value")
        case nil: throw FirestoreStatus(.valueWithoutType)
        }
    }

    /// Reads the elements of an array.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of them is not a value.
    static func elements(_ messages: [Google_Firestore_V1_Value]) throws(FirestoreStatus) -> [Value] {
        var elements: [Value] = []
        elements.reserveCapacity(messages.count)
        for message in messages { elements.append(try Value(message)) }
        return elements
    }

    /// Returns the error for a type that only pipelines have.
    private static func unsupported(_ type: String) -> FirestoreStatus {
        .invalid("Cannot convert firestore.v1.Value with type \(type).")
    }
}

extension Fields {
    /// Reads fields.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of them is not a value.
    init(_ messages: [ExactText: Google_Firestore_V1_Value]) throws(FirestoreStatus) {
        self.init(minimumCapacity: messages.count)
        for (name, message) in messages { self[name.text] = try Value(message) }
    }

    /// The fields as messages.
    var messages: [ExactText: Google_Firestore_V1_Value] { byExactName { Google_Firestore_V1_Value($0) } }
}

extension Google_Firestore_V1_Value {
    init(_ value: Value) {
        self.init()
        valueType =
            switch value {
            case .string(let text): .stringValue(text)
            case .integer(let number): .integerValue(number)
            case .double(let number): .doubleValue(number)
            case .boolean(let value): .booleanValue(value)
            case .map(let fields): .mapValue(Google_Firestore_V1_MapValue(fields))
            case .array(let elements): .arrayValue(Google_Firestore_V1_ArrayValue(elements))
            case .timestamp(let time): .timestampValue(Google_Protobuf_Timestamp(time))
            case .null: .nullValue(.nullValue)
            case .bytes(let bytes): .bytesValue(Data(bytes))
            case .reference(let name): .referenceValue(name)
            case .geoPoint(let latitude, let longitude):
                .geoPointValue(
                    .with {
                        $0.latitude = latitude
                        $0.longitude = longitude
                    })
            }
    }
}

extension Google_Firestore_V1_MapValue {
    init(_ fields: Fields) {
        self.init()
        self.fields = fields.messages
    }
}

extension Google_Firestore_V1_ArrayValue {
    init(_ elements: [Value]) {
        self.init()
        values = elements.map { Google_Firestore_V1_Value($0) }
    }
}
