import CCurl
import Signals
import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A named POSIX thread that runs a closure once.
final class LoopThread: Sendable {
    /// The values that the new thread receives.
    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    private struct Handle: @unchecked Sendable {  // because any thread may use a thread's id
        let id: pthread_t
    }

    private let handle: Mutex<Handle?>

    /// Starts the thread; `nil` if the system has no threads left.
    ///
    /// - Parameter name: the name that tools such as `top -H` show; at most 15 bytes.
    init?(name: String, _ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(name: name, run: run))
        guard let id = Self.create(body.toOpaque()) else {
            body.release()
            return nil
        }
        handle = Mutex(Handle(id: id))
    }

    deinit {
        if let handle = handle.withLock({ $0 }) { pthread_detach(handle.id) }
    }

    /// Waits until the thread has ended. Only the first call waits; others return at once.
    func join() {
        let taken = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let taken { pthread_join(taken.id, nil) }
    }

    private static func begin(_ context: UnsafeMutableRawPointer) {
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        setName(body.name)
        ignoreBrokenPipes()
        body.run()
    }

    /// Blocks SIGPIPE: a write to a connection that the peer has closed must fail the request, not end the process.
    private static func ignoreBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    #if canImport(Darwin)
        private static func create(_ context: UnsafeMutableRawPointer) -> pthread_t? {
            var id: pthread_t?
            let status = pthread_create(
                &id, nil,
                {
                    LoopThread.begin($0); return nil
                }, context)
            return status == 0 ? id : nil
        }

        private static func setName(_ name: String) {
            pthread_setname_np(name)
        }
    #else
        private static func create(_ context: UnsafeMutableRawPointer) -> pthread_t? {
            var id = pthread_t()
            let status = pthread_create(
                &id, nil,
                { context in
                    if let context { LoopThread.begin(context) }
                    return nil
                }, context)
            return status == 0 ? id : nil
        }

        private static func setName(_ name: String) {
            CCurl_set_thread_name(name)
        }
    #endif
}

/// The end of the transport's thread, for any number of waiting tasks.
final class CompletionLatch: Sendable {
    private let hasEnded = Mutex(false)
    private let ended = Signal()

    func signal() {
        hasEnded.withLock { $0 = true }
        ended.notify()
    }

    /// Waits for the end, even if the task is cancelled.
    func wait() async {
        await ended.waitEvenIfCancelled { self.hasEnded.withLock { $0 } }
    }
}
