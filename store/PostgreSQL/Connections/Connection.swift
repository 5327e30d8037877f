import CPostgreSQL
import DocumentStore

/// A statement with its parameters.
struct Call: Sendable {
    let sql: String
    let parameters: [Parameter]

    init(_ sql: String, _ parameters: [Parameter] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}

/// A connection to the server, which one thread uses at a time. Statements are prepared once.
final class Connection {
    private let handle: OpaquePointer?
    private var names: [String: String] = [:]

    /// Connects to the server.
    ///
    /// - Parameter url: a connection string of libpq.
    init(_ url: String) throws {
        handle = PQconnectdb(url)
        guard PQstatus(handle) == CONNECTION_OK else { throw PostgreSQLError(handle) }
        // Notices go to the standard error otherwise.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        // A process that is stopped in the middle of a commit holds up those of all others.
        try run(script: "SET idle_in_transaction_session_timeout = '10s'")
    }

    deinit { PQfinish(handle) }

    /// `false` if the connection has failed.
    var isAlive: Bool { PQstatus(handle) == CONNECTION_OK }

    /// Runs statements without parameters.
    func run(script: String) throws {
        let result = PQexec(handle, script)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK else {
            throw PostgreSQLError(result, handle)
        }
    }

    func run(_ sql: String, _ parameters: [Parameter] = []) throws -> Rows {
        try run([Call(sql, parameters)])[0]
    }

    /// Runs statements one after the other, with one round trip for all of them. The first that fails ends them.
    func run(_ calls: [Call]) throws -> [Rows] {
        let names = try calls.map { try name(of: $0.sql) }
        guard PQenterPipelineMode(handle) == 1 else { throw PostgreSQLError(handle) }
        defer { PQexitPipelineMode(handle) }
        for (call, name) in zip(calls, names) { try send(call.parameters, to: name) }
        guard PQpipelineSync(handle) == 1 else { throw PostgreSQLError(handle) }
        return try results(of: calls.count)
    }

    /// Runs the closure in a transaction that changes nothing, all of whose statements see one state.
    func inSnapshot<Answer>(_ body: (Connection) throws -> Answer) throws -> Answer {
        try run(script: "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        let result = Result { try body(self) }
        if isAlive { try? run(script: "ROLLBACK") }
        return try result.get()
    }

    private func results(of count: Int) throws -> [Rows] {
        var rows: [Rows] = []
        var failure: PostgreSQLError?
        while true {
            // NULL ends the results of one statement.
            guard let result = PQgetResult(handle) else {
                guard isAlive else { throw PostgreSQLError(handle) }
                continue
            }
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                if let failure { throw failure }
                return rows
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows.append(Rows(result))
            case PGRES_PIPELINE_ABORTED: PQclear(result)
            default:
                failure = failure ?? PostgreSQLError(result, handle)
                PQclear(result)
                guard isAlive else { throw failure ?? PostgreSQLError(handle) }
            }
        }
    }

    private func send(_ parameters: [Parameter], to name: String) throws {
        let values = parameters.map(\.bytes)
        let buffers = values.map { $0.map { bytes in UnsafeMutableBufferPointer<CChar>.copy(of: bytes) } }
        defer { for buffer in buffers { buffer?.deallocate() } }
        let sent = PQsendQueryPrepared(
            handle, name, Int32(parameters.count), buffers.map { $0.map { UnsafePointer($0.baseAddress!) } },
            values.map { Int32($0?.count ?? 0) }, parameters.map { _ in 1 }, 1)
        guard sent == 1 else { throw PostgreSQLError(handle) }
    }

    /// Returns the name of the prepared statement.
    private func name(of sql: String) throws -> String {
        if let name = names[sql] { return name }
        let name = "s\(names.count)"
        let result = PQprepare(handle, name, sql, 0, nil)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw PostgreSQLError(result, handle) }
        names[sql] = name
        return name
    }
}

extension UnsafeMutableBufferPointer<CChar> {
    /// Returns a copy of at least one byte, whose address is never NULL.
    fileprivate static func copy(of bytes: [UInt8]) -> Self {
        let buffer = allocate(capacity: Swift.max(1, bytes.count))
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
        return buffer
    }
}
