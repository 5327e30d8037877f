import CPostgreSQL
import DocumentStore
import Foundation

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
    private var handle: OpaquePointer?
    private var names: [String: String] = [:]
    private var buffer = ParameterBuffer()
    /// The requests to end a result that is read in pages; `nil` if there can be none.
    var interruption: Interruption?
    /// The greatest number of prepared statements. The texts of queries have any number of forms.
    private static let mostStatements = 256

    /// The settings for keywords that a connection string leaves out: a server is given up after some seconds, and of
    /// several servers the one that accepts changes is used.
    private static func defaults(_ patience: Duration) -> [(String, String)] {
        [
            ("fallback_application_name", "pushgate"), ("target_session_attrs", "read-write"),
            // libpq takes one second for two.
            ("connect_timeout", "\(max(2, min(5, Int(patience / .seconds(1)))))"),
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", milliseconds(patience)),
        ]
    }

    /// The time after which a server, or on its side a client, that is silent is given up.
    static let patience = Duration.seconds(15)

    private static func milliseconds(_ duration: Duration) -> String { "\(Int(duration / .milliseconds(1)))" }

    /// Connects to the server.
    ///
    /// - Parameter patience: the time after which a server that is silent is given up, if the connection string names
    ///   no other.
    init(_ configuration: PostgreSQLStoreConfiguration, patience: Duration = Connection.patience) throws {
        // Those of the connection string come last.
        let password = configuration.password.map { [("password", $0)] } ?? []
        let settings = Self.defaults(patience) + password + [("dbname", configuration.url)]
        handle = Self.connected(settings)
        if PQstatus(handle) != CONNECTION_OK {
            let error = PostgreSQLError(handle)
            // libpq tries no further host after one that is there, and cannot serve.
            let isAnswer = String(cString: PQerrorMessage(handle)).contains("FATAL")
            let hosts = isAnswer ? PostgreSQLStoreConfiguration.hosts(in: configuration.url) : []
            for host in hosts where hosts.count > 1 && PQstatus(handle) != CONNECTION_OK {
                PQfinish(handle)
                handle = Self.connected(settings + host.map { ($0.key, $0.value) })
            }
            guard PQstatus(handle) == CONNECTION_OK else { throw error }
        }
        // Notices go to the standard error otherwise.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        // Plans for the values of one call take longer to make than to carry out. Servers that are not PostgreSQL
        // itself may not have this setting, nor the last one.
        try? run(script: "SET plan_cache_mode = force_generic_plan")
        // A process that is stopped in the middle of a commit holds up those of all others: between two statements, or
        // while it is sent rows.
        try run(script: "SET idle_in_transaction_session_timeout = '5s'")
        try? run(script: "SET tcp_user_timeout = \(Self.milliseconds(Self.patience))")
    }

    deinit { PQfinish(handle) }

    /// Connects to the first host that can be used. Of values for one keyword, libpq takes the last.
    private static func connected(_ settings: [(String, String)]) -> OpaquePointer? {
        let texts = settings.flatMap { [strdup($0.0), strdup($0.1)] }
        defer { for text in texts { free(text) } }
        let keywords = stride(from: 0, to: texts.count, by: 2).map { UnsafePointer(texts[$0]) } + [nil]
        let values = stride(from: 1, to: texts.count, by: 2).map { UnsafePointer(texts[$0]) } + [nil]
        return PQconnectdbParams(keywords, values, 1)
    }

    /// `true` while statements are under way, and after those whose results did not come to their end.
    private var isAmidStatements = false

    /// `false` if the connection has failed, or cannot be used any longer.
    var isAlive: Bool { !isAmidStatements && PQstatus(handle) == CONNECTION_OK }

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
        if names.count + calls.count > Self.mostStatements {
            try run(script: "DEALLOCATE ALL")
            names = [:]
        }
        let names = try calls.map { try name(of: $0.sql) }
        guard PQenterPipelineMode(handle) == 1 else { throw PostgreSQLError(handle) }
        isAmidStatements = true
        defer { PQexitPipelineMode(handle) }
        for (call, name) in zip(calls, names) { try send(call.parameters, to: name) }
        guard PQpipelineSync(handle) == 1 else { throw PostgreSQLError(handle) }
        return try results(of: calls.count)
    }

    /// Runs the closure in a transaction that changes nothing, all of whose statements see one state.
    ///
    /// - Parameters:
    ///   - first: the first statement.
    ///   - body: takes its rows.
    func inSnapshot<Answer>(first: Call, _ body: (Connection, Rows) throws -> Answer) throws -> Answer {
        let result = Result {
            let begin = Call("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return try body(self, try run([begin, first])[1])
        }
        if isAlive { try? run(script: "ROLLBACK") }
        return try result.get()
    }

    /// Runs the closure in a transaction, which is committed if the closure does not fail.
    func inTransaction(_ body: (Connection) throws -> Void) throws {
        try run(script: "BEGIN")
        do {
            try body(self)
            try run(script: "COMMIT")
        } catch {
            if isAlive { try? run(script: "ROLLBACK") }
            throw error
        }
    }

    private func results(of count: Int) throws -> [Rows] {
        var rows: [Rows] = []
        var failure: PostgreSQLError?
        var hasEnded = false
        while true {
            // NULL ends the results of one statement. Of a connection that was lost, there is nothing else.
            guard let result = PQgetResult(handle) else {
                if hasEnded { throw failure ?? PostgreSQLError(handle) }
                hasEnded = true
                continue
            }
            hasEnded = false
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                isAmidStatements = false
                if let failure { throw failure }
                return rows
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows.append(Rows(result))
            case PGRES_PIPELINE_ABORTED: PQclear(result)
            default:
                failure = failure ?? PostgreSQLError(result, handle)
                PQclear(result)
            }
        }
    }

    /// Waits for notices ([asynchronous notification](https://www.postgresql.org/docs/15/libpq-notify.html)).
    ///
    /// - Returns: `true` if some came from others than the sender.
    func waitForNotices(except sender: String, atMost patience: Duration) throws -> Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, Int32(patience / .milliseconds(1)))
        guard PQconsumeInput(handle) == 1 else { throw PostgreSQLError(handle) }
        var isOfOthers = false
        while let notice = PQnotifies(handle) {
            if let text = notice.pointee.extra, String(cString: text) != sender { isOfOthers = true }
            PQfreemem(notice)
        }
        return isOfOthers
    }

    private func send(_ parameters: [Parameter], to name: String) throws {
        let sent = buffer.with(parameters) { values, lengths, formats in
            PQsendQueryPrepared(handle, name, Int32(values.count), values, lengths, formats, 1)
        }
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
