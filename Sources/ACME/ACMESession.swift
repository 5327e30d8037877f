import Cryptography
package import HTTPClient
import HTTPTypes
import JSON
import Synchronization

/// A session with a certificate authority (RFC 8555): its directory, and an account there.
///
/// Open one for each certificate. An account is found again by its key, so nothing but the key must be kept.
package final class ACMESession: Sendable {
    /// The authority, and the data of the account.
    package struct Configuration: Hashable, Sendable {
        /// The URL of the authority's directory.
        package var directory: String
        /// The operator's address for the authority's messages; `nil` for none.
        package var email: String?
        /// The customer's account; `nil` if the authority serves everybody.
        package var externalAccount: ExternalAccount?

        package init(directory: String, email: String? = nil, externalAccount: ExternalAccount? = nil) {
            self.directory = directory
            self.email = email
            self.externalAccount = externalAccount
        }
    }

    /// The terms of service to which the account agrees; `nil` if there are none.
    package var termsOfService: String? { directory.termsOfService }

    let directory: Directory
    let key: AccountKey
    private let http: HTTPClient
    private let account: String
    /// The nonces for the next requests (RFC 8555 §6.5).
    private let nonces: Mutex<[String]>

    private init(directory: Directory, account: String, key: AccountKey, http: HTTPClient, nonces: [String]) {
        self.directory = directory
        self.account = account
        self.key = key
        self.http = http
        self.nonces = Mutex(nonces)
    }

    /// Reads the directory, and creates an account for the key if there is none, which agrees to the terms of service.
    package static func open(
        _ configuration: Configuration, key: AccountKey, http: HTTPClient
    ) async throws(ACMEError) -> ACMESession {
        let directory = try await Directory.read(configuration.directory, http)
        let stranger = ACMESession(directory: directory, account: "", key: key, http: http, nonces: [])
        let account = try await stranger.register(configuration)
        return ACMESession(
            directory: directory, account: account, key: key, http: http, nonces: stranger.nonces.withLock { $0 })
    }

    /// Returns the URL of the key's account (RFC 8555 §7.3).
    private func register(_ configuration: Configuration) async throws(ACMEError) -> String {
        var members: [(String, JSONValue)] = [("termsOfServiceAgreed", true)]
        if let email = configuration.email { members.append(("contact", [.string("mailto:\(email)")])) }
        if let external = configuration.externalAccount {
            let binding = try cryptography { () throws(CryptographyError) in
                try key.binding(to: external, url: directory.newAccount)
            }
            members.append(("externalAccountBinding", binding ?? .null))
        }
        let answer = try await post(
            JSONValue.object(JSONObject(members)).serialized, to: directory.newAccount, as: .key)
        guard let account = answer.headerFields[.location] else {
            throw .unexpected("the answer to newAccount has no Location")
        }
        return account
    }

    // MARK: Requests

    /// Sends JSON to a resource.
    func post(_ json: JSONValue, to url: String) async throws(ACMEError) -> HTTPClientResponse {
        try await post(json.serialized, to: url, as: .account(account))
    }

    /// Reads a resource (POST-as-GET, RFC 8555 §6.3).
    func read(_ url: String) async throws(ACMEError) -> HTTPClientResponse {
        try await post([], to: url, as: .account(account))
    }

    /// Sends a signed request, again with another nonce if the authority has forgotten the first (RFC 8555 §6.5).
    private func post(
        _ payload: [UInt8], to url: String, as identity: AccountKey.Identity
    ) async throws(ACMEError) -> HTTPClientResponse {
        var attempt = 1
        while true {
            let nonce = try await nonce()
            let body = try cryptography { () throws(CryptographyError) in
                try key.signed(payload, to: url, as: identity, nonce: nonce)
            }
            let answer = try await http.answer(
                to: HTTPClientRequest(
                    method: .post, url: url, headerFields: [.contentType: "application/jose+json"], body: body))
            keepNonce(of: answer)
            guard answer.statusCode >= 400 else { return answer }
            let error = ACMEError(answer)
            guard error.kind == .refused(type: "badNonce"), attempt < Self.attempts else { throw error }
            attempt += 1
        }
    }

    private func nonce() async throws(ACMEError) -> String {
        if let nonce = nonces.withLock({ $0.popLast() }) { return nonce }
        let answer = try await http.answer(to: HTTPClientRequest(method: .head, url: directory.newNonce))
        guard let nonce = answer.nonce else {
            throw answer.statusCode < 400 ? .unexpected("newNonce gives no Replay-Nonce") : ACMEError(answer)
        }
        return nonce
    }

    private func keepNonce(of answer: HTTPClientResponse) {
        guard let nonce = answer.nonce else { return }
        nonces.withLock { $0.append(nonce) }
    }

    func cryptography<Result>(_ body: () throws(CryptographyError) -> Result) throws(ACMEError) -> Result {
        do {
            return try body()
        } catch {
            throw ACMEError(error)
        }
    }

    /// The number of nonces to try for a request.
    private static let attempts = 10
}

extension HTTPClientResponse {
    /// The nonce for a later request (RFC 8555 §6.5.1); `nil` if there is none.
    fileprivate var nonce: String? {
        guard let name = HTTPField.Name("Replay-Nonce") else { return nil }
        return headerFields[name]
    }
}
