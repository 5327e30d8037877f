internal import Cryptography
internal import JSON

/// A service account of a Google Cloud project, as its key file describes it: who sends, for which project, and where
/// access tokens are to be had.
///
/// [Provide credentials manually](https://firebase.google.com/docs/cloud-messaging/auth-server#provide-credentials-manually):
/// the Firebase console makes the file, once, under Project settings, Service accounts.
public struct ServiceAccount: Sendable {
    /// The project whose apps' registrations are sent to.
    public let projectID: String
    /// The account's name: `…@{project}.iam.gserviceaccount.com`.
    public let clientEmail: String
    /// Which of the account's keys this is.
    public let privateKeyID: String
    /// Where assertions are exchanged for access tokens: `https://oauth2.googleapis.com/token`.
    public let tokenURI: String
    let privateKey: RS256PrivateKey

    /// Reads the file.
    ///
    /// - Parameter json: the file's bytes.
    /// - Throws: an error that names everything that is missing, or the one thing that cannot be used.
    public init(json: [UInt8]) throws(ServiceAccountError) {
        let file = try ServiceAccountFile(json)
        projectID = file[.projectID]
        clientEmail = file[.clientEmail]
        privateKeyID = file[.privateKeyID]
        tokenURI = file[.tokenURI]
        guard projectID.utf8.allSatisfy(Self.isOfProjectID) else {
            throw ServiceAccountError("its project_id has characters that no project's id has")
        }
        guard Self.keepsSecrets(tokenURI) else {
            throw ServiceAccountError("its token_uri is no URL of https, nor of http on this machine")
        }
        do {
            privateKey = try RS256PrivateKey(pem: file[.privateKey])
        } catch {
            throw ServiceAccountError("its private_key cannot be used: \(error.reason)")
        }
    }

    /// Access tokens come from there, so plain HTTP is for stand-ins on this machine only.
    private static func keepsSecrets(_ url: String) -> Bool {
        url.hasPrefix("https://")
            || url.wholeMatch(of: #/http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?/.*/#) != nil
    }

    /// Letters, digits, hyphens; and what ids of a domain's projects have besides: `example.com:project`.
    private static func isOfProjectID(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}

extension ServiceAccount: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(clientEmail), project \(projectID)" }
    /// Without the key.
    public var customMirror: Mirror { Mirror(self, children: ["clientEmail": clientEmail, "projectID": projectID]) }
}
