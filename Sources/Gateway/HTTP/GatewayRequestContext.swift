import Foundation
import Hummingbird
import NIOCore

/// The information about a request that its handlers need besides the request itself.
struct GatewayRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the other end of the connection, which may be a proxy.
    let peer: IPAddress?
    /// `true` if the request arrived at a listener for clients that expect Google's hosts.
    var isForGoogle = false
    /// The path and query as the client sent them; `nil` outside of a listener.
    var target: String?
    /// The id of the service account's key with which the client got its access token; `nil` without one.
    var account: String?
    /// The HTTP/1.1 connection or the HTTP/2 stream.
    let channel: any Channel

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress.flatMap(IPAddress.init)
    }
}

extension Parameters {
    /// Returns a whole number in the range; `nil` if the parameter is absent.
    ///
    /// - Throws: `INVALID_ARGUMENT` for any other value.
    func integer(_ name: Substring, in range: ClosedRange<Int>) throws(APIError) -> Int? {
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
    func either(_ name: Substring, _ otherName: Substring) -> String? {
        (self[name] ?? self[otherName]).map(String.init)
    }
}

extension RequestContext {
    /// Returns a decoded segment of the path. Clients also percent-encode characters that need no encoding.
    func decodedParameter(_ name: String) throws -> String {
        let text = try parameters.require(name)
        return text.removingPercentEncoding ?? text
    }
}
