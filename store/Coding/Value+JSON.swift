public import JSON

extension Value {
    /// This value in Firestore's REST encoding, with sorted names: equal values have equal texts.
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

extension Fields {
    /// The fields as a JSON object of values in Firestore's REST encoding, sorted by name.
    public var json: JSONValue {
        .object(JSONObject(sortedByName.map { ($0.key, $0.value.json) }))
    }

    /// - Throws: `INVALID_ARGUMENT`, naming the field that is malformed.
    public init(json: JSONValue) throws(StoreError) {
        guard let object = json.object else { throw .invalid("fields are a JSON object of name and value") }
        self.init(minimumCapacity: object.count)
        for (name, value) in object.members {
            do throws(StoreError) {
                self[name] = try DocumentStoreValue(json: value)
            } catch {
                throw .invalid("field \"\(name)\": \(error.message)")
            }
        }
    }

    /// In the order of the names' UTF-8 bytes.
    var sortedByName: [(key: String, value: DocumentStoreValue)] {
        sorted { $0.key.precedesInBytes($1.key) }
    }
}

/// ``Value``, where an extension of `Dictionary` hides its name.
typealias DocumentStoreValue = Value
