import NIOHTTP2

/// Notices that NIO has given a connection up.
///
/// NIO tells the pipeline of errors of one stream and of the whole connection in the same way, but only for the latter
/// does it send GOAWAY. One for each connection, used on its event loop only.
final class GoAwayWatch: NIOHTTP2FrameDelegate {
    private(set) var sawError = false

    func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { sawError = true }
    }
}
