internal import Cryptography
internal import JSON

extension DataDirectory {
    private static let serviceAccountsName = "service-accounts"

    /// What is kept of the account with a key.
    func serviceAccountFile(keyID: String) -> AtomicFile {
        AtomicFile("\(keyID).json", in: folder.folder(Self.serviceAccountsName))
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
