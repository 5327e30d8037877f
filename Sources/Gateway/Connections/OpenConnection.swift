internal import NIOCore
internal import Synchronization

/// A connection to any of the listeners.
///
/// Its requests are counted with atomics: they begin and end more often than anybody looks at them.
final class OpenConnection: Sendable {
    private let channel: any Channel
    private let requests = Atomic<Int>(0)
    private let idleNanoseconds: Atomic<UInt64>

    init(_ channel: any Channel) {
        self.channel = channel
        idleNanoseconds = Atomic(NIODeadline.now().uptimeNanoseconds)
    }

    /// The client's; `nil` if it is not known, or not yet.
    var address: IPAddress? { channel.remoteAddress.flatMap(IPAddress.init) }

    func requestBegan() { requests.wrappingAdd(1, ordering: .relaxed) }

    func requestEnded() {
        guard requests.wrappingSubtract(1, ordering: .relaxed).newValue <= 0 else { return }
        idleNanoseconds.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed)
    }

    /// Since when no request has been under way; `nil` if one is.
    var idleSince: NIODeadline? {
        guard requests.load(ordering: .relaxed) <= 0 else { return nil }
        return .uptimeNanoseconds(idleNanoseconds.load(ordering: .relaxed))
    }

    func whenClosed(_ body: @escaping @Sendable () -> Void) { channel.closeFuture.whenComplete { _ in body() } }

    /// Closes the socket at once, without the farewells of TLS, which would keep the descriptor for a while.
    func close() {
        channel.eventLoop.execute { [channel] in
            let context = try? channel.pipeline.syncOperations.context(handlerType: WriteDeadlineHandler.self)
            if let context { context.close(promise: nil) } else { channel.close(promise: nil) }
        }
    }
}
