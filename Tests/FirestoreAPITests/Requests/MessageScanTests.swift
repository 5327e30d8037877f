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

    @Test("A commit's elements are its writes, fields, values, paths and transforms, at any depth")
    func commits() throws {
        #expect(try elements(Google_Firestore_V1_CommitRequest()) == 0)
        let write = Google_Firestore_V1_Write.with {
            $0.update.name = ServiceFixture.name("a/b")
            $0.update.fields = ["list": .with { $0.arrayValue.values = [.integer(1), .text("x")] }]
            $0.updateMask.fieldPaths = ["list", "none", "x"]
            $0.updateTransforms = [.with { $0.appendMissingElements.values = [.integer(1)] }]
        }
        // The write, the document, its field, value and array with two elements; the mask with three paths; the transform
        // with its operand and one element.
        let count = 1 + 4 + 2 + 4 + 3
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
                // What follows is not read.
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
        func field(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            var bytes = [tag]
            for shift in [0, 7, 14] { bytes.append(UInt8((content.count >> shift) & 127) | 128) }
            bytes.append(UInt8(content.count >> 21))
            return bytes + content
        }
        let failure = #expect(throws: FirestoreStatus.self) {
            try MessageScan.elements(of: field(0x12, field(0x1A, paths)), named: Self.commit)
        }
        #expect(failure?.code == .invalidArgument)
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
