import FirestoreProtos
import Foundation
import SwiftProtobuf
import Texts

@testable import FirestoreExports

typealias Document = Google_Firestore_V1_Document
typealias Value = Google_Firestore_V1_Value

extension Document {
    init(_ path: String, _ fields: [ExactText: Value.OneOf_ValueType] = [:], in database: String = "(default)") {
        self.init()
        name = "projects/p/databases/\(database)/documents/\(path)"
        self.fields = fields.mapValues(Value.init)
    }

    /// The document's bytes, which unlike the document are equal also with NaN.
    var bytes: [UInt8] {
        get throws {
            var options = BinaryEncodingOptions()
            options.useDeterministicOrdering = true
            return try serializedBytes(options: options)
        }
    }
}

extension Value {
    init(_ type: OneOf_ValueType) {
        self.init()
        valueType = type
    }
}

extension Value.OneOf_ValueType {
    static func array(_ elements: [Self]) -> Self { .arrayValue(.with { $0.values = elements.map(Value.init) }) }
    static func map(_ fields: [ExactText: Self]) -> Self {
        .mapValue(.with { $0.fields = fields.mapValues(Value.init) })
    }
    static func vector(_ numbers: [Double]) -> Self {
        .map(["__type__": .stringValue("__vector__"), "value": .array(numbers.map(Self.doubleValue))])
    }
    static func time(_ seconds: Int64, _ nanos: Int32 = 0) -> Self {
        .timestampValue(.with { ($0.seconds, $0.nanos) = (seconds, nanos) })
    }
    static func point(_ latitude: Double, _ longitude: Double) -> Self {
        .geoPointValue(.with { ($0.latitude, $0.longitude) = (latitude, longitude) })
    }
    static var null: Self { .nullValue(.nullValue) }
}
