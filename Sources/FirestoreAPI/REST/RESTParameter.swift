/// A parameter in the URL of a request: a field that neither the path nor the body has. The raw value is its name in
/// the proto, with those of the messages around it.
enum RESTParameter: String, CaseIterable, Sendable {
    case documentID = "document_id"
    case mask = "mask.field_paths"
    case updateMask = "update_mask.field_paths"
    case exists = "current_document.exists"
    case updateTime = "current_document.update_time"
    case transaction = "transaction"
    case readTime = "read_time"
    case pageSize = "page_size"
    case pageToken = "page_token"
    case orderBy = "order_by"
    case showMissing = "show_missing"

    /// The name in lowerCamelCase.
    var name: String { Self.name(rawValue) }

    /// `true` if a request may have the parameter more than once.
    var isRepeated: Bool { self == .mask || self == .updateMask }

    /// Finds a parameter by its name, of which each part is in lowerCamelCase or in snake_case.
    init?(named name: String) {
        guard let parameter = Self.byName[name] else { return nil }
        self = parameter
    }

    private static let byName = Dictionary(
        allCases.flatMap { parameter in parameter.spellings.map { ($0, parameter) } },
        uniquingKeysWith: { first, _ in first })

    private var spellings: [String] {
        rawValue.split(separator: ".").map(String.init).reduce([""]) { beginnings, part in
            beginnings.flatMap { beginning in
                [part, Self.name(part)].map { beginning.isEmpty ? $0 : "\(beginning).\($0)" }
            }
        }
    }

    private static func name(_ protoName: String) -> String {
        let words = protoName.split(separator: "_")
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

extension RESTRoute {
    /// The parameters of the route's method. The methods after a colon have all fields in the body.
    var parameters: [RESTParameter] {
        switch self {
        case .getDocument: [.mask, .transaction, .readTime]
        case .listDocuments: [.mask, .transaction, .readTime, .pageSize, .pageToken, .orderBy, .showMissing]
        case .createDocument: [.documentID, .mask]
        case .updateDocument: [.updateMask, .mask, .exists, .updateTime]
        case .deleteDocument: [.exists, .updateTime]
        case .call, .listDatabases, .clear: []
        }
    }
}

/// The parameters that all of Google's APIs take
/// ([system parameters](https://cloud.google.com/apis/docs/system-parameters)), each also with a dollar sign before
/// it. They have no effect here.
enum RESTSystemParameter {
    private static let names: Set<Substring> = [
        ".xgafv", "access_token", "alt", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser",
        "uploadType", "upload_protocol", "userProject",
    ]

    /// Returns `true` for the name of such a parameter.
    static func isNamed(_ name: String) -> Bool {
        names.contains(name.hasPrefix("$") ? name.dropFirst() : name[...])
    }
}
