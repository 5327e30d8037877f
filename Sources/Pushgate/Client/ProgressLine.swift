import Foundation
import Instance
import Synchronization

/// A line on the terminal with the progress of a verb. Without a terminal nothing is printed.
final class ProgressLine: Sendable {
    private struct State {
        var activity = ""
        var start = ContinuousClock.now
        var first = 0
        var lastPrint: ContinuousClock.Instant?
    }

    private static let interval = Duration.milliseconds(200)

    /// `true` if there is a terminal to show it on.
    let isShown = isatty(STDERR_FILENO) == 1
    private let state = Mutex(State())

    /// The function that shows the progress.
    var report: TransferProgress.Report { { [self] in show($0) } }

    private func show(_ progress: TransferProgress) {
        guard isShown else { return }
        state.withLock { state in
            let now = ContinuousClock.now
            if state.activity != progress.activity {
                state = State(activity: progress.activity, start: now, first: progress.done)
            }
            guard state.lastPrint.map({ now - $0 >= Self.interval }) ?? true else { return }
            state.lastPrint = now
            Self.write("\r" + progress.text(after: now - state.start, from: state.first) + Self.clearToEnd)
        }
    }

    /// Removes the line.
    func clear() {
        state.withLock { state in
            if !state.activity.isEmpty { Self.write("\r" + Self.clearToEnd) }
            state = State()
        }
    }

    /// The control sequence that clears the line from the cursor on (ECMA-48, EL).
    private static let clearToEnd = "\u{1B}[K"

    private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    /// Runs a body that reports its progress, and removes the line at its end.
    static func showing<Output>(_ body: (ProgressLine) async throws -> Output) async rethrows -> Output {
        let line = ProgressLine()
        defer { line.clear() }
        return try await body(line)
    }
}
