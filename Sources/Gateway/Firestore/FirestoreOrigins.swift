import HTTPTypes
import RequestRules
import Server

/// The rule for calls by web pages. It is the rule of the gateway's other endpoints without credentials, and allows the
/// pages of `firestore.allowedOrigins` as well.
///
/// Any page can post `text/plain` to this machine without asking first, so the refusal must not depend on the content
/// type or on a preflight request.
struct FirestoreOrigins: Sendable {
    let policy: OriginPolicy
    let allowed: [AllowedOrigin]
    let clientAddress: ClientAddress

    /// Returns the reason to refuse a call without a token of this gateway; `nil` if there is none.
    func refusal(of request: FirestoreRequest) -> OriginRefusal? {
        let facts = OriginPolicy.Request(
            authority: request.authority, headerFields: request.headerFields, listenerHosts: request.listenerHosts,
            isFromTrustedProxy: request.peer.map(clientAddress.isTrusted) ?? false)
        guard isListed(facts.origin) else { return policy.refusal(of: facts) }
        // The page is allowed, but its name for the gateway must still be the gateway's.
        var rest = facts
        (rest.origin, rest.fetchSite) = (nil, nil)
        return policy.refusal(of: rest)
    }

    /// Returns the origin of a request by an allowed page, which may read the answer; `nil` for other requests.
    func allowedOrigin(of request: FirestoreRequest) -> String? {
        guard let origin = request.headerFields[.origin], refusal(of: request) == nil else { return nil }
        return origin
    }

    private func isListed(_ origin: String?) -> Bool {
        guard let origin = origin.flatMap({ WebOrigin($0) }) else { return false }
        return allowed.contains { $0.covers(origin) }
    }
}
