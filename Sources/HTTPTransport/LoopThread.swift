internal import CCurl
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// One named POSIX thread that runs a body to its end.
final class LoopThread: Sendable {
    /// What crosses over to the new thread.
    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    private struct Handle: @unchecked Sendable {  // because any thread may call what takes a thread's id
        let id: pthread_t
    }

    private let handle: Mutex<Handle?>

    /// Starts the thread; `nil` when the system has none left.
    ///
    /// - Parameter name: at most 15 bytes; what tools such as `top -H` show.
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

    /// Waits until the thread has ended; only the first caller does, the others return at once.
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

    /// Writing to a connection that the peer has closed must be an error of that request, not the end of the process.
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
