import GRPC
import NIOCore
import Signals

/// The parts of an HTTP/2 connection that the work of its streams needs, on any thread.
struct ConnectionAccess: Sendable {
    let channel: any Channel
    /// The client, which leaves when it closes its side. A client that is killed does so like one that sends no more
    /// requests, so both count as gone, as over HTTP/1.1. Complete requests are answered nevertheless.
    let client: AwaitingCaller
    /// A function that runs work in a task.
    let start: GRPCStreamHandler.Starter
    /// A function that runs work on the event loop, and then sends what it has written.
    let onLoop: GRPCStreamHandler.LoopRunner
}
