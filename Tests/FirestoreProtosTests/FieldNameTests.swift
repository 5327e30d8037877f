import FirestoreProtos
import SwiftProtobuf
import Testing
import Texts

@Suite("Names of fields in messages")
struct FieldNameTests {
    /// Two names that `String`s call equal: one scalar, and a letter and a mark.
    private static let names = ["\u{E9}", "e\u{301}"]

    @Test("Fields whose names are canonically equivalent survive the wire and JSON, also within maps")
    func equivalentNames() throws {
        let json = #"{"fields":{"\#(Self.names[1])":{"integerValue":"2"},"\#(Self.names[0])":{"integerValue":"1"}}}"#
        let map = try Google_Firestore_V1_MapValue(jsonString: json)
        let document = Google_Firestore_V1_Document.with {
            $0.fields = map.fields
            $0.fields["map"] = .with { $0.mapValue = map }
        }
        let bytes: [UInt8] = try document.serializedBytes()
        let copies = [
            try Google_Firestore_V1_Document(serializedBytes: bytes),
            try Google_Firestore_V1_Document(jsonString: try document.jsonString()),
        ]
        for copy in copies {
            #expect(copy == document && copy.fields.count == 3)
            for fields in [copy.fields, copy.fields["map"]?.mapValue.fields ?? [:]] {
                #expect(fields["\u{E9}"]?.integerValue == 1 && fields["e\u{301}"]?.integerValue == 2)
            }
        }
        var options = JSONEncodingOptions()
        options.useDeterministicOrdering = true
        #expect(try map.jsonString(options: options) == json)
    }

    @Test("Of a field that the wire has twice, the last one counts")
    func repeatedName() throws {
        // Two entries {key: "a", value: {integer_value: 1 or 2}}.
        let entries: [UInt8] = [
            0x0A, 7, 0x0A, 1, 0x61, 0x12, 2, 0x10, 1, 0x0A, 7, 0x0A, 1, 0x61, 0x12, 2, 0x10, 2,
        ]
        #expect(try Google_Firestore_V1_MapValue(serializedBytes: entries).fields["a"]?.integerValue == 2)
    }
}
