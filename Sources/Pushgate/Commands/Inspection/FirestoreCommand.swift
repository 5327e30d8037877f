import ArgumentParser
import DocumentStore
import Foundation
import HTTPTypes
import JSON
import Texts

/// The verb `firestore`.
struct FirestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firestore",
        abstract: "Show, empty, export and import the databases of Firestore's interface.",
        discussion: "The gateway must serve Firestore's interface; docs/configuration.md has the settings.",
        subcommands: [Databases.self, Clear.self, Import.self, Export.self])

    struct Databases: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the databases that contain documents.")

        @OptionGroup var gateway: GatewayOptions

        func run() async throws {
            let answer = try await gateway.databases()
            guard !gateway.json else { return print(answer.text) }
            for name in answer.databaseNames { print(EscapedText.line(name)) }
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete all documents of a database.",
            discussion: """
                There is no way back, so it asks first. Listeners see the database empty, and open transactions do not hinder it. The \
                gateway's own database cannot be emptied.
                """)

        @OptionGroup var gateway: GatewayOptions

        @OptionGroup var database: FirestoreDatabase

        @OptionGroup var confirmation: Confirmation

        func run() async throws {
            try await gateway.requireDocuments(in: database)
            try confirmation.ask("Delete all documents of \(database.name)")
            _ = try await gateway.firestore(.delete, "/emulator/v1/\(database.name)/documents")
            print(gateway.json ? "{}" : "deleted all documents of \(database.name)")
        }
    }
}

/// The database that a verb is about.
struct FirestoreDatabase: ParsableArguments {
    @Option(help: ArgumentHelp("The project, for example demo-test.", valueName: "ID"))
    var project: String

    @Option(help: ArgumentHelp("The database.", valueName: "ID"))
    var database = "(default)"

    var name: String { "projects/\(project)/databases/\(database)" }

    func validate() throws {
        do throws(StoreError) {
            _ = try DatabaseID(checkedProject: project, database: database)
        } catch {
            throw ValidationError(error.message)
        }
    }
}

extension JSONValue {
    /// The names of the databases in an answer.
    fileprivate var databaseNames: [String] { (self["databases"]?.array ?? []).compactMap { $0["name"]?.string } }
}

extension GatewayOptions {
    /// Returns the databases that contain documents.
    fileprivate func databases() async throws -> JSONValue { try await firestore(.get, "/v1/projects/-/databases") }

    /// Throws an error if the database has no documents, as one with a misspelled name.
    func requireDocuments(in database: FirestoreDatabase) async throws {
        guard try await databases().databaseNames.contains(database.name) else {
            // It may be closed, which this call reports.
            _ = try await admin(
                .post, try String(urlPath: "/v1/\(database.name)/documents:listCollectionIds"), bytes: Array("{}".utf8))
            throw CommandError(
                "\(database.name) has no documents; “pushgate firestore databases” lists those that have some.")
        }
    }

    /// Sends a request to Firestore's interface, with the admin token, and returns the body of the answer.
    fileprivate func firestore(_ method: HTTPRequest.Method, _ path: String) async throws -> JSONValue {
        try await admin(method, try String(urlPath: path))
    }
}

extension String {
    /// Encodes a path for a URL.
    init(urlPath path: String) throws {
        var components = URLComponents()
        components.path = path
        guard let url = components.string else { throw CommandError("“\(path)” is not a path.") }
        self = url
    }
}
