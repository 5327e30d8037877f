import FirestoreProtos
import SwiftProtobuf
import Testing
import Texts

@testable import FirestoreAPI

@Suite("The elements of encoded requests")
struct MessageScanTests {
    private static let commit = Google_Firestore_V1_CommitRequest.protoMessageName
    private static let batchWrite = Google_Firestore_V1_BatchWriteRequest.protoMessageName
    /// An empty write of a commit.
    private static let emptyWrite: [UInt8] = [0x12, 0x00]

    private func elements(_ message: some Message) throws -> Int? {
        try MessageScan.elements(of: message.serializedBytes(), named: type(of: message).protoMessageName)
    }

    private static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        var all: [UInt8] = []
        all.reserveCapacity(bytes.count * count)
        for _ in 0..<count { all += bytes }
        return all
    }

    /// Returns a field with a message, whose number is below 16.
    private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        var bytes = [number << 3 | 2]
        for shift in [0, 7, 14] { bytes.append(UInt8((content.count >> shift) & 127) | 128) }
        bytes.append(UInt8(content.count >> 21))
        return bytes + content
    }

    /// Returns a message with an empty field at the end of a path of numbers.
    private static func message(_ path: [UInt8], count: Int) -> [UInt8] {
        guard let last = path.last else { return [] }
        let end = repeated(field(last, []), count)
        return path.dropLast().reversed().reduce(end) { field($1, $0) }
    }

    @Test("A commit's elements are its writes, fields, values, paths and transforms, at any depth")
    func commits() throws {
        #expect(try elements(Google_Firestore_V1_CommitRequest()) == 0)
        let write = Google_Firestore_V1_Write.with {
            $0.update.name = ServiceFixture.name("a/b")
            $0.update.fields = ["list": .with { $0.arrayValue.values = [.integer(1), .text("x")] }]
            $0.updateMask.fieldPaths = ["list", "none", "x"]
            $0.updateTransforms = [.with { $0.appendMissingElements.values = [.integer(1)] }]
        }
        // The write, the document, its field, the value with two elements; the mask with three paths; the transform
        // with one element.
        let count = 1 + 3 + 2 + 4 + 2
        let request = Google_Firestore_V1_CommitRequest.with { $0.writes = [write, write] }
        #expect(try elements(request) == 2 * count)
        let batch = Google_Firestore_V1_BatchWriteRequest.with { $0.writes = [write] }
        #expect(try elements(batch) == count)
        let stream = Google_Firestore_V1_WriteRequest.with { $0.writes = [write] }
        #expect(try elements(stream) == count)
    }

    @Test("A query's elements are its selected fields, filters, orders and values")
    func queries() throws {
        let query = Google_Firestore_V1_StructuredQuery.with {
            $0.select.fields = [.with { $0.fieldPath = "a" }, .with { $0.fieldPath = "b" }]
            $0.where.compositeFilter.filters = [.with { $0.fieldFilter.value = .integer(1) }]
            $0.startAt.values = [.integer(1)]
        }
        let count = (1 + 2) + (2 + 1 + 2) + 2
        let run = Google_Firestore_V1_RunQueryRequest.with { $0.structuredQuery = query }
        #expect(try elements(run) == 1 + count)
        let aggregation = Google_Firestore_V1_RunAggregationQueryRequest.with {
            $0.structuredAggregationQuery.structuredQuery = query
        }
        #expect(try elements(aggregation) == 2 + count)
        let listen = Google_Firestore_V1_ListenRequest.with { $0.addTarget.query.structuredQuery = query }
        #expect(try elements(listen) == 3 + count)
    }

    @Test("Masks and names of reads are elements")
    func reads() throws {
        let mask = Google_Firestore_V1_DocumentMask.with { $0.fieldPaths = ["a", "b"] }
        #expect(try elements(Google_Firestore_V1_GetDocumentRequest.with { $0.mask = mask }) == 3)
        #expect(try elements(Google_Firestore_V1_ListDocumentsRequest.with { $0.mask = mask }) == 3)
        let batch = Google_Firestore_V1_BatchGetDocumentsRequest.with {
            $0.documents = ["x", "y"]
            $0.mask = mask
        }
        #expect(try elements(batch) == 5)
        let update = Google_Firestore_V1_UpdateDocumentRequest.with { ($0.mask, $0.updateMask) = (mask, mask) }
        #expect(try elements(update) == 6)
    }

    @Test("A request with one write more than its limit is refused, and one with as many is not")
    func writes() throws {
        for (name, most) in [(Self.commit, 16_384), (Self.batchWrite, 500)] {
            #expect(try MessageScan.elements(of: Self.repeated(Self.emptyWrite, most), named: name) == most)
            let failure = #expect(throws: FirestoreStatus.self) {
                // The rest is not read.
                try MessageScan.elements(of: Self.repeated(Self.emptyWrite, most + 1) + [0xFF], named: name)
            }
            #expect(failure?.code == .invalidArgument)
            #expect(failure?.message.contains("\(most) writes") == true)
        }
    }

    @Test("A request of more elements than any with content has is refused")
    func manyElements() throws {
        // A write, whose mask has empty paths.
        let paths = Self.repeated([0x0A, 0x00], 3_000_001)
        let failure = #expect(throws: FirestoreStatus.self) {
            try MessageScan.elements(of: Self.field(2, Self.field(3, paths)), named: Self.commit)
        }
        #expect(failure?.code == .invalidArgument)
    }

    @Test("No 10 MiB of the smallest maps, arrays and values are too many elements")
    func smallestValues() throws {
        // In a field of a document: values that are empty maps, empty arrays or nulls.
        for value in [[0x0A, 0x02, 0x32, 0x00], [0x0A, 0x02, 0x4A, 0x00], [0x0A, 0x02, 0x58, 0x00]] as [[UInt8]] {
            let count = (MessageCoding.requestLimit - 100) / value.count
            let array = Self.field(2, Self.field(9, Self.repeated(value, count)))
            let request = Self.field(2, Self.field(1, Self.field(2, array)))
            #expect(request.count <= MessageCoding.requestLimit)
            // The write, the document, its field and the value of that.
            #expect(try MessageScan.elements(of: request, named: Self.commit) == 4 + count)
        }
    }

    @Test("A target of more names than a stream can follow is refused, and one with a long select is not")
    func targets() throws {
        let names = (0..<65_536).map { ServiceFixture.name("a/\($0)") }
        let failure = #expect(throws: FirestoreStatus.self) {
            try elements(Google_Firestore_V1_ListenRequest.with { $0.addTarget.documents.documents = names })
        }
        #expect(failure?.code == .invalidArgument)
        #expect(try elements(Google_Firestore_V1_BatchGetDocumentsRequest.with { $0.documents = names }) == names.count)
        let selecting = Google_Firestore_V1_ListenRequest.with {
            $0.addTarget.query.structuredQuery.select.fields = (0..<40_000).map { number in
                .with { $0.fieldPath = "f\(number)" }
            }
        }
        #expect(try elements(selecting) == 40_004)
    }

    @Test(
        "A message with a field twice that is no list is refused, at any depth, and one with the field once is not",
        arguments: [
            ("Commit", [2, 1]), ("Commit", [2, 3]), ("Commit", [2, 6]), ("Commit", [2, 1, 2, 2]),
            ("Commit", [2, 1, 2, 2, 9]), ("Commit", [2, 1, 2, 2, 6]), ("Commit", [2, 1, 2, 2, 9, 1, 9]),
            ("Commit", [2, 1, 2, 2, 6, 1, 2, 6]), ("Commit", [2, 7, 3]), ("Commit", [2, 7, 4]), ("Commit", [2, 7, 5]),
            ("Commit", [2, 7, 6]), ("Commit", [2, 6, 2, 7]), ("RunQuery", [2]), ("RunQuery", [2, 1]),
            ("RunQuery", [2, 3]), ("RunQuery", [2, 3, 1]), ("RunQuery", [2, 3, 2]), ("RunQuery", [2, 3, 2, 3]),
            ("RunQuery", [2, 3, 1, 2, 1]), ("RunQuery", [2, 7]), ("RunQuery", [2, 8]), ("RunQuery", [2, 9]),
            ("RunQuery", [2, 9, 2]), ("RunQuery", [2, 7, 1, 9]), ("PartitionQuery", [2]), ("RunAggregationQuery", [2]),
            ("RunAggregationQuery", [2, 1]), ("Listen", [2]), ("Listen", [2, 2]), ("Listen", [2, 3]),
            ("Listen", [2, 2, 2]), ("UpdateDocument", [1]), ("UpdateDocument", [2]), ("UpdateDocument", [3]),
            ("CreateDocument", [4]), ("GetDocument", [2]), ("ListDocuments", [7]), ("BatchGetDocuments", [3]),
        ] as [(String, [UInt8])])
    func repetition(method: String, path: [UInt8]) throws {
        let name = "google.firestore.v1.\(method)Request"
        let failure = #expect(throws: FirestoreStatus.self) {
            try MessageScan.elements(of: Self.message(path, count: 2), named: name)
        }
        #expect(failure?.code == .invalidArgument)
        #expect(try MessageScan.elements(of: Self.message(path, count: 1), named: name) != nil)
    }

    @Test(
        "A list has any number of elements, at any depth",
        arguments: [
            ("Commit", [2]), ("Commit", [2, 1, 2]), ("Commit", [2, 1, 2, 2, 9, 1]), ("Commit", [2, 1, 2, 2, 6, 1]),
            ("Commit", [2, 3, 1]), ("Commit", [2, 6, 2]), ("Commit", [2, 7]), ("BatchWrite", [2]), ("BatchWrite", [3]),
            ("Write", [3]), ("Write", [5]), ("RunQuery", [2, 1, 2]), ("RunQuery", [2, 2]), ("RunQuery", [2, 4]),
            ("RunQuery", [2, 3, 1, 2]), ("RunQuery", [2, 7, 1]), ("RunAggregationQuery", [2, 3]),
            ("BatchGetDocuments", [2]), ("Listen", [2, 3, 2]), ("Listen", [4]), ("UpdateDocument", [1, 2]),
        ] as [(String, [UInt8])])
    func lists(method: String, path: [UInt8]) throws {
        let name = "google.firestore.v1.\(method)Request"
        #expect(try MessageScan.elements(of: Self.message(path, count: 100), named: name) ?? 0 >= 100)
    }

    @Test("A page token with a field twice that is no list is none")
    func token() throws {
        let once: Google_Firestore_V1_Cursor? = MessageCoding.token(Self.message([1, 9], count: 1))
        #expect(once?.values == [Google_Firestore_V1_Value.with { $0.arrayValue = .init() }])
        let twice: Google_Firestore_V1_Cursor? = MessageCoding.token(Self.message([1, 9], count: 2))
        #expect(twice == nil)
    }

    @Test("A request is decoded without its unknown fields")
    func unknownFields() throws {
        // A value's time with a field that times do not have, in a document of a write.
        let time = Self.field(10, Self.field(15, [1, 2, 3]))
        let document = Self.field(2, Self.field(2, time))
        let bytes = Self.field(2, Self.field(1, document)) + Self.field(15, [1])
        let request: DecodedRequest<Google_Firestore_V1_CommitRequest> = try MessageCoding.request(
            bytes, in: RequestMemory())
        let write = Google_Firestore_V1_Write.with { $0.update.fields = ["": .with { $0.timestampValue = .init() }] }
        #expect(request.content == Google_Firestore_V1_CommitRequest.with { $0.writes = [write] })
    }

    @Test(
        "A malformed message is not counted",
        arguments: [
            [0xFF], [0x12], [0x12, 0x01], [0x12, 0x02, 0x0A, 0x01], [0x12, 0x02, 0x0D, 0x00], [0x13], [0x0F],
            [0x08] + [UInt8](repeating: 0xFF, count: 11), [0x12, 0x01, 0x08, 0x01],
            [0x12] + [UInt8](repeating: 0xFF, count: 9) + [0x01],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) throws {
        #expect(try MessageScan.elements(of: bytes, named: Self.commit) == nil)
        #expect(throws: (any Error).self) { try Google_Firestore_V1_CommitRequest(serializedBytes: bytes) }
    }

    @Test("A commit with too many writes is refused before it is decoded, and takes no memory")
    func refusal() throws {
        let memory = RequestMemory(elements: 20_000)
        let bytes = Self.repeated(Self.emptyWrite, 1_000_000)
        let failure = #expect(throws: FirestoreStatus.self) {
            let _: DecodedRequest<Google_Firestore_V1_CommitRequest> = try MessageCoding.request(bytes, in: memory)
        }
        #expect(failure?.code == .invalidArgument)
        #expect(try memory.reserve(20_000) != nil)
    }
}
