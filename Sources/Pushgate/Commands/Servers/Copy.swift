import ArgumentParser
import Gateway
import Instance
import JSON
import Logging

/// The verb `copy`.
struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy everything of a gateway from one store to another: from SQLite to PostgreSQL, or back.",
        discussion: """
            Copies documents, photos and the gateway's own secrets, so devices and clients notice nothing. Stop all \
            gateways of both stores first. A store is sqlite: with a data directory, or a connection string of \
            PostgreSQL, whose password belongs into PGPASSFILE or store.passwordFile. The new store must be empty. A \
            copy that was interrupted goes on where it was when it is repeated; until then no gateway starts on the new \
            store. At the end both are read, and their numbers of documents and their digests compared. It takes the \
            options of “serve”, because indexes depend on its settings.
            """)

    @Option(
        help: ArgumentHelp(
            "The store to copy, such as sqlite:/var/lib/pushgate. The default is that of the settings.",
            valueName: "STORE"))
    var from: String?

    @Option(
        help: ArgumentHelp(
            "The new store, such as postgres://pushgate@db.example.com/pushgate. The default is that of the settings.",
            valueName: "STORE")
    )
    var to: String?

    @Flag(help: "Copy all other documents if some cannot be read. Without it such a copy fails.")
    var leaveOutUnreadable = false

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func validate() throws {
        guard from != nil || to != nil else {
            throw ValidationError("name one of the stores, with --from or --to; the other one is that of the settings.")
        }
    }

    func run() async throws {
        let configuration = try await options.reader()()
        let own = StorePlace(of: configuration)
        let (source, target) = (try from.map { try StorePlace($0) } ?? own, try to.map { try StorePlace($0) } ?? own)
        let result = try await ProgressLine.showing { line in
            try await StoreCopy.copy(
                from: source, to: target, configuration, leavesOutUnreadable: leaveOutUnreadable,
                logger: Logger(label: "pushgate.copy", factory: { HumanLogHandler(label: $0) }),
                report: line.isShown ? line.report : nil)
        }
        guard !json else { return print(result.json.text) }
        print(
            """
            copied \(result.written) documents and \(result.files) files from \(source) to \(target)
            Both have \(result.contents.documents) documents, with SHA-256 \(result.contents.digest).
            """)
        if result.unreadable > 0 { print("Documents that cannot be read, and were left out: \(result.unreadable).") }
    }
}

extension StoreCopy.Result {
    fileprivate var json: JSONValue {
        [
            "documents": .integer(Int64(contents.documents)), "sha256": .string(contents.digest),
            "written": .integer(Int64(written)), "files": .integer(Int64(files)),
            "unreadable": .integer(Int64(unreadable)),
        ]
    }
}
