internal import JSON

/// The key file of a service account, known to be complete.
struct ServiceAccountFile {
    /// What must be there, by the names Google gives it.
    enum Member: String, CaseIterable {
        case type
        case projectID = "project_id"
        case privateKeyID = "private_key_id"
        case privateKey = "private_key"
        case clientEmail = "client_email"
        case tokenURI = "token_uri"
    }

    private let object: JSONObject

    init(_ json: [UInt8]) throws(ServiceAccountError) {
        do {
            object = try JSONValue(parsing: json).object ?? [:]
        } catch {
            throw ServiceAccountError("it is \(error)")
        }
        guard ["", "service_account"].contains(self[.type]) else { throw .otherType(self[.type]) }
        let missing = Member.allCases.filter { self[$0].isEmpty }
        guard missing.isEmpty else { throw .missing(missing.map(\.rawValue)) }
    }

    /// Empty when there is none, or it is no string.
    subscript(member: Member) -> String { object[member.rawValue]?.string ?? "" }
}
