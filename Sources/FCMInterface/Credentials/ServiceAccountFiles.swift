import Cryptography
package import Foundation
package import Instance
package import JSON
import Texts

/// The gateway's record of a service account that `pushgate init` created for a client of FCM or Firestore. It does
/// not contain the secret key.
package struct ClientAccount: Sendable {
    /// The id of the account's key.
    package let keyID: String
    /// The id of the account's project.
    package let project: String
    /// The account's email address, which is the issuer of its assertions.
    package let email: String
    /// The interfaces that the account was made for.
    package let scopes: Set<AccessScope>
    /// The time at which the account was created.
    package let createdAt: Date
    let publicKey: RS256PublicKey
}

/// The service accounts in a data directory. For each account it has the public half of the key, in
/// `service-accounts/{key id}.json`. To revoke an account, delete its file: it then gets no new access tokens, and
/// those that it has stay valid for at most an hour (``AccessTokens/lifetime``).
package struct ServiceAccountFiles: Sendable {
    private static let folderName = "service-accounts"
    private static let suffix = ".json"
    /// The maximum length of a key id; Google's have 40 characters.
    private static let longestKeyID = 128

    private let folder: DataFolder

    /// Refers to the accounts in a directory.
    package init(in directory: DataDirectory) { folder = directory.files.folder(Self.folderName) }

    private func fileName(keyID: String) -> String { keyID + Self.suffix }

    /// Returns the file with the record of the account that has the key.
    func file(keyID: String) -> AtomicFile { folder.file(fileName(keyID: keyID)) }

    /// Returns the accounts that can be used and the errors of those that cannot, in the order of their key ids.
    package func all() throws(GatewayError) -> [Result<ClientAccount, GatewayError>] {
        var accounts: [Result<ClientAccount, GatewayError>] = []
        for keyID in try keyIDs() {
            do throws(GatewayError) {
                if let account = try account(keyID: keyID) { accounts.append(.success(account)) }
            } catch {
                accounts.append(.failure(error))
            }
        }
        return accounts
    }

    /// Removes an account, so that the gateway, even a running one, issues no more access tokens for it.
    ///
    /// - Returns: `true` if an account had that key.
    package func revoke(keyID: String) throws(GatewayError) -> Bool {
        guard try keyIDs().contains(keyID) else { return false }
        try file(keyID: keyID).remove()
        return true
    }

    /// Returns the key ids of all accounts, in order.
    package func keyIDs() throws(GatewayError) -> [String] {
        try folder.names().filter { $0.hasSuffix(Self.suffix) }
            .map { String($0.dropLast(Self.suffix.count)) }
            .filter(Self.isKeyID)
    }

    /// Returns the account with a key; `nil` if there is none.
    ///
    /// - Parameter keyID: Any text; only hexadecimal digits name a file.
    func account(keyID: String) throws(GatewayError) -> ClientAccount? {
        guard Self.isKeyID(keyID) else { return nil }
        let file = file(keyID: keyID)
        guard let (contents, modified) = try file.contentsWithTime() else { return nil }
        guard let json = try? JSONValue(parsing: contents), let project = json["project_id"]?.string,
            let email = json["client_email"]?.string, let pem = json["public_key"]?.string,
            let publicKey = try? RS256PublicKey(pem: pem)
        else {
            throw GatewayError("\(file.path) is not an account that “pushgate init” created. Restore it, or delete it.")
        }
        return ClientAccount(
            keyID: keyID, project: project, email: email, scopes: Set(json: json["scopes"]), createdAt: modified,
            publicKey: publicKey)
    }

    private static func isKeyID(_ text: String) -> Bool {
        (1...longestKeyID).contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIHexDigit)
    }

    /// Creates an account of a project and stores its record.
    ///
    /// - Parameters:
    ///   - url: The gateway's URL, where clients request their access tokens.
    ///   - scopes: The interfaces that the account may use.
    /// - Returns: The account's file in the form that Google's libraries read. It contains the private key, which is
    ///   not stored.
    package func create(
        project: String, url: String, scopes: Set<AccessScope> = [.messaging]
    ) throws -> JSONValue {
        let key = try RS256PrivateKey.generate()
        let keyID = String(SHA256.hexadecimal(of: key.publicKey.pem).prefix(40))
        let email = "pushgate@\(project).iam.gserviceaccount.com"
        let known: JSONValue = [
            "project_id": .string(project), "client_email": .string(email), "public_key": .string(key.publicKey.pem),
            "scopes": scopes.json,
        ]
        try folder.make()
        try folder.write(known.text + "\n", to: fileName(keyID: keyID))
        return [
            "type": "service_account", "project_id": .string(project), "private_key_id": .string(keyID),
            "private_key": .string(key.pem), "client_email": .string(email),
            "client_id": .string(String(keyID.utf8.reduce(into: UInt64(0)) { $0 = $0 &* 31 &+ UInt64($1) })),
            "auth_uri": .string(url + "/auth"), "token_uri": .string(url + "/token"),
            "universe_domain": "googleapis.com",
        ]
    }
}
