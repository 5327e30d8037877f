import Foundation
import Synchronization
import TestDoubles

/// A TCP server on loopback that runs a script on each connection, each in a thread of its own. The script answers,
/// stays silent or breaks off exactly as the test needs.
final class ScriptedServer: Sendable {
    typealias Script = @Sendable (ServerConnection) -> Void

    struct CouldNotListen: Error {}

    /// A count of connections, shared with the accepting thread, so that the server itself can be released.
    private final class Count: Sendable {
        private let value = Mutex(0)
        var current: Int { value.withLock { $0 } }

        func increment() -> Int {
            value.withLock {
                $0 += 1
                return $0
            }
        }
    }

    let port: Int
    private let listener: Int32
    private let accepted = Count()

    /// Starts to listen. `script` gets each connection with its number, from 1, and its return closes the connection.
    init(_ script: @escaping Script) throws {
        (listener, port) = try loopbackSocket()
        guard listen(listener, 1_024) == 0 else { throw CouldNotListen() }
        let (listener, accepted) = (listener, accepted)
        Thread.detachNewThread {
            while case let socket = accept(listener, nil, nil), socket >= 0 {
                let connection = ServerConnection(socket: socket, number: accepted.increment())
                Thread.detachNewThread {
                    script(connection)
                    connection.close()
                }
            }
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The number of accepted connections.
    var connectionCount: Int { accepted.current }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Returns a server that gives every request the same answer, on any number of connections.
    static func answering(_ response: String) throws -> ScriptedServer {
        try ScriptedServer { connection in
            while connection.readRequest() != nil { connection.write(response) }
        }
    }

    /// Returns a server that reads and never answers.
    static func silent() throws -> ScriptedServer {
        try ScriptedServer { connection in
            while connection.readRequest() != nil {}
        }
    }
}
