import Testing

@testable import DocumentStore

@Suite("Query matches")
struct QueryMatchTests {
    private func match(_ projection: [FieldPath]?) throws -> QueryMatch {
        var query = Query.collection(try CollectionPath("t")).where("n", .equal, .integer(1))
        query.projection = projection
        return try QueryMatch(query, in: .gateway)
    }

    private func document(_ number: Int64) throws -> Document {
        let fields: Fields = ["n": .integer(number), "m": .map(["x": .null])]
        return Document(path: try DocumentPath("t/d"), fields: fields, createTime: .now, updateTime: .now)
    }

    @Test("A match keeps no projection, and whole documents match as without one")
    func projection() throws {
        let narrow = try match([FieldPath(segments: ["m", "x"])])
        #expect(narrow.query.requestsAll)
        let (found, other) = (try document(1), try document(2))
        #expect(narrow.contains(found))
        #expect(narrow.query.projected(found) == found)
        #expect(!narrow.contains(other))
    }

    @Test("A match with a projection that is not valid is refused")
    func invalid() async {
        await expectError(.invalidArgument) { try match([FieldPath(segments: ["m", ""])]) }
    }
}
