import FirestoreProtos
import Foundation
import SwiftProtobuf
import Texts

extension EntityEncoder {
    /// Makes the property of a value that is neither an array nor a vector.
    func property(
        _ value: Google_Firestore_V1_Value, named name: String, depth: Int
    ) throws(EntityError) -> Property {
        var property = Property(name)
        switch value.valueType {
        case .nullValue: break
        case .booleanValue(let boolean): property.value.booleanValue = boolean
        case .integerValue(let number): property.value.int64Value = number
        case .doubleValue(let number): property.value.doubleValue = number
        case .stringValue(let text): property.value.stringValue = Data(text.utf8)
        case .bytesValue(let bytes): property.set(.bytes) { $0.stringValue = bytes }
        case .referenceValue(let name): property.value.referenceValue = try reference(name)
        case .timestampValue(let time):
            let microseconds = try microseconds(time)
            property.set(.timestamp) { $0.int64Value = microseconds }
        case .geoPointValue(let point):
            property.set(.geoPoint) { ($0.pointValue.x, $0.pointValue.y) = (point.latitude, point.longitude) }
        case .mapValue(let map): try set(map.fields, in: &property, depth: depth)
        case .arrayValue, .fieldReferenceValue, .variableReferenceValue, .functionValue, .pipelineValue, nil:
            throw EntityError("has no type that exports can contain")
        }
        return property
    }

    private func set(
        _ fields: [ExactText: Google_Firestore_V1_Value], in property: inout Property, depth: Int
    ) throws(EntityError) {
        if let (meaning, content) = Meaning.tagged(fields) {
            property.value = try self.property(content, named: property.name, depth: depth).value
            property.meaning = meaning.rawValue
        } else {
            let bytes: Data = try entity(fields, depth: depth + 1).bytes()
            property.set(.map) { $0.stringValue = bytes }
        }
    }

    /// Cuts a time to microseconds, as Firestore does.
    private func microseconds(_ time: Google_Protobuf_Timestamp) throws(EntityError) -> Int64 {
        let (whole, overflows) = time.seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, isTooFar) = whole.addingReportingOverflow(Int64(time.nanos / 1_000))
        guard !overflows, !isTooFar, time.nanos >= 0 else { throw EntityError("is a time that no document can have") }
        return sum
    }

    private func reference(_ name: String) throws(EntityError) -> PropertyValue.ReferenceValue {
        guard let name = DocumentName(name) else {
            throw EntityError("is a reference to “\(name)”, which is not a document's name")
        }
        var reference = PropertyValue.ReferenceValue()
        reference.app = name.database.app
        if let id = name.database.databaseID { reference.databaseID = id }
        reference.pathElement = name.path.map(PropertyValue.ReferenceValue.PathElement.init)
        return reference
    }
}

extension Property {
    /// Sets a value of a type that needs a meaning.
    fileprivate mutating func set(_ meaning: Meaning, _ change: (inout PropertyValue) -> Void) {
        self.meaning = meaning.rawValue
        change(&value)
    }
}
