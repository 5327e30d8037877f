import Foundation
import Synchronization

/// The error if no port of loopback is free.
package struct NoFreePort: Error {}

/// The ports that ``unusedPort()`` has returned.
private let usedPorts = Mutex<Set<Int>>([])

/// Returns a port of loopback on which no program listens, and which no other test gets.
///
/// The system gives programs ports above 32,768 if they ask for any, so the port is below.
package func unusedPort() throws -> Int {
    for _ in 0..<1_000 {
        let port = Int.random(in: 20_000..<32_000)
        guard usedPorts.withLock({ $0.insert(port).inserted }) else { continue }
        guard let (descriptor, _) = try? loopbackSocket(port) else { continue }
        close(descriptor)
        return port
    }
    throw NoFreePort()
}

/// Returns a socket bound to a port of 127.0.0.1, by default to any free one.
package func loopbackSocket(_ port: Int = 0) throws -> (descriptor: Int32, port: Int) {
    #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
            bind(descriptor, generic, length) == 0 ? getsockname(descriptor, generic, &length) : -1
        }
    }
    guard descriptor >= 0, status == 0 else {
        close(descriptor)
        throw NoFreePort()
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}
