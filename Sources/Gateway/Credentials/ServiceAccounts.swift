internal import Logging

/// The service accounts a gateway knows: what it keeps of each is the public half of its key, in `service-accounts/{key id}.json`
/// of the data directory. To take an account's access away, delete its file: it gets no more access tokens then, and those
/// it has are good for up to an hour more (``AccessTokens/lifetime``).
struct ServiceAccounts: Sendable {
    let directory: DataDirectory
    let logger: Logger

    /// - Parameter keyID: as a client says it.
    /// - Throws: `invalid_grant` when there is no such key, or its file cannot be used, which is logged too.
    func account(keyID: String) throws(TokenError) -> ClientAccount {
        guard let account = try readAccount(keyID: keyID) else { throw .unknownAccount }
        return account
    }

    /// Returns the accounts with an address, one for each key, in the order of their ids.
    ///
    /// - Throws: `invalid_grant` if there is none.
    func accounts(email: String) throws(TokenError) -> [ClientAccount] {
        var accounts: [ClientAccount] = []
        for keyID in try keyIDs() {
            // One whose file cannot be used is no reason to refuse the others.
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
            logger.error("a service account cannot be used", metadata: ["error": "\(error)"])
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
