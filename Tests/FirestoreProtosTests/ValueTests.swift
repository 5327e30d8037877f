import FirestoreProtos
import Foundation
import SwiftProtobuf
import Testing
import Texts

@Suite("Firestore's values as messages")
struct ValueTests {
    typealias Value = Google_Firestore_V1_Value

    @Test("A value of each kind has the published JSON, and survives JSON and the wire", arguments: kinds)
    func roundTrip(kind: Value.OneOf_ValueType, json: String) throws {
        let value = Value.with { $0.valueType = kind }
        #expect(try value.jsonString() == json)
        #expect(try Value(jsonString: json) == value)
        let bytes: [UInt8] = try value.serializedBytes()
        #expect(try Value(serializedBytes: bytes) == value)
    }

    @Test("The examples contain each of the 15 kinds")
    func examples() {
        #expect(Set(Self.kinds.map { number(of: $0.0) }) == [1, 2, 3, 5, 6, 8, 9, 10, 11, 17, 18, 19, 20, 21, 22])
    }

    @Test("A 64-bit integer is a text in JSON, and is read from a text and from a number")
    func integers() throws {
        for integer in [Int64.min, -1, 0, 9_007_199_254_740_993, .max] {
            let text = #"{"integerValue":"\#(integer)"}"#
            #expect(try Value(jsonString: text).integerValue == integer)
            #expect(try Value(jsonString: #"{"integerValue":\#(integer)}"#).integerValue == integer)
            #expect(try Value.with { $0.integerValue = integer }.jsonString() == text)
        }
        #expect(throws: JSONDecodingError.self) { try Value(jsonString: #"{"integerValue":"9223372036854775808"}"#) }
        #expect(throws: JSONDecodingError.self) { try Value(jsonString: #"{"integerValue":"12abc"}"#) }
    }

    @Test("NaN and the infinities are texts in JSON, and survive JSON and the wire")
    func nonFinite() throws {
        for (double, text) in [(Double.nan, "NaN"), (.infinity, "Infinity"), (-.infinity, "-Infinity")] {
            let value = Value.with { $0.doubleValue = double }
            #expect(try value.jsonString() == #"{"doubleValue":"\#(text)"}"#)
            let bytes: [UInt8] = try value.serializedBytes()
            let read = [try Value(jsonString: value.jsonString()), try Value(serializedBytes: bytes)]
            for value in read {
                #expect(value.doubleValue.bitPattern == double.bitPattern)
            }
        }
    }

    @Test("A value of no kind is an empty object, unlike null")
    func noKind() throws {
        #expect(try Value().jsonString() == "{}")
        #expect(try Value(jsonString: "{}").valueType == nil)
        #expect(try Value(jsonString: #"{"nullValue":null}"#).valueType == .nullValue(.nullValue))
    }

    /// Returns the number of a kind's field, from the tag that begins the encoded value.
    private func number(of kind: Value.OneOf_ValueType) -> Int {
        let bytes: [UInt8]? = try? Value.with { $0.valueType = kind }.serializedBytes()
        guard let bytes, let first = bytes.first else { return 0 }
        let isLong = first >= 0x80 && bytes.count > 1
        return (isLong ? Int(first & 0x7F) | Int(bytes[1]) << 7 : Int(first)) >> 3
    }
}

extension ValueTests {
    /// An example of each kind, with its JSON.
    static let kinds: [(Value.OneOf_ValueType, String)] = [
        (.nullValue(.nullValue), #"{"nullValue":null}"#),
        (.booleanValue(false), #"{"booleanValue":false}"#),
        (.integerValue(.min), #"{"integerValue":"-9223372036854775808"}"#),
        (.doubleValue(1.5), #"{"doubleValue":1.5}"#),
        (
            .timestampValue(.with { ($0.seconds, $0.nanos) = (951_782_400, 1_000) }),
            #"{"timestampValue":"2000-02-29T00:00:00.000001Z"}"#
        ),
        (.stringValue(#"a "ü""#), #"{"stringValue":"a \"ü\""}"#),
        (.bytesValue(Data([0, 255, 62])), #"{"bytesValue":"AP8+"}"#),
        (
            .referenceValue("projects/p/databases/(default)/documents/c/d"),
            #"{"referenceValue":"projects/p/databases/(default)/documents/c/d"}"#
        ),
        (
            .geoPointValue(.with { ($0.latitude, $0.longitude) = (-33.5, 151.25) }),
            #"{"geoPointValue":{"latitude":-33.5,"longitude":151.25}}"#
        ),
        (
            .arrayValue(.with { $0.values = [.with { $0.integerValue = 1 }, .with { $0.stringValue = "" }] }),
            #"{"arrayValue":{"values":[{"integerValue":"1"},{"stringValue":""}]}}"#
        ),
        (
            .mapValue(.with { $0.fields = ["k": .with { $0.mapValue = .init() }] }),
            #"{"mapValue":{"fields":{"k":{"mapValue":{}}}}}"#
        ),
        (.fieldReferenceValue("a.b"), #"{"fieldReferenceValue":"a.b"}"#),
        (.variableReferenceValue("v"), #"{"variableReferenceValue":"v"}"#),
        (
            .functionValue(
                .with {
                    $0.name = "add"
                    $0.args = [.with { $0.fieldReferenceValue = "a" }]
                }),
            #"{"functionValue":{"name":"add","args":[{"fieldReferenceValue":"a"}]}}"#
        ),
        (
            .pipelineValue(.with { $0.stages = [.with { $0.name = "collection" }] }),
            #"{"pipelineValue":{"stages":[{"name":"collection"}]}}"#
        ),
    ]
}
