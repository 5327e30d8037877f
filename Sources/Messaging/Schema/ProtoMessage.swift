/// A message of a protocol buffers schema: as much of it as its
/// [JSON form](https://protobuf.dev/programming-guides/json/) depends on.
struct ProtoMessage: Sendable {
    /// `google.firebase.fcm.v1.Notification`
    let name: String
    let fields: [ProtoField]
    private let positions: [String: Int]

    /// - Parameters:
    ///   - fields: by their names in the schema, which are in snake_case.
    ///   - more: those that it shares with others.
    ///   - oneofs: the names of fields of which at most one may be set.
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

    /// The field of that name, in either spelling.
    func field(named name: String) -> ProtoField? { positions[name].map { fields[$0] } }
}

/// A field of a message.
struct ProtoField: Sendable {
    /// As the schema writes it: `analytics_label`.
    let name: String
    /// As JSON has it: `analyticsLabel`.
    let jsonName: String
    let kind: ProtoKind
    /// The group of fields of which only one may be set.
    let oneof: String?
    /// What errors call the type of its values.
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

/// What a field holds.
indirect enum ProtoKind: Sendable {
    case string, bool, int32, float
    case enumeration(ProtoEnum)
    /// `google.protobuf.Duration`: seconds as a text that ends in `s`.
    case duration
    /// `google.protobuf.Timestamp`: RFC 3339.
    case timestamp
    /// `map<string, string>`
    case strings
    /// `google.protobuf.Struct`: any object, kept as it is.
    case structure
    case message(ProtoMessage)
    /// `repeated`
    case list(ProtoKind)
}

extension ProtoKind {
    /// As errors call it; nil for maps, whose type is named after their field.
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

/// An enumeration, its values in the order of their numbers, from 0.
struct ProtoEnum: Sendable {
    let name: String
    let values: [String]
}
