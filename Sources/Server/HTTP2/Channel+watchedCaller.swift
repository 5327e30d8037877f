package import NIOCore
package import Signals

extension Channel {
    /// Returns the client of the present request: that of the connection over HTTP/1.1, or of the stream over HTTP/2.
    /// It leaves when it closes its side of the connection.
    package func watchedCaller() -> AwaitingCaller {
        let caller = AwaitingCaller()
        eventLoop.execute {
            let pipeline = self.pipeline.syncOperations
            if let exchanges = try? pipeline.handler(type: HTTP1ExchangeHandler.self) {
                exchanges.watch(caller)
            } else if let stream = try? pipeline.handler(type: HTTP2StreamHandler.self) {
                stream.watch(caller)
            }
        }
        return caller
    }
}
