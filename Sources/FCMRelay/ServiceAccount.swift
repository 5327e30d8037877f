import Cryptography
import JSON
import Texts

/// A service account of a Google Cloud project, as its key file describes it: the sender, its project, and the URL
/// for access tokens.
///
/// [Provide credentials manually](https://firebase.google.com/docs/cloud-messaging/auth-server#provide-credentials-manually):
/// the Firebase console makes the file, once, under Project settings, Service accounts.
package struct ServiceAccount: Sendable {
    /// The project whose apps receive the messages.
    package let projectID: String
    /// The account's name: `…@{project}.iam.gserviceaccount.com`.
    package let clientEmail: String
    /// The id of the key in this file; an account can have several.
    package let privateKeyID: String
    /// The URL that exchanges assertions for access tokens: `https://oauth2.googleapis.com/token`.
    package let tokenURI: String
    let privateKey: RS256PrivateKey

    /// Reads a key file.
    ///
    /// - Parameter json: the file's bytes.
    /// - Throws: an error that names all missing members, or the one member that is invalid.
    package init(json: [UInt8]) throws(ServiceAccountError) {
        let file = try ServiceAccountFile(json)
        projectID = file[.projectID]
        clientEmail = file[.clientEmail]
        privateKeyID = file[.privateKeyID]
        tokenURI = file[.tokenURI]
        guard projectID.utf8.allSatisfy(Self.isOfProjectID) else {
            throw ServiceAccountError("its project_id contains characters that no project id has")
        }
        guard Self.keepsSecrets(tokenURI) else {
            throw ServiceAccountError("its token_uri must be an https URL, or an http URL on this machine")
        }
        do {
            privateKey = try RS256PrivateKey(pem: file[.privateKey])
        } catch {
            throw ServiceAccountError("its private_key cannot be used: \(error.reason)")
        }
    }

    /// Returns `true` if a URL protects access tokens. Plain HTTP is for stand-ins on this machine only.
    private static func keepsSecrets(_ url: String) -> Bool {
        url.hasPrefix("https://")
            || url.wholeMatch(of: #/http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?/.*/#) != nil
    }

    /// Returns `true` for letters, digits, hyphens, and the characters in ids of a domain's projects:
    /// `example.com:project`.
    private static func isOfProjectID(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-.:".utf8.contains(byte)
    }
}

extension ServiceAccount: CustomStringConvertible, CustomReflectable {
    /// The account and its project, without the key.
    package var description: String { "\(clientEmail), project \(projectID)" }
    /// A mirror without the key.
    package var customMirror: Mirror { Mirror(self, children: ["clientEmail": clientEmail, "projectID": projectID]) }
}

/// The complete key file of a service account.
struct ServiceAccountFile {
    /// The members that must be present, by Google's names.
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

    /// Returns a member's text, or an empty text if it is missing or not a string.
    subscript(member: Member) -> String { object[member.rawValue]?.string ?? "" }
}

/// A reason why a file is not a usable service account, in words for an operator. Of the file's content it repeats
/// only the type.
package struct ServiceAccountError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem with the file: `it has no project_id`.
    package let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The text for an operator: the reason, and the remedy if there is one.
    package var description: String { "could not use the service account: \(reason)" }

    static func missing(_ names: [String]) -> ServiceAccountError {
        ServiceAccountError("it has no \(names.joined(separator: ", no ")); \(advice)")
    }

    /// The error for another kind of file, such as the one that `gcloud auth application-default login` writes.
    static func otherType(_ type: String) -> ServiceAccountError {
        ServiceAccountError("its type is \(type.prefix(40)), not service_account; \(advice)")
    }

    private static let advice =
        "have a new key generated in the Firebase console, under Project settings, Service accounts"
}
