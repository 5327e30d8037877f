package import DocumentStore

/// Secrets of the processes that share the databases, in a table beside the documents, which no reader of documents
/// sees.
extension PostgreSQLEngine {
    /// Returns a secret; `nil` if there is none of this name.
    package func secret(named name: String) throws(StoreError) -> [UInt8]? {
        try onConnection { connection in
            let rows = try connection.run(ServerSQL.selectSecret, [.text(name)])
            return rows.count > 0 ? rows.bytes(0, 0) : nil
        }
    }

    /// Stores a secret unless there is one of this name, and returns that which is stored.
    package func stored(_ secret: [UInt8], as name: String) throws(StoreError) -> [UInt8] {
        try onConnection { connection in
            let rows = try connection.run([
                Call(ServerSQL.insertSecret, [.text(name), .blob(secret)]),
                Call(ServerSQL.selectSecret, [.text(name)]),
            ])
            return rows[1].bytes(0, 0) ?? secret
        }
    }

    /// Connects to a server, and returns its version.
    package static func serverVersion(_ configuration: PostgreSQLStoreConfiguration) throws(StoreError) -> String {
        do {
            return try Connection(configuration).run("SELECT current_setting('server_version')").text(0, 0) ?? ""
        } catch {
            throw StoreError(wrapping: error)
        }
    }

    /// Runs the closure on a connection of its own, on this thread.
    private func onConnection<Answer>(_ body: (Connection) throws -> Answer) throws(StoreError) -> Answer {
        do {
            return try body(try Connection(configuration))
        } catch {
            throw StoreError(wrapping: error)
        }
    }
}
