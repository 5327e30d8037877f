internal import Hummingbird
internal import NIOCore

/// What a handler knows of a request beside the request itself.
struct GatewayRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection, a proxy perhaps.
    let peer: IPAddress?
    /// A Boolean value indicating whether it came by a listener for clients that look for Google.
    var isForGoogle = false
    /// The connection with HTTP/1.1, or the stream of HTTP/2.
    let channel: any Channel

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress.flatMap(IPAddress.init)
    }
}
