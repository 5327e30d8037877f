public import JSON

extension Value {
    /// The value in Firestore's REST encoding, with sorted names, so that equal values have equal texts.
    public var json: JSONValue {
        switch self {
        case .null: [ValueKey.null.rawValue: nil]
        case .boolean(let value): [ValueKey.boolean.rawValue: .bool(value)]
        case .integer(let value): [ValueKey.integer.rawValue: .string(String(value))]
        case .double(let value): [ValueKey.double.rawValue: Self.json(of: value)]
        case .timestamp(let value): [ValueKey.timestamp.rawValue: .string(value.description)]
        case .string(let value): [ValueKey.string.rawValue: .string(value)]
        case .bytes(let value): [ValueKey.bytes.rawValue: .string(Base64.encode(value))]
        case .reference(let value): [ValueKey.reference.rawValue: .string(value)]
        case .geoPoint(let latitude, let longitude):
            [
                ValueKey.geoPoint.rawValue: [
                    ValueKey.latitude: .double(latitude), ValueKey.longitude: .double(longitude),
                ]
            ]
        case .array(let elements): [ValueKey.array.rawValue: Self.json(of: elements)]
        case .map(let fields): [ValueKey.map.rawValue: fields.isEmpty ? [:] : [ValueKey.fields: fields.json]]
        }
    }

    private static func json(of value: Double) -> JSONValue {
        SpecialDouble.text(value).map { .string($0) } ?? .double(value)
    }

    private static func json(of elements: [Value]) -> JSONValue {
        elements.isEmpty ? [:] : [ValueKey.values: .array(elements.map(\.json))]
    }
}

/// Firestore's REST encoding of a document's fields.
extension Fields {
    /// The fields as a JSON object of values in Firestore's REST encoding, sorted by name.
    public var json: JSONValue {
        .object(JSONObject(sortedByName.map { ($0.key, $0.value.json) }))
    }

    /// Parses a JSON object of values in Firestore's REST encoding.
    ///
    /// - Throws: `INVALID_ARGUMENT`, with the name of the malformed field.
    public init(json: JSONValue) throws(StoreError) {
        guard let object = json.object else { throw .invalid("fields are a JSON object of name and value") }
        self.init(minimumCapacity: object.count)
        for (name, value) in object.members {
            do throws(StoreError) {
                self[name] = try Value(json: value)
            } catch {
                throw .invalid("field \"\(name)\": \(error.message)")
            }
        }
    }

    /// The fields in the order of their names' bytes.
    var sortedByName: [(key: String, value: Value)] {
        var fields: [(key: String, value: Value)] = []
        fields.reserveCapacity(count)
        forEachInByteOrder { fields.append((key: $0, value: $1)) }
        return fields
    }
}

extension Value {
    /// Parses Firestore's REST encoding: an object of one member, whose name is the type. An integer may also be a
    /// JSON number, as the protobuf JSON mapping allows.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the JSON is not a value in this encoding.
    public init(json: JSONValue) throws(StoreError) {
        if json.object?.count == 0 { throw .valueWithoutType }
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
        return .geoPoint(
            latitude: try angle(json, ValueKey.latitude), longitude: try angle(json, ValueKey.longitude))
    }

    /// Parses a part of a geo point. The protobuf JSON mapping omits zeros.
    private static func angle(_ json: JSONValue, _ name: String) throws(StoreError) -> Double {
        guard let angle = json[name] else { return 0 }
        return try require(double(angle), .geoPoint, "an object of two numbers")
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

extension Document {
    /// Returns the document in the encoding of Firestore's REST API
    /// ([Document](https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents)).
    ///
    /// - Parameter database: the document's database, with whose name the document's full name begins.
    public func json(in database: DatabaseID) -> JSONValue {
        [
            "name": .string(path.name(in: database)),
            "fields": fields.json,
            "createTime": .string(createTime.description),
            "updateTime": .string(updateTime.description),
        ]
    }

    /// The document in the encoding of ``json(in:)``, as one of the gateway's own database.
    public var json: JSONValue { json(in: .gateway) }
}
