package import HTTPTypes
package import Hummingbird

extension Request {
    /// The token after `Bearer` in the authorization field (RFC 6750 §2.1); `nil` if there is none.
    package var bearerToken: String? { headers.bearerToken }
}

extension HTTPFields {
    /// The token after `Bearer` in the authorization field (RFC 6750 §2.1); `nil` if there is none.
    package var bearerToken: String? {
        let scheme = "bearer "
        guard let header = self[.authorization], header.prefix(scheme.count).lowercased() == scheme else {
            return nil
        }
        return String(header.dropFirst(scheme.count))
    }
}
