import HTTPClient
import JSON

/// The URLs of a certificate authority's resources (RFC 8555 §7.1.1).
struct Directory: Hashable, Sendable {
    let newNonce: String
    let newAccount: String
    let newOrder: String
    let revokeCert: String
    /// The URL of renewal information (RFC 9773 §4.1); `nil` if the authority offers none.
    let renewalInfo: String?
    /// The terms of service; `nil` if there are none.
    let termsOfService: String?

    /// Reads a directory; `nil` if a resource is missing.
    init?(_ json: JSONValue?) {
        guard let newNonce = json?["newNonce"]?.string, let newAccount = json?["newAccount"]?.string,
            let newOrder = json?["newOrder"]?.string, let revokeCert = json?["revokeCert"]?.string
        else { return nil }
        self.newNonce = newNonce
        self.newAccount = newAccount
        self.newOrder = newOrder
        self.revokeCert = revokeCert
        renewalInfo = json?["renewalInfo"]?.string
        termsOfService = json?["meta"]?["termsOfService"]?.string
    }
}

extension Directory {
    /// Reads the directory at a URL.
    static func read(_ url: String, _ http: HTTPClient) async throws(ACMEError) -> Directory {
        let answer = try await http.answer(to: HTTPClientRequest(url: url))
        guard answer.statusCode == 200 else { throw ACMEError(answer) }
        guard let directory = Directory(try? JSONValue(parsing: answer.body)) else {
            throw .unexpected("the directory lacks the URLs of RFC 8555; check the URL")
        }
        return directory
    }
}

extension HTTPClient {
    /// Sends a request and returns the answer, with any status.
    func answer(to request: HTTPClientRequest) async throws(ACMEError) -> HTTPClientResponse {
        do {
            return try await execute(request)
        } catch {
            throw ACMEError(error)
        }
    }
}
