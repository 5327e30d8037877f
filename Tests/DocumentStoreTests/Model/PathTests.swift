import DocumentStore
import TestDoubles
import Testing

@Suite("Paths")
struct PathTests {
    @Test("A document path gives its id, collection, segments and full name")
    func documentParts() throws {
        let path = try DocumentPath("agents/7f/devices/a1")
        #expect(path.id == "a1")
        #expect(path.collection.description == "agents/7f/devices")
        #expect(path.segments == ["agents", "7f", "devices", "a1"])
        #expect(path.name(in: .gateway) == "projects/pushgate/databases/(default)/documents/agents/7f/devices/a1")
        #expect(try DocumentPath(name: path.name(in: .gateway), in: .gateway) == path)
        #expect(try path.collection("x").description == "agents/7f/devices/a1/x")
    }

    @Test("A collection path gives its id and parent")
    func collectionParts() throws {
        let path = try CollectionPath("agents/7f/devices")
        #expect(path.id == "devices")
        #expect(path.parent == (try DocumentPath("agents/7f")))
        #expect(try path.document("a1") == DocumentPath("agents/7f/devices/a1"))
        #expect(try CollectionPath("agents").parent == nil)
        #expect(try CollectionPath("agents").id == "agents")
    }

    @Test(
        "An invalid document path is refused",
        arguments: [
            "", "a", "a/b/c", "a//b/c", "/a/b", "a/b/", "a/.", "a/..", "a/__b__", "__a__/b", "a/____", "a/__id__",
            "a/__id-1x__", "a/", "a/__id0__", "a/__id-0__", "a/__id07__", "a/__id9223372036854775808__", "__id7__/a",
            "a/b/__id7__/c",
        ])
    func documentRefusals(text: String) async {
        await expectError(.invalidArgument) { try DocumentPath(text) }
    }

    @Test("A stored path may have numeric ids that earlier versions accepted, and no other reserved ones")
    func storedPaths() async throws {
        for text in ["a/__id0__", "a/__id-07__", "a/__id9223372036854775808__", "__id7__/a", "a/__id-__", "a/b"] {
            #expect(try DocumentPath(stored: text).description == text)
        }
        for text in ["a/__b__", "__a__/b", "a/____", "a/__id__", "a/__id-1x__", "a/__id+7__", "a/..", "a//b/c", "a"] {
            await expectError(.invalidArgument) { try DocumentPath(stored: text) }
        }
        let document = try CollectionPath("a").document(stored: "__id0__")
        let name = document.name(in: .gateway)
        #expect(try DocumentPath(storedName: name, in: .gateway) == document)
        await expectError(.invalidArgument) { try DocumentPath(name: name, in: .gateway) }
        await expectError(.invalidArgument) { try CollectionPath("a").document(stored: "b/c/d") }
    }

    @Test(
        "An invalid collection path is refused",
        arguments: ["", "a/b", "/", "a/b/", "__a__", "..", "a/b/__c__", "__id7__", "a/b/__id7__", "a/__id0__/c"])
    func collectionRefusals(text: String) async {
        await expectError(.invalidArgument) { try CollectionPath(text) }
    }

    @Test(
        "Ids at the edge of the rules are allowed",
        arguments: ["...", "__", "___", "__a", "a__", "_a_", " ", "\u{0}", "__id5__", "__id-9223372036854775808__"])
    func edges(id: String) throws {
        #expect(try DocumentPath("a/\(id)").id == id)
    }

    @Test("An id has at most 1,500 bytes and a path at most 100 segments")
    func limits() async throws {
        let long = String(repeating: "é", count: 750)
        _ = try DocumentPath("a/\(long)")
        await expectError(.invalidArgument) { try DocumentPath("a/\(long)x") }
        let deep = Array(repeating: "s", count: 100)
        _ = try DocumentPath(deep.joined(separator: "/"))
        await expectError(.invalidArgument) { try CollectionPath((deep + ["s"]).joined(separator: "/")) }
        await expectError(.invalidArgument) { try DocumentPath(deep.joined(separator: "/")).collection("c") }
    }

    @Test("A single id that contains a slash is refused")
    func slashes() async {
        await expectError(.invalidArgument) { try CollectionPath("a").document("b/c/d") }
        await expectError(.invalidArgument) { try DocumentPath("a/b").collection("c/d/e") }
    }

    @Test("A numeric id is a document's, and no collection's, however a path is made")
    func numericIDs() async throws {
        let document = try CollectionPath("a").document("__id7__")
        #expect(try document.collection("c").document("__id-2__").description == "a/__id7__/c/__id-2__")
        #expect(try document.document("__id3__", in: "c").description == "a/__id7__/c/__id3__")
        await expectError(.invalidArgument) { try document.collection("__id7__") }
        await expectError(.invalidArgument) { try document.document("b", in: "__id7__") }
        await expectError(.invalidArgument) { try CollectionPath("a").document("__id0__") }
        await expectError(.invalidArgument) { try PlannedQuery(.collectionGroup("__id7__"), in: .gateway) }
        await expectError(.invalidArgument) { try FieldIndex(collectionGroup: "__id7__", field: "f").validate() }
    }

    @Test("A path below a document is the same in one step and in two")
    func descent() async throws {
        let path = try DocumentPath("a/b")
        #expect(try path.document("d", in: "c") == path.collection("c").document("d"))
        for (id, collection) in [("d", ""), ("", "c"), ("d/e", "c"), ("d", "c/d/e"), ("..", "c"), ("d", "__c__")] {
            await expectError(.invalidArgument) { try path.document(id, in: collection) }
        }
        let deep = Array(repeating: "s", count: 98)
        let deepest = try DocumentPath(deep.joined(separator: "/")).document("s", in: "s")
        await expectError(.invalidArgument) { try deepest.document("s", in: "s") }
    }

    @Test("Paths are ordered segment by segment, by bytes")
    func order() throws {
        let texts = ["a/b", "a/b/c/d", "a/b\u{1}", "a/b!", "a!/b", "aa/b", "b/A", "b/a", "b/é", "b/\u{FFFD}", "b/😀"]
        let paths = try texts.map { try DocumentPath($0) }
        #expect(paths.shuffled().sorted() == paths)
        #expect(!(paths[0] < paths[0]))
    }

    @Test("Paths that look alike but have different bytes are not equal")
    func equality() throws {
        let (composed, decomposed) = (try DocumentPath("a/\u{E9}"), try DocumentPath("a/e\u{301}"))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }

    @Test(
        "A name of another database, or without a database, is refused",
        arguments: ["a/b", "projects/p/databases/d/documents/a/b"])
    func names(name: String) async {
        await expectError(.invalidArgument) { try DocumentPath(name: name, in: .gateway) }
    }

    @Test("Random ids have 20 letters and digits and differ")
    func randomIDs() throws {
        let ids = (0..<1_000).map { _ in DocumentPath.randomID() }
        #expect(Set(ids).count == 1_000)
        #expect(
            ids.allSatisfy { id in id.utf8.count == 20 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
        )
    }

    /// A generator that counts its calls.
    private struct CountingGenerator: RandomNumberGenerator {
        private var base = SeededGenerator(seed: 1)
        private(set) var calls = 0

        mutating func next() -> UInt64 {
            calls += 1
            return base.next()
        }
    }

    @Test("A random id needs little more than two random numbers, and all characters are equally likely")
    func randomNumbers() {
        var generator = CountingGenerator()
        var counts: [Character: Int] = [:]
        for _ in 0..<10_000 {
            for character in DocumentPath.randomID(using: &generator) { counts[character, default: 0] += 1 }
        }
        #expect((20_000..<22_000).contains(generator.calls))
        #expect(counts.count == 62)
        // The average is 3,226 and the standard deviation 56.
        #expect(counts.values.allSatisfy { (2_900..<3_550).contains($0) }, "\(counts)")
    }

    @Test("Time-ordered ids grow with time and differ at the same time")
    func timeOrderedIDs() throws {
        let times: [Int64] = [
            .min, 0, 1, 61, 62, 1_000_000, 1_700_000_000_000_000, 1_700_000_000_000_001, 1_700_000_060_000_000,
            4_000_000_000_000_000, 13_000_000_000_000_000, .max,
        ]
        var last: String?
        for time in times.dropFirst().map(Timestamp.init(microseconds:)) {
            let ids = (0..<100).map { _ in DocumentPath.timeOrderedID(at: time) }
            #expect(Set(ids).count == 100 && Set(ids.map { $0.prefix(9) }).count == 1)
            #expect(
                ids.allSatisfy { $0.utf8.count == 20 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
            if let last { #expect(ids.allSatisfy { last.utf8.lexicographicallyPrecedes($0.utf8) }, "\(time)") }
            last = ids.max { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
        let ends = [times[0], times[1]].map { DocumentPath.timeOrderedID(at: Timestamp(microseconds: $0)).prefix(9) }
        #expect(ends == ["000000000", "000000000"])
        #expect(DocumentPath.timeOrderedID(at: .distantFuture).prefix(9) == "zzzzzzzzz")
    }

    @Test("The error for an invalid path shortens a long id")
    func secrets() async throws {
        let token = String(repeating: "0123456789abcdef", count: 4)
        let error = await expectError(.invalidArgument) { try CollectionPath("tokens/\(token)") }
        let description = try #require(error?.description)
        #expect(!description.contains(token))
        #expect(description.contains("tokens/01234567…"))
    }

    @Test(
        "A document is in the collection of its path without the last segment, and in no other",
        arguments: [
            ("a/b", "a", true), ("a/b/c/d", "a/b/c", true), ("a/b/c/d", "a", false), ("ab/c", "a", false),
            ("a/b", "b", false), ("a/b", "a/b/c", false), ("é/b", "e\u{301}", false), ("é/é", "é", true),
        ])
    func membership(document: String, collection: String, isIn: Bool) throws {
        #expect(try DocumentPath(document).isIn(try CollectionPath(collection)) == isIn)
    }
}
