import DocumentStore
import Emulator
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import ServiceLifecycle

/// The stream of server-sent events ([HTML](https://html.spec.whatwg.org/multipage/server-sent-events.html)) that tells
/// pages of the console when something has changed: at most once a second, and every ten seconds in any case, because
/// counts and times go on.
struct ConsoleChanges: Sendable {
    /// A page loads the stream again after this time.
    private static let longest = Duration.seconds(10 * 60)
    private static let beat = Duration.seconds(10)

    let store: any DocumentStore
    let inbox: Inbox
    /// Returns `false` once the user's session has ended, and the stream with it.
    let isSignedIn: @Sendable () -> Bool

    var response: Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
                let end = ContinuousClock.now + Self.longest
                var last = state
                var beatAt = ContinuousClock.now + Self.beat
                while ContinuousClock.now < end {
                    try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
                    try Task.checkCancellation()
                    if Task.isShuttingDownGracefully || !isSignedIn() { break }
                    let (now, state) = (ContinuousClock.now, state)
                    guard state != last || now >= beatAt else { continue }
                    (last, beatAt) = (state, now + Self.beat)
                    try await writer.write(ByteBuffer(string: "event: change\ndata: \n\n"))
                }
                try await writer.finish(nil)
            })
    }

    /// A value that changes with the documents and the inbox.
    private var state: [Int64] { [store.readTime.microseconds, Int64(inbox.lastSequence)] }
}
