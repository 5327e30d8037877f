import JSON
import Testing

@testable import DocumentStore

@Suite("Validation of values")
struct ValueValidationTests {
    private static let oid = "0123456789abcdefABCDEF01"
    private static let documents = "projects/p/databases/d/documents"

    private static func vector(_ value: Value?, _ others: Fields = [:]) -> Value {
        var fields = others
        fields["__type__"] = .string("__vector__")
        fields["value"] = value
        return .map(fields)
    }

    private static func regex(_ options: String) -> Value {
        .map(["__regex__": .map(["pattern": .string("a.*"), "options": .string(options)])])
    }

    private static func request(_ seconds: Value, _ increment: Value) -> Value {
        .map(["__request_timestamp__": .map(["seconds": seconds, "increment": increment])])
    }

    @Test(
        "An invalid value is refused with Firestore's text",
        arguments: [
            (.array([.array([])]), "Cannot convert an array value in an array value."),
            (.array([.vector([1])]), "Cannot convert a vector value in an array value."),
            (vector(.array([.integer(1)])), "Vector must only contain values of type 'double'"),
            (vector(.array([.double(1), .null])), "Vector must only contain values of type 'double'"),
            (vector(.array([])), "Cannot have a zero length vector."),
            (vector(.array([.double(.nan)])), "Vector cannot contain NaN values."),
            (vector(.string("x")), "Vector Value type must be an array."),
            (vector(nil), "Vector map is missing key 'value'."),
            (vector(nil, ["x": .null]), "Vector map is missing key 'value'."),
            (vector(.array([.double(1)]), ["x": .null]), "Vector Value map has extraneous entries."),
            (.vector([Double](repeating: 1, count: 2_049)), "Vectors must be at most 2048 dimensions."),
            (.map(["m": vector(.array([]))]), "Cannot have a zero length vector."),
            (.map(["__type__": .string("other"), "value": .array([])]), "field name __type__ is reserved"),
            (.map(["__type__": .integer(1)]), "field name __type__ is reserved"),
            (.map(["__x__": .null]), "field name __x__ is reserved"),
            (.map(["a": .null, "__x__": .null]), "field name __x__ is reserved"),
            (.map(["__min__": .null, "a": .null]), "field name __min__ is reserved"),
            (.geoPoint(latitude: 91, longitude: 0), "Geo point latitude '91.0' outside permitted range -90.0 to 90.0."),
            (
                .geoPoint(latitude: -90.5, longitude: 0),
                "Geo point latitude '-90.5' outside permitted range -90.0 to 90.0."
            ),
            (
                .geoPoint(latitude: .nan, longitude: 0),
                "Geo point latitude 'NaN' outside permitted range -90.0 to 90.0."
            ),
            (
                .geoPoint(latitude: 0, longitude: -.infinity),
                "Geo point longitude '-Infinity' outside permitted range -180.0 to 180.0."
            ),
            (.reference(""), #"Resource name "" lacks "projects" at index 0."#),
            (.reference("a/b"), #"Resource name "a/b" lacks "projects" at index 0."#),
            (.reference("projects"), #"Resource name "projects" lacks "/" at index 8."#),
            (.reference("projects//databases"), #"Resource name "projects//databases" lacks a project id at index 9."#),
            (.reference("projects/p/x/d"), #"Resource name "projects/p/x/d" lacks "databases" at index 11."#),
            (.reference("\(documents)/a"), #"Resource name "\#(documents)/a" lacks "/" at index 34."#),
            (.reference("\(documents)/a/b/c"), #"Resource name "\#(documents)/a/b/c" lacks "/" at index 38."#),
            (.reference("\(documents)/a//b"), #"Resource name "\#(documents)/a//b" lacks a resource id at index 35."#),
            (regex("imsuxg"), "Invalid regex option"),
            (.map(["__oid__": .string("0123")]), "Invalid value of __oid__"),
            (.map(["__int__": .integer(2_147_483_648)]), "Invalid value of __int__"),
            (.map(["__binary__": .bytes([])]), "Invalid value of __binary__"),
            (.map(["__decimal128__": .string("0x1")]), "Invalid value of __decimal128__"),
            (request(.integer(-1), .integer(0)), "Invalid value of __request_timestamp__"),
        ] as [(Value, String)])
    func refusals(value: Value, text: String) async {
        let error = await expectError(.invalidArgument) { try (["f": value] as Fields).validate() }
        #expect(error?.message == text)
    }

    @Test(
        "Vectors, BSON's types and references to any database are valid, also at the greatest depth",
        arguments: [
            .vector([-0.0]), .vector([.infinity]), .vector([Double](repeating: 1, count: 2_048)),
            .map(["__oid__": .string(oid)]), .map(["__min__": .null]), .map(["__max__": .null]),
            .map(["__int__": .integer(-2_147_483_648)]), .map(["__binary__": .bytes([0])]),
            .map(["__decimal128__": .string("-1.5E-10")]), .map(["__decimal128__": .string("inf")]), regex(""),
            regex("xusmi"), request(.integer(0), .integer(4_294_967_295)), .reference("\(documents)/a/b/c/d"),
            .reference("projects/other/databases/(default)/documents/a/b"),
        ] as [Value])
    func validity(value: Value) throws {
        try (["f": value] as Fields).validate()
        let deep = (0..<20).reduce(value) { value, _ in .map(["m": value]) }
        try (["f": deep] as Fields).validate()
    }

    @Test("Of the maps with reserved names, the standard edition accepts vectors only")
    func editions() async throws {
        try Value.vector([1]).validate(allowing: .standard)
        for name in ["__oid__", "__min__", "__max__", "__int__", "__binary__", "__regex__", "__decimal128__"] {
            let error = await expectError(.invalidArgument) {
                try Value.map([name: .null]).validate(allowing: .standard)
            }
            #expect(error?.message == "field name \(name) is reserved")
        }
        let unset = await expectError(.invalidArgument) { try Value(json: [:]) }
        #expect(unset?.message == "Cannot convert firestore.v1.Value with type unset.")
    }

    @Test("A reserved name is refused as a field's name and in a field path, each with its text")
    func reservedNames() async {
        let field = await expectError(.invalidArgument) { try (["__x__": .null] as Fields).validate() }
        #expect(field?.message == "field name __x__ is reserved")
        let path = await expectError(.invalidArgument) { try FieldPath(segments: ["a", "__x__"]).validate() }
        #expect(path?.message == "Invalid reserved name in field path __x__")
    }

    @Test("A vector gives its elements, and other values give none")
    func elements() {
        #expect(Value.vector([1, -0.5]).vector == [1, -0.5])
        #expect(Value.array([.double(1)]).vector == nil)
        #expect(Value.map(["value": .array([.double(1)])]).vector == nil)
    }
}
