import NIOCore
package import Signals

extension GatewayRequestContext {
    /// Returns the client of the present request. It leaves when it closes its side of the connection; over HTTP/2 the
    /// end of a stream cancels the task of its request.
    package func watchedCaller() -> AwaitingCaller { stream?.client ?? channel.watchedCaller() }
}

extension Channel {
    /// Returns the client of the present request of a connection over HTTP/1.1.
    func watchedCaller() -> AwaitingCaller {
        let caller = AwaitingCaller()
        eventLoop.execute {
            (try? self.pipeline.syncOperations.handler(type: HTTP1ExchangeHandler.self))?.watch(caller)
        }
        return caller
    }
}
