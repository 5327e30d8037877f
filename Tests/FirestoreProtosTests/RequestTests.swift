import FirestoreProtos
import Foundation
import SwiftProtobuf
import Testing
import Texts

@Suite("Firestore's requests as JSON")
struct RequestTests {
    /// A Commit with both spellings of field names, and with the number and the name of an enumeration's value.
    private let commit = #"""
        {
          "database": "projects/p/databases/(default)",
          "transaction": "AQID",
          "writes": [
            {
              "update": {
                "name": "projects/p/databases/(default)/documents/c/d",
                "fields": {"order_by": {"integerValue": "9007199254740993"}, "ratio": {"double_value": "NaN"}}
              },
              "update_mask": {"field_paths": ["order_by", "ratio"]},
              "updateTransforms": [
                {"fieldPath": "first", "setToServerValue": 1},
                {"field_path": "second", "set_to_server_value": "REQUEST_TIME"},
                {"fieldPath": "third", "appendMissingElements": {"values": [{"nullValue": "NULL_VALUE"}]}}
              ],
              "current_document": {"update_time": "2026-11-23T18:00:00.5+01:00"}
            },
            {"delete": "projects/p/databases/(default)/documents/c/e", "currentDocument": {"exists": false}}
          ]
        }
        """#

    @Test("A Commit is read with names in either spelling, and enumerations as numbers and as names")
    func commitRequest() throws {
        let request = try Google_Firestore_V1_CommitRequest(jsonString: commit)
        #expect(request.database == "projects/p/databases/(default)")
        #expect(request.transaction == Data([1, 2, 3]))
        #expect(request.writes.count == 2)
        let update = try #require(request.writes.first)
        // The names of a document's fields are the document's: they keep their underscores.
        #expect(update.update.fields["order_by"]?.integerValue == 9_007_199_254_740_993)
        #expect(update.update.fields["ratio"]?.doubleValue.isNaN == true)
        #expect(update.updateMask.fieldPaths == ["order_by", "ratio"])
        #expect(update.updateTransforms.map(\.fieldPath) == ["first", "second", "third"])
        #expect(update.updateTransforms.prefix(2).allSatisfy { $0.setToServerValue == .requestTime })
        #expect(update.updateTransforms[2].appendMissingElements.values.map(\.valueType) == [.nullValue(.nullValue)])
        #expect(
            update.currentDocument.conditionType
                == .updateTime(.with { ($0.seconds, $0.nanos) = (1_795_453_200, 500_000_000) }))
        #expect(request.writes[1].operation == .delete("projects/p/databases/(default)/documents/c/e"))
        #expect(request.writes[1].currentDocument.conditionType == .exists(false))
    }

    @Test("A Commit is written with names in lower camel case, and survives JSON and the wire")
    func commitWritten() throws {
        var request = try Google_Firestore_V1_CommitRequest(jsonString: commit)
        // NaN is not equal to itself.
        request.writes[0].update.fields["ratio"] = nil
        let json = try request.jsonString()
        for name in ["updateMask", "fieldPaths", "updateTransforms", "setToServerValue", "updateTime"] {
            #expect(json.contains(#""\#(name)":"#))
        }
        #expect(json.contains(#""setToServerValue":"REQUEST_TIME""#))
        #expect(!json.contains("update_mask"))
        let bytes: [UInt8] = try request.serializedBytes()
        #expect(try Google_Firestore_V1_CommitRequest(serializedBytes: bytes) == request)
        #expect(try Google_Firestore_V1_CommitRequest(jsonString: json) == request)
    }

    @Test("A write that only verifies has the number and the JSON of the SDKs for web and mobile apps")
    func verify() throws {
        let write = try Google_Firestore_V1_Write(jsonString: #"{"verify":"d","currentDocument":{"exists":false}}"#)
        #expect(write.operation == .verify("d"))
        #expect(write.currentDocument.conditionType == .exists(false))
        let bytes: [UInt8] = try write.serializedBytes()
        // The precondition is field 4, and the name field 5.
        #expect(bytes == [0x22, 2, 0x08, 0, 0x2A, 1, UInt8(ascii: "d")])
        #expect(try Google_Firestore_V1_Write(serializedBytes: bytes) == write)
        #expect(try write.jsonString() == #"{"currentDocument":{"exists":false},"verify":"d"}"#)
        #expect(throws: JSONDecodingError.self) {
            try Google_Firestore_V1_Write(jsonString: #"{"verify":"d","delete":"d"}"#)
        }
    }

    @Test("An unknown field is refused, or ignored if the reader asks for that")
    func unknownField() throws {
        let json = #"{"database": "d", "explain": {"deep": [1, null]}}"#
        #expect(throws: JSONDecodingError.self) { try Google_Firestore_V1_CommitRequest(jsonString: json) }
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        #expect(try Google_Firestore_V1_CommitRequest(jsonString: json, options: options).database == "d")
    }

    @Test("A query's limit of 0 is not the same as no limit, and its field `from` has the published name")
    func query() throws {
        let query = try Google_Firestore_V1_StructuredQuery(
            jsonString: #"{"from": [{"collectionId": "c", "allDescendants": true}], "limit": 0, "offset": 0}"#)
        #expect(query.from.map(\.collectionID) == ["c"])
        #expect(query.hasLimit)
        #expect(query.limit.value == 0)
        #expect(!Google_Firestore_V1_StructuredQuery().hasLimit)
        #expect(try query.jsonString() == #"{"from":[{"collectionId":"c","allDescendants":true}],"limit":0}"#)
    }
}
