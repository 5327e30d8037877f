import Foundation
package import Hummingbird
package import IPAddresses
package import NIOCore

/// The information about a request that its handlers need besides the request itself.
package struct GatewayRequestContext: RequestContext {
    /// The part that the router needs.
    package var coreContext: CoreRequestContextStorage
    /// The address of the other end of the connection, which may be a proxy.
    package let peer: IPAddress?
    /// The hosts under which clients reach the listener, besides the names of the gateway.
    package var listenerHosts: [String] = []
    /// The path and query as the client sent them; `nil` outside of a listener.
    package var target: String?
    /// The id of the service account's key with which the client got its access token; `nil` without one.
    package var account: String?
    /// `true` for a call of a web page of another origin that the operator allows to make it.
    package var isFromAllowedPage = false
    /// The connection.
    package let channel: any Channel
    /// The request's stream; `nil` over HTTP/1.1.
    package var stream: RequestStream?

    /// Creates the context of a request from its connection.
    package init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress.flatMap(IPAddress.init)
    }
}

extension Parameters {
    /// Returns a whole number in the range; `nil` if the parameter is absent.
    ///
    /// - Throws: `INVALID_ARGUMENT` for any other value.
    package func integer(_ name: Substring, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let value = Int(text), range.contains(value) else {
            let upper = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw .invalidArgument("\(name) must be a whole number from \(range.lowerBound)\(upper)")
        }
        return value
    }
}

extension Parameters {
    /// Returns the value of a parameter with two names, in lowerCamelCase and snake_case.
    package func either(_ name: Substring, _ otherName: Substring) -> String? {
        (self[name] ?? self[otherName]).map(String.init)
    }
}

extension RequestContext {
    /// Returns a decoded segment of the path. Clients also percent-encode characters that need no encoding.
    package func decodedParameter(_ name: String) throws -> String {
        let text = try parameters.require(name)
        return text.removingPercentEncoding ?? text
    }
}
