internal import Cryptography
internal import Foundation
internal import JSON

/// The service accounts a gateway knows: what it keeps of each is the public half of its key, in `service-accounts/{key id}.json`
/// of the data directory. To take an account's access away, delete its file.
struct ServiceAccounts: Sendable {
    /// One account, without its secret.
    struct Account: Sendable {
        let project: String
        let email: String
        let publicKey: RS256PublicKey
    }

    /// The directory.
    let path: String

    /// nil when there is no such key.
    ///
    /// - Parameter keyID: as a client says it; only hexadecimal digits name a file.
    func account(keyID: String) -> Account? {
        guard !keyID.isEmpty, keyID.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let data = FileManager.default.contents(atPath: file(keyID)),
            let json = try? JSONValue(parsing: Array(data)),
            let project = json["project_id"]?.string, let email = json["client_email"]?.string,
            let pem = json["public_key"]?.string, let publicKey = try? RS256PublicKey(pem: pem)
        else { return nil }
        return Account(project: project, email: email, publicKey: publicKey)
    }

    /// Makes an account of a project and keeps what is needed to know it again.
    ///
    /// - Parameters:
    ///   - url: of this gateway, where clients get their access tokens.
    /// - Returns: the account's file as Google's libraries read it, with the private key, which is not kept.
    func make(project: String, url: String) throws -> JSONValue {
        let key = try RS256PrivateKey.generate()
        let keyID = String(SHA256.hexadecimal(of: key.publicKey.pem).prefix(40))
        let email = "pushgate@\(project).iam.gserviceaccount.com"
        let known: JSONValue = [
            "project_id": .string(project), "client_email": .string(email), "public_key": .string(key.publicKey.pem),
        ]
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try DataDirectory.write(known.text + "\n", to: file(keyID))
        return [
            "type": "service_account", "project_id": .string(project), "private_key_id": .string(keyID),
            "private_key": .string(key.pem), "client_email": .string(email),
            "client_id": .string(String(keyID.utf8.reduce(into: UInt64(0)) { $0 = $0 &* 31 &+ UInt64($1) })),
            "auth_uri": .string(url + "/auth"), "token_uri": .string(url + "/token"),
            "universe_domain": "googleapis.com",
        ]
    }

    private func file(_ keyID: String) -> String { "\(path)/\(keyID).json" }
}
