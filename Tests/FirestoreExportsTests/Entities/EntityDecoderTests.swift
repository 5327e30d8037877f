import FirestoreProtos
import Foundation
import SwiftProtobuf
import TestBasics
import Testing
import Texts

@testable import FirestoreExports

@Suite("Entities as documents")
struct EntityDecoderTests {
    private let target = DatabaseName(project: "new", database: "db")

    @Test("A reference to a document of the export's own database leads to the new one, and another stays")
    func references() throws {
        var entity = entity("c", "d", app: "s~old")
        let references = [("s~old", ""), ("old", ""), ("", ""), ("s~other", ""), ("s~old", "second")]
        for (index, (app, databaseID)) in references.enumerated() {
            var property = Property("r\(index)")
            property.value.referenceValue.app = app
            property.value.referenceValue.databaseID = databaseID
            property.value.referenceValue.pathElement = [.with { ($0.type, $0.id) = ("c", 5) }]
            entity.property.append(property)
        }
        let document = try EntityDecoder.document(entity, in: target)
        #expect(document.name == "projects/new/databases/db/documents/c/d")
        #expect(
            document.fields.mapValues(\.referenceValue) == [
                "r0": "projects/new/databases/db/documents/c/__id5__",
                "r1": "projects/new/databases/db/documents/c/__id5__",
                "r2": "projects/new/databases/db/documents/c/__id5__",
                "r3": "projects/other/databases/(default)/documents/c/__id5__",
                "r4": "projects/old/databases/second/documents/c/__id5__",
            ])
    }

    @Test("A reference in a map of a named database is rewritten like one beside it")
    func nestedReference() throws {
        let own = "projects/p/databases/named/documents/a/b"
        let database = DatabaseName(project: "p", database: "named")
        let document = Document("c/d", ["m": .map(["r": .referenceValue(own)])], in: "named")
        let copy = try EntityDecoder.document(try EntityEncoder(database: database).entity(document), in: target)
        #expect(copy.fields["m"]?.mapValue.fields["r"]?.referenceValue == "projects/new/databases/db/documents/a/b")
    }

    @Test("Strings and bytes with Datastore's meanings are strings and bytes")
    func datastoreMeanings() throws {
        var entity = entity("c", "d")
        for (name, meaning) in [("text", Meaning.text), ("bytes", .indexedBytes), ("blob", .bytes), ("plain", .none)] {
            var property = Property(name, meaning)
            property.value.stringValue = Data("é".utf8)
            entity.rawProperty.append(property)
        }
        let fields = try EntityDecoder.document(entity, in: target).fields.mapValues(\.valueType)
        #expect(fields["text"] == .stringValue("é"))
        #expect(fields["plain"] == .stringValue("é"))
        #expect(fields["bytes"] == .bytesValue(Data("é".utf8)))
        #expect(fields["blob"] == .bytesValue(Data("é".utf8)))
    }

    @Test("An array of one element differs from the element alone")
    func multiple() throws {
        var entity = entity("c", "d")
        entity.property = [Property("alone"), Property("array")]
        entity.property[1].multiple = true
        let fields = try EntityDecoder.document(entity, in: target).fields.mapValues(\.valueType)
        #expect(fields == ["alone": .null, "array": .array([.null])])
    }

    /// Entities that are not documents, and a part of the error's text.
    static let refusedEntities: [(String, EntityProto)] = [
        ("namespace “n”", changed { $0.key.nameSpace = "n" }),
        ("key without ids", changed { $0.key.path.element = [] }),
        ("the id “” in “c”", changed { $0.key.path.element[0].clearName() }),
        ("the id “a/b” in “c”", changed { $0.key.path.element[0].name = "a/b" }),
        ("the id “__id0__” in “c”", changed { $0.key.path.element[0].id = 0 }),
        ("the id “d” in “”", changed { $0.key.path.element[0].type = "" }),
        ("the field “f” has a type that only Datastore has (meaning 8)", with { $0.meaning = 8 }),
        ("the field “f” has a meaning without its value", with { $0.meaning = 7 }),
        ("the field “f” has a meaning without its value", with { $0.meaning = 9 }),
        ("the field “f” has a meaning without its value", with { $0.meaning = 19 }),
        ("the field “f” is a text that is not UTF-8", with { $0.value.stringValue = Data([0xFF]) }),
        ("the field “f” is a map that cannot be decoded", map(Data([0xFF]))),
        ("reference into the namespace “n”", with { $0.value.referenceValue.nameSpace = "n" }),
        ("key without ids", with { $0.value.referenceValue.app = "a" }),
        ("is there twice", changed { $0.property = [Property("f"), Property("f")] }),
        ("is there twice", changed { ($0.property, $0.rawProperty) = ([Property("f")], [multiple("f")]) }),
        ("partly a vector", changed { $0.property = [multiple("f"), multiple("f", .vector)] }),
        ("the field “g” in “f” has a type", map(bytes([Property("g", raw: 8)]))),
    ]

    @Test("An entity that is no document is an error that names the field and the problem", arguments: refusedEntities)
    func refused(problem: String, entity: EntityProto) throws {
        let error = try #require(throws: EntityError.self) { try EntityDecoder.document(entity, in: target) }
        #expect(error.description.contains(problem), "\(error.description)")
    }

    @Test("A value of Datastore's type User is an error, not null")
    func user() throws {
        // A UserValue group (8) with the address (9) “a”.
        let user: [UInt8] = [0x43, 0x4A, 0x01, 0x61, 0x44]
        let entity = Self.changed { $0.property = [Property("f")] }
        var changed = entity
        changed.property[0].value = try PropertyValue(serializedBytes: user)
        #expect(throws: EntityError.self) { try EntityDecoder.document(changed, in: target) }
        #expect(throws: Never.self) { try EntityDecoder.document(entity, in: target) }
    }

    private static func changed(_ change: (inout EntityProto) -> Void) -> EntityProto {
        var entity = entity("c", "d")
        change(&entity)
        return entity
    }

    private static func with(_ change: (inout Property) -> Void) -> EntityProto {
        var property = Property("f")
        change(&property)
        return changed { $0.rawProperty = [property] }
    }

    private static func map(_ bytes: Data) -> EntityProto {
        with {
            $0.meaning = Meaning.map.rawValue
            $0.value.stringValue = bytes
        }
    }

    private static func bytes(_ properties: [Property]) -> Data {
        (try? EntityProto.with { $0.rawProperty = properties }.bytes()) ?? Data()
    }

    private static func multiple(_ name: String, _ meaning: Meaning = .none) -> Property {
        var property = Property(name, meaning)
        property.multiple = true
        return property
    }
}

extension Property {
    fileprivate init(_ name: String, raw meaning: Int32) {
        self.init(name)
        self.meaning = meaning
    }
}
