import Metrics
import NIOCore

/// The HTTP/2 responses of one connection that wait until their client opens the flow-control windows (RFC 9113
/// §5.2).
///
/// All streams share one timer, which runs while there is a stream.
final class StreamWrites {
    private let period: TimeAmount
    private let eventLoop: any EventLoop
    /// A function that looks at all streams, and returns `false` if there is none.
    private let look: (_ isConnectionMoving: Bool) -> Bool
    private var timer: Scheduled<Void>?
    /// The response bytes that have left on any stream since the last check.
    private var taken = 0

    /// Creates the checks of a connection without a stream.
    ///
    /// - Parameters:
    ///   - period: The interval between two checks.
    ///   - look: A function that looks at all streams, and returns `false` if there is none.
    init(
        period: TimeAmount, eventLoop: any EventLoop, look: @escaping (_ isConnectionMoving: Bool) -> Bool
    ) {
        self.period = period
        self.eventLoop = eventLoop
        self.look = look
    }

    /// Begins to check, because there is a stream.
    func begin() {
        if timer == nil { setTimer() }
    }

    /// Ends the checks with the connection.
    func end() {
        timer?.cancel()
        timer = nil
    }

    func take(_ count: Int) { taken += count }

    private func setTimer() {
        timer = eventLoop.assumeIsolated().scheduleTask(in: period) { [weak self] in self?.check() }
    }

    private func check() {
        timer = nil
        let isConnectionMoving = taken >= WriteProgress.leastBytes
        taken = 0
        if look(isConnectionMoving) { setTimer() }
    }
}

/// The pace at which the client reads the response of one stream.
struct StreamPace {
    /// The maximum number of checks without progress while the connection itself moves, because other streams may be
    /// served first.
    private static let mostQuietLooks = 15

    private var progress = WriteProgress()
    private var taken = 0
    private var quietLooks = 0

    mutating func write(_ count: Int) { progress.write(count) }

    mutating func take(_ count: Int) { taken += count }

    /// Returns `true` if the client does not read the response, and counts that.
    mutating func isStalled(isConnectionMoving: Bool) -> Bool {
        guard case .stalled = progress.look(waiting: progress.written - taken) else {
            quietLooks = 0
            return false
        }
        quietLooks += 1
        guard !isConnectionMoving || quietLooks > Self.mostQuietLooks else { return false }
        Counter(label: "pushgate_connections_closed_total", dimensions: [("reason", "not_reading")]).increment()
        return true
    }
}
