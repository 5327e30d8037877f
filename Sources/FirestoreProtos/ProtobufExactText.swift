package import SwiftProtobuf
package import Texts

/// The keys of a map of values: strings on the wire, which compare by their bytes. In a map of SwiftProtobuf's own
/// keys, names that Unicode calls equivalent would be one. `generate` writes this type into the messages.
package struct ProtobufExactText: FieldType, MapKeyType {
    /// The type of a key.
    package typealias BaseType = ExactText

    /// The key of an entry without one.
    package static var proto3DefaultValue: ExactText { "" }

    /// Reads a key.
    package static func decodeSingular(value: inout ExactText?, from decoder: inout some Decoder) throws {
        var text: String?
        try decoder.decodeSingularStringField(value: &text)
        if let text { value = ExactText(text) }
    }

    /// Reads texts. No message has a list of keys.
    package static func decodeRepeated(value: inout [ExactText], from decoder: inout some Decoder) throws {
        var texts: [String] = []
        try decoder.decodeRepeatedStringField(value: &texts)
        value += texts.map { ExactText($0) }
    }

    /// Visits a key.
    package static func visitSingular(
        value: ExactText, fieldNumber: Int, with visitor: inout some Visitor
    ) throws {
        try visitor.visitSingularStringField(value: value.text, fieldNumber: fieldNumber)
    }

    /// Visits texts. No message has a list of keys.
    package static func visitRepeated(
        value: [ExactText], fieldNumber: Int, with visitor: inout some Visitor
    ) throws {
        try visitor.visitRepeatedStringField(value: value.map(\.text), fieldNumber: fieldNumber)
    }

    /// Does nothing: texts are never packed.
    package static func visitPacked(
        value: [ExactText], fieldNumber: Int, with visitor: inout some Visitor
    ) throws {}
}
