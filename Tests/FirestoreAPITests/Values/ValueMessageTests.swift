import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import Testing
import Texts

@testable import FirestoreAPI

@Suite("Values as messages")
struct ValueMessageTests {
    static let values: [Value] = [
        .null, .boolean(false), .integer(.min), .double(-0.0), .double(.infinity), .string("a\u{0}ü"),
        .bytes([0, 255]), .reference("projects/p/databases/d/documents/a/b"), .geoPoint(latitude: -90, longitude: 180),
        .timestamp(Timestamp(microseconds: -1)), .timestamp(.distantFuture), .timestamp(.distantPast),
        .array([.integer(1), .map(["a": .array([])])]), .map(["": .null]), .vector([1, 2]),
    ]

    @Test("A value survives its message", arguments: values)
    func roundTrip(value: Value) throws {
        #expect(try Value(Google_Firestore_V1_Value(value)) == value)
    }

    @Test("A timestamp is cut to microseconds")
    func timestamp() throws {
        let message = Google_Protobuf_Timestamp.with { ($0.seconds, $0.nanos) = (-1, 999_999_999) }
        #expect(try Timestamp(message) == Timestamp(microseconds: -1))
        #expect(throws: FirestoreStatus.self) { try Timestamp(exactly: message) }
        #expect(throws: FirestoreStatus.self) { try Timestamp(.with { $0.seconds = 253_402_300_800 }) }
    }

    @Test("A value without a type is refused at any depth")
    func unset() {
        let nested = Google_Firestore_V1_Value.with { $0.arrayValue.values = [.init()] }
        for message in [Google_Firestore_V1_Value(), nested] {
            let status = #expect(throws: FirestoreStatus.self) { try Value(message) }
            #expect(status?.message == "Cannot convert firestore.v1.Value with type unset.")
        }
    }

    @Test("A document's message has the fields of the mask only, and its times")
    func mask() throws {
        let document = Document(
            path: try DocumentPath("a/b"), fields: ["a": .integer(1), "m": .map(["x": .null, "y": .null])],
            createTime: Timestamp(microseconds: 1), updateTime: Timestamp(microseconds: 2))
        let mask = FieldSelection([FieldPath(segments: ["m", "x"]), .documentName, FieldPath("none")])
        let message = Google_Firestore_V1_Document(document, in: DatabaseID(project: "p"), mask: mask)
        #expect(message.name == "projects/p/databases/(default)/documents/a/b")
        #expect(message.fields == ["m": Google_Firestore_V1_Value(.map(["x": .null]))])
        #expect(message.createTime.nanos == 1_000)
        #expect(message.updateTime.nanos == 2_000)
        let empty = Google_Firestore_V1_Document(document, in: DatabaseID(project: "p"), mask: FieldSelection([]))
        #expect(empty.fields.isEmpty)
    }
}
