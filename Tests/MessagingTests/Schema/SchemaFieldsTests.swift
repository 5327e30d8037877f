import JSON
import TestDoubles
import Testing

@testable import Messaging

/// Tests against `Golden/fields.txt`, made from Google's discovery document of `fcm.v1`.
@Suite("FCM's schema")
struct SchemaFieldsTests {
    @Test("The schema has exactly the fields and kinds of Google's discovery document")
    func fields() throws {
        let expected = try GoldenFile("fields.txt").text.split(separator: "\n").map(String.init)
        let actual = Self.messages(below: FCMSchema.sendRequest).flatMap { message in
            message.fields.map { "\(Self.shortName(message.name)).\($0.jsonName): \(Self.name(of: $0.kind))" }
        }
        #expect(Set(actual).subtracting(expected) == [], "not in the discovery document")
        #expect(Set(expected).subtracting(actual) == [], "missing from the schema")
    }

    @Test("The schema reads every field in both spellings and writes it in lowerCamelCase")
    func spellings() throws {
        for message in Self.messages(below: FCMSchema.sendRequest) {
            for field in message.fields {
                let sample = Self.sample(of: field.kind)
                for name in [field.name, field.jsonName] {
                    var reader = ProtoReader()
                    let read = reader.read(.object(JSONObject([(name, sample)])), as: message)
                    #expect(reader.violations == [], "\(message.name).\(name)")
                    #expect(read == JSONObject([(field.jsonName, sample)]), "\(message.name).\(name)")
                }
            }
        }
    }

    /// Returns every message reachable from a message, itself first, each name once.
    private static func messages(below message: ProtoMessage) -> [ProtoMessage] {
        let all =
            [message]
            + message.fields.flatMap { field in
                if case .message(let inner) = field.kind { messages(below: inner) } else { [] as [ProtoMessage] }
            }
        var names: Set<String> = []
        return all.filter { names.insert($0.name).inserted }
    }

    private static func shortName(_ name: String) -> String {
        name.replacing("google.firebase.fcm.v1.", with: "").replacing("google.type.", with: "")
    }

    private static func name(of kind: ProtoKind) -> String {
        switch kind {
        case .string: "string"
        case .bool: "boolean"
        case .int32: "int32"
        case .float: "float"
        case .enumeration(let enumeration): enumeration.values.joined(separator: "|")
        case .duration: "duration"
        case .timestamp: "datetime"
        case .strings: "strings"
        case .structure: "struct"
        case .message(let message): shortName(message.name)
        case .list(let kind): name(of: kind) + "[]"
        }
    }

    private static func sample(of kind: ProtoKind) -> JSONValue {
        switch kind {
        case .string: "text"
        case .bool: true
        case .int32: -7
        case .float: 0.5
        case .enumeration(let enumeration): .string(enumeration.values[1])
        case .duration: "3.5s"
        case .timestamp: "2026-01-02T03:04:05.678Z"
        case .strings: ["k": "v"]
        case .structure: ["snake_case": [nil, 1, ["camelCase": true]]]
        case .message: [:]
        case .list(let kind): [sample(of: kind), sample(of: kind)]
        }
    }
}
