import FirestoreProtos
import Texts

/// The types of BSON as Firestore's clients see them: maps of one field with a reserved name.
extension Meaning {
    /// The reserved name; `nil` for other types.
    var tag: String? {
        switch self {
        case .decimal128: "__decimal128__"
        case .binary: "__binary__"
        case .objectID: "__oid__"
        case .regex: "__regex__"
        case .int32: "__int__"
        case .requestTimestamp: "__request_timestamp__"
        case .minValue: "__min__"
        case .maxValue: "__max__"
        default: nil
        }
    }

    private static let meanings = Dictionary(
        uniqueKeysWithValues: allCases.compactMap { meaning in meaning.tag.map { (ExactText($0), meaning) } })

    /// Returns the type of a map of one field, and the field's value; `nil` for any other map.
    static func tagged(
        _ fields: [ExactText: Google_Firestore_V1_Value]
    ) -> (meaning: Meaning, content: Google_Firestore_V1_Value)? {
        guard fields.count == 1, let (name, content) = fields.first, let meaning = meanings[name],
            meaning.admits(content)
        else { return nil }
        return (meaning, content)
    }

    private func admits(_ content: Google_Firestore_V1_Value) -> Bool {
        switch (self, content.valueType) {
        case (.minValue, .nullValue), (.maxValue, .nullValue), (.binary, .bytesValue): true
        case (.decimal128, .stringValue), (.objectID, .stringValue): true
        case (.int32, .integerValue(let number)): Int32(exactly: number) != nil
        case (.regex, .mapValue(let map)):
            map.fields.count == 2 && map.fields["pattern"].isString && map.fields["options"].isString
        case (.requestTimestamp, .mapValue(let map)):
            map.fields.count == 2 && map.fields["seconds"].isInteger && map.fields["increment"].isInteger
        default: false
        }
    }
}

extension Google_Firestore_V1_Value? {
    fileprivate var isString: Bool { if case .stringValue = self?.valueType { true } else { false } }
    fileprivate var isInteger: Bool { if case .integerValue = self?.valueType { true } else { false } }
}
