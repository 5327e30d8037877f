import ArgumentParser
import Foundation
import HTTPTypes
import JSON
import Texts

/// The verb `documents`.
struct Documents: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show and change the documents of the gateway's own database.",
        discussion: """
            Device tokens are shown as fingerprints, and fingerprints are refused in what is written. Databases of \
            Firestore's clients are not reached; “pushgate firestore” lists and empties them.
            """,
        subcommands: [Get.self, List.self, Create.self, SetDocument.self, Patch.self, Delete.self])

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one document.")

        @OptionGroup var gateway: GatewayOptions

        @Argument(help: ArgumentHelp("The document's path, for example servers/KEY/agents/KEY.", valueName: "PATH"))
        var path: String

        func validate() throws { try path.checkDocumentPath() }

        func run() async throws {
            let document = try await gateway.documents(.get, path)
            print(gateway.json ? document.text : document.prettyText)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the documents of a collection, or the collections below a document.")

        @OptionGroup var gateway: GatewayOptions

        @Argument(
            help: ArgumentHelp(
                "A collection, or a document to list its collections. Default: the root.", valueName: "PATH"))
        var path = ""

        @Option(help: ArgumentHelp("The largest number of documents.", valueName: "N"))
        var limit = 100

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
            if !path.isEmpty { try path.checkPath() }
        }

        func run() async throws {
            let lines = path.isDocumentPath ? try await collections() : try await documents()
            for line in lines { print(line) }
        }

        private func collections() async throws -> [String] {
            let answer = try await gateway.documents(.post, (path.isEmpty ? "" : path) + ":listCollectionIds")
            let ids = answer["collectionIds"]?.array?.compactMap(\.string) ?? []
            let paths = ids.map { path.isEmpty ? $0 : "\(path)/\($0)" }
            return paths.map {
                gateway.json ? JSONValue.object(["collection": .string($0)]).text : EscapedText.line($0)
            }
        }

        private func documents() async throws -> [String] {
            var lines: [String] = []
            var token: String?
            repeat {
                let answer = try await gateway.documents(path, pageSize: limit - lines.count, pageToken: token)
                lines += (answer["documents"]?.array ?? []).map { gateway.json ? $0.text : Self.line($0) }
                token = answer["nextPageToken"]?.string
            } while token != nil && lines.count < limit
            return lines
        }

        private static func line(_ document: JSONValue) -> String {
            let name = document["name"]?.string ?? ""
            let path = name.split(separator: "/", maxSplits: 5).last.map(String.init) ?? name
            return "\(EscapedText.line(path))  \(document["updateTime"]?.shown ?? "")"
        }
    }
}

extension String {
    /// `true` if the path has an even number of parts, which includes 0.
    fileprivate var isDocumentPath: Bool { split(separator: "/").count.isMultiple(of: 2) }

    /// Throws an error unless the text is the path of a document or a collection.
    fileprivate func checkPath() throws {
        guard
            !split(separator: "/", omittingEmptySubsequences: false).contains(where: { ["", ".", ".."].contains($0) })
        else { throw ValidationError("“\(self)” is not a path; its parts are ids, for example servers/KEY.") }
    }

    /// Throws an error unless the text is the path of a document.
    func checkDocumentPath() throws {
        try checkPath()
        guard isDocumentPath, !isEmpty else {
            throw ValidationError(
                "“\(self)” is the path of a collection; a document’s path has an even number of parts.")
        }
    }
}

extension GatewayOptions {
    private static let root = "/v1/projects/pushgate/databases/(default)/documents"
    private static let maximumPageSize = 300

    fileprivate func documents(
        _ path: String, pageSize: Int, pageToken: String?
    ) async throws -> JSONValue {
        try await documents(
            .get, path,
            parameters: [
                URLQueryItem(name: "pageSize", value: String(min(pageSize, Self.maximumPageSize))),
                URLQueryItem(name: "pageToken", value: pageToken ?? ""),
            ])
    }

    /// Sends a request for the gateway's own documents, with the admin token, and returns the body of the answer.
    func documents(
        _ method: HTTPRequest.Method, _ path: String, parameters: [URLQueryItem] = [], body: JSONValue? = nil
    ) async throws -> JSONValue {
        var components = URLComponents()
        components.path = Self.root + (path.isEmpty || path.hasPrefix(":") ? path : "/\(path)")
        if !parameters.isEmpty { components.queryItems = parameters }
        guard let url = components.string else { throw CommandError("“\(path)” is not a path.") }
        return try await admin(method, url, body: body)
    }
}
