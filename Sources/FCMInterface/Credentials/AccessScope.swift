import JSON

/// An interface that service accounts and access tokens are for.
package enum AccessScope: String, Hashable, Sendable, CaseIterable {
    /// FCM's interface.
    case messaging
    /// Firestore's interface.
    case firestore

    /// Returns `true` if a client asks for the scope in its assertion (RFC 7521 §4.1).
    ///
    /// Google's clients ask for more than they use, so a request alone grants nothing. Messages were always granted
    /// without a look at the claim.
    ///
    /// - Parameter claim: The assertion's `scope`: URLs that are separated by blanks.
    func isRequested(by claim: String) -> Bool {
        guard self == .firestore else { return true }
        return claim.split(separator: " ").contains { Self.firestoreURLs.contains(String($0)) }
    }

    /// The scopes with which Google's clients ask for Firestore.
    private static let firestoreURLs: Set = [
        "https://www.googleapis.com/auth/datastore", "https://www.googleapis.com/auth/cloud-platform",
    ]
}

extension Set<AccessScope> {
    /// Reads a list of names; messages alone if there is no list, as in what earlier versions wrote.
    init(json: JSONValue?) {
        guard let names = json?.array?.compactMap(\.string) else {
            self = [.messaging]
            return
        }
        self = Set(names.compactMap { AccessScope(rawValue: $0) })
    }

    /// The names in the order of their declaration.
    package var names: [String] { AccessScope.allCases.filter(contains).map(\.rawValue) }

    var json: JSONValue { .array(names.map(JSONValue.string)) }
}
