import Foundation
import Functions
import Hummingbird
import JSON
import NIOCore
import Server

/// The export of the documents at and below a path.
struct DocumentExport {
    /// The documents that are in memory at a time.
    private static let pageSize = 300

    let documents: ConsoleDocuments
    let path: String

    /// Returns the documents as lines of JSON, one page of a collection in memory at a time.
    func answer() async throws -> ConsoleAnswer {
        let (documents, path) = (documents, path)
        guard !path.isEmpty else { throw APIError.invalidArgument("name a collection or a document to export") }
        let isDocument = path.split(separator: "/").count.isMultiple(of: 2)
        // A path that cannot be read is refused before the answer begins.
        let first = isDocument ? try? await documents.document(path) : nil
        let below = isDocument ? try await documents.allCollections(below: path).map { "\(path)/\($0)" } : [path]
        let firstPage: JSONValue? =
            isDocument ? .none : try await documents.page(of: path, size: Self.pageSize, after: nil)
        let body = ResponseBody { writer in
            var writer: any ResponseBodyWriter = writer
            if let first { try await writer.write(ByteBuffer(string: first.text + "\n")) }
            var (collections, readPage) = (below, firstPage)
            while let collection = collections.popLast() {
                var token: String?
                repeat {
                    let page: JSONValue
                    if let known = readPage.take() {
                        page = known
                    } else {
                        page = try await documents.page(of: collection, size: Self.pageSize, after: token)
                    }
                    for document in page["documents"]?.array ?? [] {
                        let id = document["name"]?.string?.split(separator: "/").last.map(String.init) ?? ""
                        if document["updateTime"] != nil {
                            try await writer.write(ByteBuffer(string: document.text + "\n"))
                        }
                        collections += try await documents.allCollections(below: "\(collection)/\(id)")
                            .map { "\(collection)/\(id)/\($0)" }
                    }
                    token = page["nextPageToken"]?.filledString
                    // The store may answer at once. Requests that take less time must not wait for all of an export.
                    await Task.yield()
                } while token != nil
            }
            try await writer.finish(nil)
        }
        let name = path.split(separator: "/").last.map(String.init) ?? "documents"
        return .file(type: "application/jsonl; charset=utf-8", name: "\(name).jsonl", body)
    }
}
