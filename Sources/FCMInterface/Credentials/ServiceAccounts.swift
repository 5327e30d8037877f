import Cryptography
package import Foundation
package import Instance
package import JSON
import Logging
import Texts

/// The service accounts that a gateway knows. For each account it keeps the public half of the key, in
/// `service-accounts/{key id}.json` of the data directory. To revoke an account, delete its file: it then gets no new
/// access tokens, and those that it has stay valid for at most an hour (``AccessTokens/lifetime``).
struct ServiceAccounts: Sendable {
    let directory: DataDirectory
    let logger: Logger

    /// Returns the account with a key.
    ///
    /// - Parameter keyID: The key id, as the client sent it.
    /// - Throws: `invalid_grant` if there is no such key, or if its file cannot be used, which is logged too.
    func account(keyID: String) throws(TokenError) -> ClientAccount {
        guard let account = try readAccount(keyID: keyID) else { throw .unknownAccount }
        return account
    }

    /// Returns the accounts with an email address, one for each key, in the order of their key ids.
    ///
    /// - Throws: `invalid_grant` if there is none.
    func accounts(email: String) throws(TokenError) -> [ClientAccount] {
        var accounts: [ClientAccount] = []
        for keyID in try keyIDs() {
            // An unusable file of one account must not refuse the others.
            if let account = try? readAccount(keyID: keyID), account.email == email { accounts.append(account) }
        }
        guard !accounts.isEmpty else { throw .unknownIssuer }
        return accounts
    }

    private func keyIDs() throws(TokenError) -> [String] {
        try reading { () throws(GatewayError) in try directory.serviceAccountKeyIDs() }
    }

    private func readAccount(keyID: String) throws(TokenError) -> ClientAccount? {
        try reading { () throws(GatewayError) in try directory.serviceAccount(keyID: keyID) }
    }

    private func reading<Output>(_ body: () throws(GatewayError) -> Output) throws(TokenError) -> Output {
        do {
            return try body()
        } catch {
            logger.error("failed to read a service account", metadata: ["error": "\(error)"])
            throw .invalidGrant("this gateway cannot use what it keeps of the service account; its log says why")
        }
    }
}

extension TokenError {
    fileprivate static let unknownAccount = invalidGrant(
        "this gateway does not know the service account's key; make one for it with “pushgate init”")
    fileprivate static let unknownIssuer = invalidGrant(
        "this gateway does not know the assertion's issuer (iss); make a service account with “pushgate init”")
}

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

extension DataDirectory {
    private static let serviceAccountsName = "service-accounts"
    private static let serviceAccountsSuffix = ".json"
    /// The maximum length of a key id; Google's have 40 characters.
    private static let longestKeyID = 128

    /// Returns the file with the record of the account that has the key.
    func serviceAccountFile(keyID: String) -> AtomicFile {
        files.folder(Self.serviceAccountsName).file(keyID + Self.serviceAccountsSuffix)
    }

    /// Returns the accounts that can be used and the errors of those that cannot, in the order of their key ids.
    package func serviceAccounts() throws(GatewayError) -> [Result<ClientAccount, GatewayError>] {
        var accounts: [Result<ClientAccount, GatewayError>] = []
        for keyID in try serviceAccountKeyIDs() {
            do throws(GatewayError) {
                if let account = try serviceAccount(keyID: keyID) { accounts.append(.success(account)) }
            } catch {
                accounts.append(.failure(error))
            }
        }
        return accounts
    }

    /// Removes an account, so that the gateway, even a running one, issues no more access tokens for it.
    ///
    /// - Returns: `true` if an account had that key.
    package func revokeServiceAccount(keyID: String) throws(GatewayError) -> Bool {
        guard try serviceAccountKeyIDs().contains(keyID) else { return false }
        try serviceAccountFile(keyID: keyID).remove()
        return true
    }

    /// Returns the key ids of all accounts, in order.
    package func serviceAccountKeyIDs() throws(GatewayError) -> [String] {
        try files.folder(Self.serviceAccountsName).names().filter { $0.hasSuffix(Self.serviceAccountsSuffix) }
            .map { String($0.dropLast(Self.serviceAccountsSuffix.count)) }
            .filter(Self.isKeyID)
    }

    /// Returns the account with a key; `nil` if there is none.
    ///
    /// - Parameter keyID: Any text; only hexadecimal digits name a file.
    func serviceAccount(keyID: String) throws(GatewayError) -> ClientAccount? {
        guard Self.isKeyID(keyID) else { return nil }
        let file = serviceAccountFile(keyID: keyID)
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
    package func makeServiceAccount(
        project: String, url: String, scopes: Set<AccessScope> = [.messaging]
    ) throws -> JSONValue {
        let key = try RS256PrivateKey.generate()
        let keyID = String(SHA256.hexadecimal(of: key.publicKey.pem).prefix(40))
        let email = "pushgate@\(project).iam.gserviceaccount.com"
        let known: JSONValue = [
            "project_id": .string(project), "client_email": .string(email), "public_key": .string(key.publicKey.pem),
            "scopes": scopes.json,
        ]
        let folder = files.folder(Self.serviceAccountsName)
        try folder.make()
        try folder.write(known.text + "\n", to: keyID + Self.serviceAccountsSuffix)
        return [
            "type": "service_account", "project_id": .string(project), "private_key_id": .string(keyID),
            "private_key": .string(key.pem), "client_email": .string(email),
            "client_id": .string(String(keyID.utf8.reduce(into: UInt64(0)) { $0 = $0 &* 31 &+ UInt64($1) })),
            "auth_uri": .string(url + "/auth"), "token_uri": .string(url + "/token"),
            "universe_domain": "googleapis.com",
        ]
    }
}
