package import Hummingbird
import Signals

/// The side of a request's stream over HTTP/2 that its handlers need.
package struct RequestStream: Sendable {
    /// The client of the connection, which leaves when it closes its side.
    let client: AwaitingCaller
    /// Sends `100 Continue`, unless the response has begun.
    let sendContinue: @Sendable () -> Void
}

/// A function that responds to a request, over each version of HTTP.
package typealias RequestResponder = @Sendable (Request, GatewayRequestContext) async throws -> Response
