import FirestoreProtos
import HTTPTypes
import SwiftProtobuf

/// The documents of a database at one moment, in pages by name.
struct DocumentPages {
    let gateway: GatewayOptions
    let database: FirestoreDatabase
    private var last: String?
    private var time: Google_Protobuf_Timestamp?
    private var isOver = false

    /// The number of documents in a page. The gateway reads all documents for each page, so small documents come in
    /// large pages.
    private var size = 64
    private static let sizes = 1...20_000
    /// The size of an answer to aim at, and the size that is refused, in bytes.
    private static let bytes = (wanted: 16 << 20, most: 64 << 20)

    init(gateway: GatewayOptions, database: FirestoreDatabase) {
        self.gateway = gateway
        self.database = database
    }

    /// Returns the next page; `nil` after the last.
    mutating func next() async throws -> [Google_Firestore_V1_Document]? {
        while !isOver {
            do {
                return try page(try await answer())
            } catch is GatewayClient.AnswerTooLarge where size > 1 {
                size = max(1, size / 8)
            }
        }
        return nil
    }

    private func answer() async throws -> [UInt8] {
        try await gateway.admin(
            .post, try String(urlPath: "/v1/\(database.name)/documents:runQuery"),
            bytes: try request.jsonUTF8Bytes(), maximumResponseBytes: Self.bytes.most
        ).bytes
    }

    /// Reads the documents of an answer, and determines the size of the next page.
    private mutating func page(_ answer: [UInt8]) throws -> [Google_Firestore_V1_Document] {
        let results = try Google_Firestore_V1_RunQueryResponse.array(fromJSONUTF8Bytes: answer)
        time = time ?? results.first?.readTime
        let page = results.filter(\.hasDocument).map(\.document)
        last = page.last?.name
        isOver = page.count < size
        let factor = min(8, Double(Self.bytes.wanted) / Double(answer.count + 1))
        size = Int(Double(size) * factor).clamped(to: Self.sizes)
        return page
    }

    private var request: Google_Firestore_V1_RunQueryRequest {
        .with { request in
            request.structuredQuery.from = [.with { $0.allDescendants = true }]
            request.structuredQuery.orderBy = [.with { $0.field.fieldPath = "__name__" }]
            request.structuredQuery.limit = Google_Protobuf_Int32Value(Int32(size))
            if let last { request.structuredQuery.startAt.values = [.with { $0.referenceValue = last }] }
            if let time { request.readTime = time }
        }
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
