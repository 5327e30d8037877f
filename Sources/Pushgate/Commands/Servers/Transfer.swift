import ArgumentParser
import DocumentStore
import Foundation
import Gateway
import Instance
import JSON
import Logging

/// The verb `export`.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write all documents of a gateway to one file, as lines of JSON.",
        discussion: """
            The file has the documents of all databases with Firestore's typed values, with whole device tokens: it is \
            a secret, and only this user can read it. Keys and photos are not part of it; “backup” has them. A running \
            gateway goes on while its documents are exported. “import” puts them into a new data directory.
            """)

    @Argument(help: ArgumentHelp("The path of the new file, such as pushgate.jsonl.", valueName: "FILE"))
    var file: String

    @Option(help: ArgumentHelp("A backup to export, instead of the data directory.", valueName: "FILE"))
    var from: String?

    @OptionGroup var options: LocalGatewayOptions

    func run() async throws {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandError("\(file) exists already. Name another file, or remove it.")
        }
        let export = try await ProgressLine.showing { try await self.export($0) }
        guard !options.json else { return print(export.json.text) }
        print(
            """
            \(file): \(export.documentCount) documents, as of \(export.madeAt); SHA-256 \(export.digest)
            It has whole device tokens: keep it like a key.
            """)
    }

    private func export(_ line: ProgressLine) async throws -> StoreExport {
        if let from { return try await BackupExport(of: readBackup(from), to: file).write(report: line.report) }
        let backup = AtomicFile("\(file).backup-\(ProcessInfo.processInfo.processIdentifier)")
        let export: StoreExport
        do {
            export = try await BackupExport(of: options.gateway.backUp(to: backup.path, line), to: file)
                .write(report: line.report)
        } catch {
            try? backup.remove()
            throw error
        }
        // It has whole device tokens and the keys, and must not come back after a power cut.
        try backup.remove()
        return export
    }
}

/// The verb `import`.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Import the documents of an export into a new data directory.",
        discussion: """
            Checks the whole file first: the number of documents, and their digest. An import that was interrupted goes \
            on where it was when it is repeated; until then no gateway starts on the directory. The documents are new: \
            their times of creation and of updates are those of the import. The gateway makes new keys, so tokens that \
            the old one made for FCM's clients are not valid; “restore” a backup to keep them. It takes the options of \
            “serve”, because indexes depend on its settings.
            """)

    @Argument(help: ArgumentHelp("The file that “export” wrote.", valueName: "FILE"))
    var file: String

    @Flag(help: "Only check the file, and import nothing.")
    var check = false

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() async throws {
        guard FileManager.default.fileExists(atPath: file) else { throw CommandError("there is no file \(file).") }
        let export = try StoreExport(path: file)
        guard !check else {
            return print(
                json ? export.json.text : "\(file) is whole: \(export.documentCount) documents, as of \(export.madeAt)")
        }
        let configuration = try await options.reader()()
        let logger = Logger(label: "pushgate.import", factory: { HumanLogHandler(label: $0) })
        let count = try await ProgressLine.showing { line in
            try await StoreImport(of: export, configuration, logger: logger).run(report: line.report)
        }
        guard !json else { return print(export.json.text) }
        print(
            """
            imported \(count) documents into \(configuration.data.directory)
            Start it: pushgate serve --data-directory \(configuration.data.directory)
            """)
    }
}

extension StoreExport {
    fileprivate var json: JSONValue {
        [
            "path": .string(path), "made_at": .string(madeAt.description), "documents": .integer(Int64(documentCount)),
            "sha256": .string(digest),
        ]
    }
}
