public import JSON

extension Value {
    /// Reads Firestore's REST encoding: an object of one member, whose name says the type. Integers may also be JSON
    /// numbers, as the protobuf JSON mapping allows.
    ///
    /// - Throws: `INVALID_ARGUMENT`.
    public init(json: JSONValue) throws(StoreError) {
        guard let object = json.object, object.count == 1, let (name, content) = object.members.first else {
            throw .invalid("a value is an object of one member, such as {\"stringValue\":\"…\"}")
        }
        guard let key = ValueKey(rawValue: name) else { throw .invalid("\"\(name)\" is not a type of value") }
        self = try Self.value(key, content)
    }

    private static func value(_ key: ValueKey, _ json: JSONValue) throws(StoreError) -> Value {
        switch key {
        case .null: return .null
        case .boolean: return .boolean(try require(json.bool, key, "true or false"))
        case .integer: return .integer(try require(integer(json), key, "a 64-bit integer, in a string or as a number"))
        case .double: return .double(try require(double(json), key, "a number, \"NaN\", \"Infinity\" or \"-Infinity\""))
        case .timestamp: return .timestamp(try Timestamp(parsing: try require(json.string, key, "an RFC 3339 string")))
        case .string: return .string(try require(json.string, key, "a string"))
        case .bytes: return .bytes(try require(json.string.flatMap(Base64.decode), key, "a base64 string"))
        case .reference: return .reference(try require(json.string, key, "a document's full name"))
        case .geoPoint: return try geoPoint(json)
        case .array: return .array(try array(json))
        case .map: return .map(try map(json))
        }
    }

    private static func require<Content>(
        _ content: Content?, _ key: ValueKey, _ expected: String
    ) throws(StoreError) -> Content {
        guard let content else { throw .invalid("\(key.rawValue) must be \(expected)") }
        return content
    }

    private static func integer(_ json: JSONValue) -> Int64? {
        json.integer ?? json.string.flatMap { Int64($0) }
    }

    private static func double(_ json: JSONValue) -> Double? {
        json.double ?? json.string.flatMap { SpecialDouble.value($0) ?? Double($0) }
    }

    private static func geoPoint(_ json: JSONValue) throws(StoreError) -> Value {
        guard json.object != nil else { throw .invalid("geoPointValue must be an object of latitude and longitude") }
        // The protobuf JSON mapping leaves out zeros.
        return .geoPoint(
            latitude: json[ValueKey.latitude]?.double ?? 0, longitude: json[ValueKey.longitude]?.double ?? 0)
    }

    private static func array(_ json: JSONValue) throws(StoreError) -> [Value] {
        guard json.object != nil else { throw .invalid("arrayValue must be an object of values") }
        guard let list = json[ValueKey.values] else { return [] }
        guard let elements = list.array else { throw .invalid("the values of an arrayValue must be an array") }
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try Value(json: element)) }
        return values
    }

    private static func map(_ json: JSONValue) throws(StoreError) -> Fields {
        guard json.object != nil else { throw .invalid("mapValue must be an object of fields") }
        return try json[ValueKey.fields].map { json throws(StoreError) in try Fields(json: json) } ?? [:]
    }
}
