import FirestoreProtos
import Foundation
import SwiftProtobuf
import Texts

extension EntityDecoder {
    private typealias Value = Google_Firestore_V1_Value

    /// Translates the value of a property, which may be an element of an array.
    func value(_ property: Property, depth: Int) throws(EntityError) -> Google_Firestore_V1_Value {
        let value = property.value
        guard let meaning = Meaning(rawValue: property.meaning), value.unknownFields.data.isEmpty else {
            throw EntityError("has a type that only Datastore has (meaning \(property.meaning))")
        }
        let content = try content(value, meaning, depth: depth)
        guard let tag = meaning.tag else { return content }
        return .with { $0.mapValue.fields = [ExactText(tag): content] }
    }

    private func content(
        _ value: PropertyValue, _ meaning: Meaning, depth: Int
    ) throws(EntityError) -> Google_Firestore_V1_Value {
        var content = Value()
        switch meaning {
        case .none where !value.hasStringValue: return try plain(value)
        case .none, .text, .decimal128, .objectID: content.stringValue = try text(value)
        case .bytes, .indexedBytes, .binary: content.bytesValue = try bytes(value)
        case .timestamp: content.timestampValue = Google_Protobuf_Timestamp(microseconds: try integer(value))
        case .geoPoint: content.geoPointValue = try point(value)
        case .map, .regex, .requestTimestamp:
            content.mapValue.fields = try fields(try EntityProto(map: try bytes(value)), depth: depth + 1)
        case .emptyArray: content.arrayValue = Google_Firestore_V1_ArrayValue()
        case .vector:
            // A vector without elements is a property without a value.
            if value.hasDoubleValue { content.doubleValue = value.doubleValue } else { content = Value(vector: []) }
        case .int32: content.integerValue = try integer(value)
        case .minValue, .maxValue: content.nullValue = .nullValue
        }
        return content
    }

    /// Translates a value whose own type tells the type of the field.
    private func plain(_ value: PropertyValue) throws(EntityError) -> Google_Firestore_V1_Value {
        var content = Value()
        if value.hasInt64Value {
            content.integerValue = value.int64Value
        } else if value.hasBooleanValue {
            content.booleanValue = value.booleanValue
        } else if value.hasDoubleValue {
            content.doubleValue = value.doubleValue
        } else if value.hasReferenceValue {
            content.referenceValue = try reference(value.referenceValue)
        } else if value.hasPointValue {
            content.geoPointValue = try point(value)
        } else {
            content.nullValue = .nullValue
        }
        return content
    }
}

/// The value of a type that the meaning requires.
extension EntityDecoder {
    private func bytes(_ value: PropertyValue) throws(EntityError) -> Data {
        guard value.hasStringValue else { throw EntityError("has a meaning without its value") }
        return value.stringValue
    }

    private func text(_ value: PropertyValue) throws(EntityError) -> String {
        guard let text = String(validating: try bytes(value), as: UTF8.self) else {
            throw EntityError("is a text that is not UTF-8")
        }
        return text
    }

    private func integer(_ value: PropertyValue) throws(EntityError) -> Int64 {
        guard value.hasInt64Value else { throw EntityError("has a meaning without its value") }
        return value.int64Value
    }

    private func point(_ value: PropertyValue) throws(EntityError) -> Google_Type_LatLng {
        guard value.hasPointValue else { throw EntityError("has a meaning without its value") }
        return .with { ($0.latitude, $0.longitude) = (value.pointValue.x, value.pointValue.y) }
    }
}

extension Google_Protobuf_Timestamp {
    /// Makes a moment from the microseconds since 1970.
    fileprivate init(microseconds: Int64) {
        self.init()
        let rest = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
        // The quotient alone would be rounded towards 1970.
        seconds = microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
        nanos = Int32(rest) * 1_000
    }
}
