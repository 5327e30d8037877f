import NIOHTTP2

/// Notices that NIO has given a connection up.
///
/// NIO tells the pipeline of errors of one stream and of the whole connection in the same way, but only for the latter
/// does it send GOAWAY. What the simulator itself says goodbye with does not pass here (``GoAwayFrame``). One for each
/// connection, used on its event loop only.
final class GoAwayWatch: NIOHTTP2FrameDelegate {
    private(set) var sawError = false
    private let history: NotificationHistory

    init(history: NotificationHistory) {
        self.history = history
    }

    func wroteFrame(_ frame: HTTP2Frame) {
        guard case .goAway = frame.payload else { return }
        sawError = true
        history.count { $0.goAwaysSent += 1 }
    }
}
