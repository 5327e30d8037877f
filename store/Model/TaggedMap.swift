import Texts

/// A map whose reserved field name makes it a value of another type: a vector, or one of BSON's types.
///
/// Firestore transmits these types as maps, and documents store them as maps. Their order, their validation and the
/// walk along a field path treat them as types of their own.
enum TaggedMap {
    /// The elements, all of them doubles.
    case vector([Value])
    case minKey
    case maxKey
    /// A BSON number, as the number that it equals in the order of values.
    case number(Value)
    case timestamp(seconds: Int64, increment: Int64)
    /// The subtype's byte, then the data.
    case binary([UInt8])
    case objectID(String)
    case regex(pattern: String, options: String)

    /// The field names that mark a map of one field as a BSON type.
    enum Tag: String {
        case objectID = "__oid__"
        case minKey = "__min__"
        case maxKey = "__max__"
        case int32 = "__int__"
        case binary = "__binary__"
        case timestamp = "__request_timestamp__"
        case regex = "__regex__"
        case decimal = "__decimal128__"
    }

    static let typeName = "__type__"
    static let vectorType = "__vector__"
    static let elementsName = "value"

    /// Recognizes a valid tagged map; `nil` for any other map.
    init?(_ fields: Fields) {
        switch fields.count {
        case 1:
            guard let (name, value) = fields.first(where: { _ in true }), FieldPath.isReserved(name),
                let tag = Tag(rawValue: name), let tagged = Self(tag, value)
            else { return nil }
            self = tagged
        case 2:
            guard Self.isVector(fields), let elements = fields[Self.elementsName]?.array else { return nil }
            self = .vector(elements)
        default: return nil
        }
    }

    /// Reads the value of a BSON type; `nil` if it is not one.
    init?(_ tag: Tag, _ value: Value) {
        switch (tag, value) {
        case (.minKey, .null): self = .minKey
        case (.maxKey, .null): self = .maxKey
        case (.int32, .integer(let number)) where Int32(exactly: number) != nil: self = .number(value)
        case (.decimal, .string(let text)):
            guard let number = DecimalText.number(text) else { return nil }
            self = .number(number)
        case (.binary, .bytes(let bytes)) where !bytes.isEmpty: self = .binary(bytes)
        case (.objectID, .string(let text)) where text.utf8.count == 24 && text.utf8.allSatisfy(\.isASCIIHexDigit):
            self = .objectID(text)
        case (.timestamp, .map(let parts)):
            guard let seconds = parts["seconds"]?.unsigned32, let increment = parts["increment"]?.unsigned32,
                parts.count == 2
            else { return nil }
            self = .timestamp(seconds: seconds, increment: increment)
        case (.regex, .map(let parts)):
            guard let pattern = parts["pattern"]?.string, let options = parts["options"]?.string, parts.count == 2
            else { return nil }
            self = .regex(pattern: pattern, options: options)
        default: return nil
        }
    }

    /// Returns `true` if the map claims to be a vector, valid or not.
    static func isVector(_ fields: Fields) -> Bool { fields[typeName] == .string(vectorType) }
}

extension Value {
    /// Returns a vector: the map of Firestore's clients for a list of numbers to search by distance.
    ///
    /// - Parameter elements: 1 to 2,048 numbers, none of them NaN.
    public static func vector(_ elements: [Double]) -> Value {
        .map([
            TaggedMap.typeName: .string(TaggedMap.vectorType),
            TaggedMap.elementsName: .array(elements.map(Value.double)),
        ])
    }

    /// The elements of a vector; `nil` if this is another type, an array included.
    public var vector: [Double]? {
        guard case .map(let fields) = self, case .vector(let elements)? = TaggedMap(fields) else { return nil }
        return elements.compactMap(\.number)
    }

    /// The fields of a map that field paths can enter; `nil` for a tagged map, as for any value without fields.
    var fieldsOfPath: Fields? {
        guard case .map(let fields) = self else { return nil }
        // Valid maps of more fields have no reserved names.
        return fields.count <= 2 && fields.keys.contains(where: FieldPath.isReserved) ? nil : fields
    }

    fileprivate var unsigned32: Int64? { integer.flatMap { UInt32(exactly: $0) == nil ? nil : $0 } }
}

/// The text of BSON's decimal number of 128 bits.
enum DecimalText {
    /// Returns the number: an integer if it is written as one of 64 bits, else the nearest double. `nil` if the text
    /// is not a decimal number.
    static func number(_ text: String) -> Value? {
        if let special = special(text) { return .double(special) }
        guard text.utf8.allSatisfy({ $0.isASCIIDigit || ".-+eE".utf8.contains($0) }) else { return nil }
        return Int64(text).map(Value.integer) ?? Double(text).map(Value.double)
    }

    /// Returns the text as documents store it: `Infinity`, `-Infinity` and `NaN` in place of other spellings.
    static func canonical(_ text: String) -> String {
        guard let special = special(text) else { return text }
        return special.isNaN ? "NaN" : (special < 0 ? "-Infinity" : "Infinity")
    }

    private static func special(_ text: String) -> Double? {
        switch text.lowercased() {
        case "nan", "+nan", "-nan": .nan
        case "inf", "+inf", "infinity", "+infinity": .infinity
        case "-inf", "-infinity": -.infinity
        default: nil
        }
    }
}
