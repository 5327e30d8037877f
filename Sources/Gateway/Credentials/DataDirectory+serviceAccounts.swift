internal import Cryptography
internal import Foundation
internal import JSON

extension DataDirectory {
    private static let serviceAccountsName = "service-accounts"
    private static let serviceAccountsSuffix = ".json"
    /// Longer than any key's id; Google's have 40 characters.
    private static let longestKeyID = 128

    /// What is kept of the account with a key.
    func serviceAccountFile(keyID: String) -> AtomicFile {
        AtomicFile(keyID + Self.serviceAccountsSuffix, in: serviceAccountsFolder)
    }

    private var serviceAccountsFolder: Folder { folder.folder(Self.serviceAccountsName) }

    /// Returns the accounts that can be used and the errors of those that cannot, in the order of their keys' ids.
    public func serviceAccounts() throws(GatewayError) -> [Result<ClientAccount, GatewayError>] {
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

    /// Has the gateway give no more access tokens for an account; a running one, too.
    ///
    /// - Returns: whether there was one with that key.
    public func revokeServiceAccount(keyID: String) throws(GatewayError) -> Bool {
        guard try serviceAccountKeyIDs().contains(keyID) else { return false }
        try serviceAccountFile(keyID: keyID).remove()
        return true
    }

    /// The ids of the keys of all accounts, in order.
    public func serviceAccountKeyIDs() throws(GatewayError) -> [String] {
        let names: [String]
        do throws(SystemError) {
            names = try serviceAccountsFolder.list { folder throws(SystemError) in try folder.names() }
        } catch {
            throw GatewayError(cannot: "read", serviceAccountsFolder.path, error)
        }
        return names.filter { $0.hasSuffix(Self.serviceAccountsSuffix) }
            .map { String($0.dropLast(Self.serviceAccountsSuffix.count)) }
            .filter(Self.isKeyID)
    }

    /// Returns the account with a key, `nil` if there is none.
    ///
    /// - Parameter keyID: any text; only hexadecimal digits name a file.
    func serviceAccount(keyID: String) throws(GatewayError) -> ClientAccount? {
        guard Self.isKeyID(keyID) else { return nil }
        let file = serviceAccountFile(keyID: keyID)
        let read = try file.read { file throws(SystemError) in (try file.contents(), try file.status().modified) }
        guard let (contents, modified) = read else { return nil }
        guard let json = try? JSONValue(parsing: contents), let project = json["project_id"]?.string,
            let email = json["client_email"]?.string, let pem = json["public_key"]?.string,
            let publicKey = try? RS256PublicKey(pem: pem)
        else { throw GatewayError("\(file.path) is no account that “pushgate init” made. Restore it, or delete it.") }
        return ClientAccount(
            keyID: keyID, project: project, email: email, createdAt: modified, publicKey: publicKey)
    }

    private static func isKeyID(_ text: String) -> Bool {
        (1...longestKeyID).contains(text.utf8.count)
            && text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// Makes an account of a project and keeps what is needed to know it again.
    ///
    /// - Parameter url: of the gateway, where clients get their access tokens.
    /// - Returns: the account's file as Google's libraries read it, with the private key, which is not kept.
    func makeServiceAccount(project: String, url: String) throws -> JSONValue {
        let key = try RS256PrivateKey.generate()
        let keyID = String(SHA256.hexadecimal(of: key.publicKey.pem).prefix(40))
        let email = "pushgate@\(project).iam.gserviceaccount.com"
        let known: JSONValue = [
            "project_id": .string(project), "client_email": .string(email), "public_key": .string(key.publicKey.pem),
        ]
        try makeFolder(Self.serviceAccountsName)
        try serviceAccountFile(keyID: keyID).replace(
            with: Array((known.text + "\n").utf8), access: ownAccess(mode: 0o600))
        return [
            "type": "service_account", "project_id": .string(project), "private_key_id": .string(keyID),
            "private_key": .string(key.pem), "client_email": .string(email),
            "client_id": .string(String(keyID.utf8.reduce(into: UInt64(0)) { $0 = $0 &* 31 &+ UInt64($1) })),
            "auth_uri": .string(url + "/auth"), "token_uri": .string(url + "/token"),
            "universe_domain": "googleapis.com",
        ]
    }
}
