import DocumentStore
import JSON

/// A message of a protocol buffers schema, as far as its [JSON form](https://protobuf.dev/programming-guides/json/)
/// requires.
struct ProtoMessage: Sendable {
    /// The full name, such as `google.firebase.fcm.v1.Notification`.
    let name: String
    let fields: [ProtoField]
    private let positions: [String: Int]

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - fields: the fields by their names in the schema, in snake_case.
    ///   - more: the fields that it shares with other messages.
    ///   - oneofs: groups of field names of which at most one may be set.
    init(
        _ name: String, _ fields: KeyValuePairs<String, ProtoKind>, and more: KeyValuePairs<String, ProtoKind> = [:],
        oneofs: [String: [String]] = [:]
    ) {
        self.name = name
        self.fields = (Array(fields) + more).map { field, kind in
            ProtoField(
                name: field, kind: kind, oneof: oneofs.first { $0.value.contains(field) }?.key, of: name)
        }
        let names = self.fields.enumerated().flatMap { [($1.name, $0), ($1.jsonName, $0)] }
        positions = Dictionary(names) { first, _ in first }
    }

    /// Returns the field of a name in either spelling.
    func field(named name: String) -> ProtoField? { positions[name].map { fields[$0] } }
}

/// A field of a message.
struct ProtoField: Sendable {
    /// The name in the schema, such as `analytics_label`.
    let name: String
    /// The name in JSON, such as `analyticsLabel`.
    let jsonName: String
    let kind: ProtoKind
    /// The group of fields of which only one may be set.
    let oneof: String?
    /// The name of the values' type in error texts.
    let typeName: String

    init(name: String, kind: ProtoKind, oneof: String?, of message: String) {
        let words = name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        self.name = name
        jsonName = words.joined().prefix(1).lowercased() + words.joined().dropFirst()
        self.kind = kind
        self.oneof = oneof
        typeName = kind.typeName ?? "type.googleapis.com/\(message).\(words.joined())Entry"
    }
}

/// The kind of a field's value.
indirect enum ProtoKind: Sendable {
    case string, bool, int32, float
    case enumeration(ProtoEnum)
    /// `google.protobuf.Duration`: seconds as a text that ends in `s`.
    case duration
    /// `google.protobuf.Timestamp`: RFC 3339.
    case timestamp
    /// `map<string, string>`.
    case strings
    /// `google.protobuf.Struct`: any object, kept as it is.
    case structure
    case message(ProtoMessage)
    /// `repeated`.
    case list(ProtoKind)
}

extension ProtoKind {
    /// The name in error texts; `nil` for maps, whose type is named after their field.
    fileprivate var typeName: String? {
        switch self {
        case .string: "TYPE_STRING"
        case .bool: "TYPE_BOOL"
        case .int32: "TYPE_INT32"
        case .float: "TYPE_FLOAT"
        case .enumeration(let enumeration): "type.googleapis.com/\(enumeration.name)"
        case .duration: "type.googleapis.com/google.protobuf.Duration"
        case .timestamp: "type.googleapis.com/google.protobuf.Timestamp"
        case .strings: nil
        case .structure: "type.googleapis.com/google.protobuf.Struct"
        case .message(let message): "type.googleapis.com/\(message.name)"
        case .list(let kind): kind.typeName
        }
    }
}

/// An enumeration, with its values in the order of their numbers, from 0.
struct ProtoEnum: Sendable {
    let name: String
    let values: [String]
}

extension ProtoKind {
    /// Returns a single value in the canonical JSON form.
    func canonical(_ json: JSONValue) throws(UnusableFieldValue) -> JSONValue {
        switch (self, json) {
        case (.string, .string), (.bool, .bool): json
        case (.int32, _): try Self.int32(json)
        case (.float, _): try Self.float(json)
        case (.enumeration(let enumeration), _): .string(try enumeration.name(of: json))
        case (.duration, _): try Self.duration(json)
        case (.timestamp, _): try Self.timestamp(json)
        default: throw UnusableFieldValue()
        }
    }

    private static func int32(_ json: JSONValue) throws(UnusableFieldValue) -> JSONValue {
        guard let number = json.number, let integer = Int32(number) else { throw UnusableFieldValue() }
        return .integer(Int64(integer))
    }

    private static func float(_ json: JSONValue) throws(UnusableFieldValue) -> JSONValue {
        if let text = json.string, ["NaN", "Infinity", "-Infinity"].contains(text) { return json }
        guard let number = json.number, let double = number.double, Float(double).isFinite else {
            throw UnusableFieldValue()
        }
        return number
    }

    private static func duration(_ json: JSONValue) throws(UnusableFieldValue) -> JSONValue {
        guard let text = json.string else {
            throw UnusableFieldValue(reason: "Invalid data type for duration, value is \(json.echo)")
        }
        _ = try ProtoDuration(text)
        return json
    }

    private static func timestamp(_ json: JSONValue) throws(UnusableFieldValue) -> JSONValue {
        guard let text = json.string else {
            throw UnusableFieldValue(reason: "Invalid data type for timestamp, value is \(json.echo)")
        }
        guard Timestamp(text) != nil else {
            throw UnusableFieldValue(reason: "Invalid time format: \(text.bounded)")
        }
        return json
    }
}

extension ProtoEnum {
    /// Returns the name of a value that is given by number or by name. Google's parser accepts names in any case, and
    /// with hyphens for underscores.
    fileprivate func name(of json: JSONValue) throws(UnusableFieldValue) -> String {
        if let text = json.string {
            let name = text.uppercased().replacing("-", with: "_")
            if values.contains(name) { return name }
        }
        guard let number = json.number.flatMap({ Int32($0) }), values.indices.contains(Int(number)) else {
            throw UnusableFieldValue()
        }
        return values[Int(number)]
    }
}

// MARK: Numbers

extension JSONValue {
    /// The number, given as a number or as its text; `nil` for other values.
    fileprivate var number: JSONValue? {
        switch self {
        case .integer, .double: self
        case .string(let text): JSONValue(number: text)
        default: nil
        }
    }

    private init?(number text: String) {
        // White space around the number, which JSON allows, is not accepted.
        let digits = "+-.0123456789Ee".utf8
        guard text.utf8.allSatisfy(digits.contains), let json = try? JSONValue(parsing: text) else { return nil }
        self = json
    }
}

extension Int32 {
    fileprivate init?(_ number: JSONValue) {
        switch number {
        case .integer(let integer): self.init(exactly: integer)
        case .double(let double): self.init(exactly: double)
        default: return nil
        }
    }
}
