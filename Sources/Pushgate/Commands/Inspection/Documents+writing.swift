import ArgumentParser
import DocumentStore
import Foundation
import HTTPTypes
import JSON

/// The verbs that write documents.
extension Documents {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a document, which must not exist yet.", discussion: DocumentContent.discussion)

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var content: DocumentContent

        func validate() throws { try content.path.checkDocumentPath() }

        func run() async throws {
            let exists = URLQueryItem(name: "currentDocument.exists", value: "false")
            try await gateway.write(content, [exists])
        }
    }

    struct SetDocument: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Replace a document, or create it.", discussion: DocumentContent.discussion)

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var content: DocumentContent
        @OptionGroup var version: DocumentVersion

        func validate() throws { try content.path.checkDocumentPath() }

        func run() async throws { try await gateway.write(content, version.parameters) }
    }

    struct Patch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set some fields of a document, and keep the others.",
            discussion: DocumentContent.discussion)

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var content: DocumentContent
        @OptionGroup var version: DocumentVersion

        @Option(
            name: .customLong("mask"), parsing: .singleValue,
            help: ArgumentHelp(
                "The path of a field to set, for example address.city; repeat it for more.",
                discussion: "A field that is named here and missing from the document is deleted.", valueName: "FIELD"))
        var masks: [String]

        func validate() throws { try content.path.checkDocumentPath() }

        func run() async throws {
            let mask = masks.map { URLQueryItem(name: "updateMask.fieldPaths", value: $0) }
            try await gateway.write(content, mask + version.parameters)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a document. Those below it stay.")

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var version: DocumentVersion

        @Argument(help: ArgumentHelp("The document's path, for example servers/KEY/agents/KEY.", valueName: "PATH"))
        var path: String

        func validate() throws { try path.checkDocumentPath() }

        func run() async throws {
            let exists = URLQueryItem(name: "currentDocument.exists", value: "true")
            let condition = version.updateTime == nil ? [exists] : version.parameters
            _ = try await gateway.documents(.delete, path, parameters: condition)
            print(gateway.json ? "{}" : "deleted \(path)")
        }
    }
}

/// The arguments of a verb that writes a document's fields.
struct DocumentContent: ParsableArguments {
    static let discussion = """
        The document is plain JSON, {"name":"x"}, or Firestore's JSON, as “pushgate documents get” prints it: \
        {"fields":{"name":{"stringValue":"x"}}}. Its form is recognized; if it may be both, name it with --plain or \
        --typed. It is read from standard input unless given. A fingerprint in place of a device token is refused.
        """

    @Argument(help: ArgumentHelp("The document's path, for example servers/KEY/agents/KEY.", valueName: "PATH"))
    var path: String

    @Argument(help: ArgumentHelp("The document as JSON; “-” reads it from standard input.", valueName: "JSON"))
    var document = "-"

    @Flag(help: "The document is plain JSON, also where it looks like Firestore's.")
    var plain = false

    @Flag(help: "The document is Firestore's JSON, whose values have types.")
    var typed = false

    func validate() throws {
        guard !plain || !typed else { throw ValidationError("Give either --plain or --typed.") }
    }

    /// Returns the document in Firestore's JSON.
    func json() throws -> JSONValue {
        let bytes = try document == "-" ? Self.input() : Array(document.utf8)
        do throws(WrittenFieldsError) {
            return ["fields": .object(try WrittenFields.fields(bytes, form: form))]
        } catch {
            throw CommandError("\(error).")
        }
    }

    private var form: WrittenFields.Form { plain ? .plain : typed ? .typed : .recognized }

    private static func input() throws -> [UInt8] {
        [UInt8](try FileHandle.standardInput.readToEnd() ?? Data())
    }
}

/// The condition under which a verb writes a document.
struct DocumentVersion: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write only if this is still the document's updateTime.",
            discussion: "“pushgate documents get” prints it. Otherwise the verb changes nothing and exits with 1.",
            valueName: "TIME"))
    var updateTime: String?

    /// The condition as parameters of a request.
    var parameters: [URLQueryItem] {
        updateTime.map { [URLQueryItem(name: "currentDocument.updateTime", value: $0)] } ?? []
    }
}

extension GatewayOptions {
    /// Writes a document and prints it as it is afterwards.
    fileprivate func write(_ content: DocumentContent, _ parameters: [URLQueryItem]) async throws {
        let document = try await documents(.patch, content.path, parameters: parameters, body: try content.json())
        print(json ? document.text : document.prettyText)
    }
}
