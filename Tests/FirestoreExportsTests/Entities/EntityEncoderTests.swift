import FirestoreProtos
import Foundation
import SwiftProtobuf
import Testing
import Texts

@testable import FirestoreExports

@Suite("Documents as entities")
struct EntityEncoderTests {
    private let encoder = EntityEncoder(database: DatabaseName(project: "p", database: "(default)"))

    @Test("A document has the bytes that the emulator writes")
    func bytes() throws {
        let bytes: [UInt8] = try encoder.entity(Document("types/__id5__", ["n": .integerValue(5)])).bytes()
        // Key: app dev~p, path types/5. Raw property: name n, not multiple, value 5. Entity group: types/5.
        let hexadecimal = """
            6a146a056465767e70720b0b120574797065731805 0c 7a091a016e20002a020805 82010b0b1205747970657318050c
            """
        #expect(bytes.hexadecimal == hexadecimal.filter { !$0.isWhitespace })
    }

    @Test("A document of a named database has its id in the key, and its group is its first ancestor")
    func key() throws {
        let encoder = EntityEncoder(database: DatabaseName(project: "p", database: "d"))
        let entity = try encoder.entity(Document("a/b/c/d", in: "d"))
        #expect(entity.key.app == "dev~p")
        #expect(entity.key.databaseID == "d")
        #expect(entity.key.path.element.map(\.type) == ["a", "c"])
        #expect(entity.key.path.element.map(\.name) == ["b", "d"])
        #expect(entity.entityGroup.element.map(\.type) == ["a"])
        #expect(try !self.encoder.entity(Document("a/b")).key.hasDatabaseID)
    }

    @Test(
        "Only the one text for a number other than 0 becomes a number as id",
        arguments: [
            ("__id5__", 5), ("__id-7__", -7), ("__id9223372036854775807__", .max), ("__id0__", nil), ("__id05__", nil),
            ("__id+5__", nil), ("__id-0__", nil), ("__id9223372036854775808__", nil), ("__id__", nil), ("__id5_", nil),
            ("__id5__x", nil), ("x__id5__", nil), ("__id٥__", nil),
        ] as [(String, Int64?)])
    func numbers(text: String, number: Int64?) {
        #expect(DocumentID(text) == number.map(DocumentID.number) ?? .name(text))
        #expect(DocumentID(text).description == text)
    }

    /// Properties of the types of BSON with the name f, made by Google's code: `AppEngV3EntityFromRepConverter` of the
    /// emulator, which itself refuses these types.
    static let google: [(String, Value.OneOf_ValueType)] = [
        ("08261a016620002a00", .map(["__min__": .null])),
        ("08271a016620002a00", .map(["__max__": .null])),
        ("08241a016620002a0b08f9ffffffffffffffff01", .map(["__int__": .integerValue(-7)])),
        ("08201a016620002a061a04302e3530", .map(["__decimal128__": .stringValue("0.50")])),
        (
            "08221a016620002a1a1a18303132333435363738396162636465663031323334353637",
            .map(["__oid__": .stringValue("0123456789abcdef01234567")])
        ),
        ("08211a016620002a051a03800102", .map(["__binary__": .bytesValue(Data([128, 1, 2]))])),
        (
            "08231a016620002a301a2e6a046a0072007a111a077061747465726e20002a041a025e617a101a076f7074696f6e7320002a031a01"
                + "69820100",
            .map(["__regex__": .map(["pattern": .stringValue("^a"), "options": .stringValue("i")])])
        ),
        (
            "08251a016620002a2f1a2d6a046a0072007a0f1a077365636f6e647320002a0208077a111a09696e6372656d656e7420002a020809"
                + "820100",
            .map(["__request_timestamp__": .map(["seconds": .integerValue(7), "increment": .integerValue(9)])])
        ),
        ("081f1a016620002a00", .vector([])),
    ]

    @Test("A value of a type of BSON, and an empty vector, is the property that Google's code makes", arguments: google)
    func bson(hexadecimal: String, value: Value.OneOf_ValueType) throws {
        let expected = try Property(serializedBytes: [UInt8](hexadecimal: hexadecimal))
        let entity = try encoder.entity(Document("c/d", ["f": value]))
        let property = try #require(entity.rawProperty.first)
        #expect(entity.rawProperty.count == 1)
        #expect(property.meaning == expected.meaning)
        let read = try EntityDecoder.document(
            .with {
                $0.key = entity.key
                $0.rawProperty = [expected]
            }, in: encoder.database)
        #expect(read.fields == ["f": Value(value)])
        // The order of properties in a map has no meaning.
        #expect(try property.bytes.count == expected.bytes.count)
        #expect(Set(try property.bytes) == Set(try expected.bytes))
    }

    @Test(
        "A map that resembles a value of a type of BSON is a map",
        arguments: [
            .map(["__int__": .integerValue(.max)]), .map(["__min__": .integerValue(1)]), .map(["__x__": .null]),
            .map(["__regex__": .map(["pattern": .stringValue("a")])]), .map(["__int__": .integerValue(1), "a": .null]),
            .map(["__request_timestamp__": .map(["seconds": .integerValue(1), "increment": .null])]),
        ] as [Value.OneOf_ValueType])
    func resemblance(value: Value.OneOf_ValueType) throws {
        let entity = try encoder.entity(Document("c/d", ["f": value]))
        #expect(entity.rawProperty.map(\.meaning) == [Meaning.map.rawValue])
    }

    @Test(
        "A document that an export cannot contain is an error that names the field and the problem",
        arguments: [
            ("“a” has an array directly in an array", Document("c/d", ["a": .array([.array([])])])),
            ("“a” has a vector directly in an array", Document("c/d", ["a": .array([.vector([1])])])),
            ("“b” in “a” has no type", Document("c/d", ["a": .map(["b": .fieldReferenceValue("x")])])),
            ("which is not a document's name", Document("c/d", ["a": .referenceValue("projects/p")])),
            ("“a” is a time that no document can have", Document("c/d", ["a": .time(.max)])),
            ("“a” is a time that no document can have", Document("c/d", ["a": .time(0, -1)])),
            ("is not the name of a document below projects/p/", Document("c")),
            ("is not the name of a document below projects/p/", Document("c/")),
            ("is not the name of a document below projects/p/", Document("c/d", in: "other")),
        ])
    func refused(problem: String, document: Document) throws {
        let error = try #require(throws: EntityError.self) { try encoder.entity(document) }
        #expect(error.description.contains(problem), "\(error.description)")
    }
}

extension Property {
    fileprivate var bytes: [UInt8] { get throws { try serializedBytes() } }
}

extension [UInt8] {
    fileprivate var hexadecimal: String {
        map { String(String(UInt16($0) + 0x100, radix: 16).suffix(2)) }.joined()
    }

    fileprivate init(hexadecimal text: String) {
        let digits = [Character](text)
        self = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}
