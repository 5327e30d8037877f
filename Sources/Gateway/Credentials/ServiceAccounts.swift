internal import Cryptography
internal import JSON
internal import Logging

/// The service accounts a gateway knows: what it keeps of each is the public half of its key, in `service-accounts/{key id}.json`
/// of the data directory. To take an account's access away, delete its file: it gets no more access tokens then, and those
/// it has are good for up to an hour more (``AccessTokens/lifetime``).
struct ServiceAccounts: Sendable {
    /// One account, without its secret.
    struct Account: Sendable {
        let project: String
        let email: String
        let publicKey: RS256PublicKey
    }

    /// Longer than any key's id; Google's have 40 characters.
    private static let longestKeyID = 128

    let directory: DataDirectory
    let logger: Logger

    /// - Parameter keyID: as a client says it; only hexadecimal digits name a file.
    /// - Throws: `invalid_grant` when there is no such key, or its file cannot be used, which is logged too.
    func account(keyID: String) throws(TokenError) -> Account {
        guard (1...Self.longestKeyID).contains(keyID.utf8.count),
            keyID.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
        else { throw .unknownAccount }
        let file = directory.serviceAccountFile(keyID: keyID)
        do {
            guard let contents = try file.contents() else { throw TokenError.unknownAccount }
            return try Account(contents, file.path)
        } catch let error as TokenError {
            throw error
        } catch {
            logger.error("a service account cannot be used", metadata: ["error": "\(error)"])
            throw .invalidGrant("this gateway cannot use what it keeps of the service account; its log says why")
        }
    }
}

extension ServiceAccounts.Account {
    fileprivate init(_ contents: [UInt8], _ path: String) throws(GatewayError) {
        guard let json = try? JSONValue(parsing: contents), let project = json["project_id"]?.string,
            let email = json["client_email"]?.string, let pem = json["public_key"]?.string,
            let publicKey = try? RS256PublicKey(pem: pem)
        else { throw GatewayError("\(path) is no account that “pushgate init” made. Restore it, or delete it.") }
        self.init(project: project, email: email, publicKey: publicKey)
    }
}

extension TokenError {
    fileprivate static let unknownAccount = invalidGrant(
        "this gateway does not know the service account's key; make one for it with “pushgate init”")
}
