#if canImport(Glibc)
    import Dispatch
    import Foundation
    import Synchronization

    /// A name server that reads questions and never answers, for one thread and those that it starts.
    ///
    /// The thread gets a file system in which `/etc/resolv.conf` is another file, so the rest of the process and the
    /// machine keep their name servers. This needs the rights of root.
    enum SilentNameServer {
        private typealias Unshare = @convention(c) (Int32) -> Int32
        private typealias Mount =
            @convention(c) (
                UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UInt, UnsafeRawPointer?
            ) -> Int32

        private static let address = "127.53.53.53"
        /// The time after which a look-up fails by itself.
        static let lookUpTime = Duration.seconds(150)

        /// `true` if this process may have such a thread.
        static let isAvailable: Bool = {
            let answer = Mutex(false)
            let end = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let hasEntered = enter()
                answer.withLock { $0 = hasEntered }
                end.signal()
            }
            end.wait()
            return answer.withLock { $0 }
        }()

        /// Returns the result of a function that runs on such a thread; `nil` if this process may not have one.
        static func result<Result: Sendable>(of function: @escaping @Sendable () -> Result) async -> Result? {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: enter() ? function() : nil) }
            }
        }

        /// Gives the calling thread the name server.
        private static func enter() -> Bool {
            guard let configuration, let unshare = symbol("unshare", as: Unshare.self),
                let mount = symbol("mount", as: Mount.self)
            else { return false }
            // CLONE_NEWNS; MS_REC and MS_PRIVATE; MS_BIND.
            guard unshare(0x2_0000) == 0, mount("none", "/", nil, 0x4000 | 0x4_0000, nil) == 0 else { return false }
            return mount(configuration, "/etc/resolv.conf", nil, 0x1000, nil) == 0
        }

        /// Returns a function that Glibc's headers hide from Swift.
        private static func symbol<Function>(_ name: String, as type: Function.Type) -> Function? {
            dlsym(nil, name).map { unsafeBitCast($0, to: type) }
        }

        /// The path of a `resolv.conf` that names the server; `nil` if that has no port.
        private static let configuration: String? = {
            guard hasPort else { return nil }
            let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).conf").path
            let text = "nameserver \(address)\noptions timeout:30 attempts:5\n"
            return (try? text.write(toFile: path, atomically: true, encoding: .utf8)) == nil ? nil : path
        }()

        /// Opens the server's port, for the rest of the process.
        private static var hasPort: Bool {
            let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            var server = sockaddr_in()
            server.sin_family = sa_family_t(AF_INET)
            server.sin_port = UInt16(53).bigEndian
            server.sin_addr.s_addr = inet_addr(address)
            let status = withUnsafePointer(to: &server) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    bind(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            return descriptor >= 0 && status == 0
        }
    }
#endif
