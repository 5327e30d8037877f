import Instance
import Logging

/// The service accounts that a gateway knows, for the endpoint that answers their assertions.
struct ServiceAccounts: Sendable {
    let files: ServiceAccountFiles
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
        try reading { () throws(GatewayError) in try files.keyIDs() }
    }

    private func readAccount(keyID: String) throws(TokenError) -> ClientAccount? {
        try reading { () throws(GatewayError) in try files.account(keyID: keyID) }
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
