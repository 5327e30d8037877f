import GRPC
import NIOCore

/// The work that the streams of a connection can carry, chosen by the content type of each.
struct StreamServices {
    let requests: RequestService
    let grpc: GRPCService
    let access: ConnectionAccess

    /// Begins the work of a stream.
    ///
    /// - Parameter isWhole: `true` if nothing follows the head.
    func serve(_ stream: HTTP2Stream, _ head: HTTP2Fields, isWhole: Bool) {
        if GRPCCall.isCall(head) {
            let call = grpc.handler(of: stream, access)
            stream.service = call
            call.begin(head, from: access.channel.remoteAddress, isWhole: isWhole)
        } else {
            let request = RequestStreamHandler(requests, access, on: stream)
            stream.service = request
            request.begin(head, isWhole: isWhole)
        }
    }
}
