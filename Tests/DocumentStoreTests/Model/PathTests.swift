import DocumentStore
import Testing

@Suite("Paths")
struct PathTests {
    @Test("A document's path knows its parts")
    func documentParts() throws {
        let path = try DocumentPath("agents/7f/devices/a1")
        #expect(path.id == "a1")
        #expect(path.collection.description == "agents/7f/devices")
        #expect(path.segments == ["agents", "7f", "devices", "a1"])
        #expect(path.name(in: .gateway) == "projects/pushgate/databases/(default)/documents/agents/7f/devices/a1")
        #expect(try DocumentPath(name: path.name(in: .gateway), in: .gateway) == path)
        #expect(try path.collection("x").description == "agents/7f/devices/a1/x")
    }

    @Test("A collection's path knows its parts")
    func collectionParts() throws {
        let path = try CollectionPath("agents/7f/devices")
        #expect(path.id == "devices")
        #expect(path.parent == (try DocumentPath("agents/7f")))
        #expect(try path.document("a1") == DocumentPath("agents/7f/devices/a1"))
        #expect(try CollectionPath("agents").parent == nil)
        #expect(try CollectionPath("agents").id == "agents")
    }

    @Test(
        "What is not a document's path is refused",
        arguments: ["", "a", "a/b/c", "a//b/c", "/a/b", "a/b/", "a/.", "a/..", "a/__b__", "__a__/b", "a/____", "a/"])
    func documentRefusals(text: String) async {
        await expectError(.invalidArgument) { try DocumentPath(text) }
    }

    @Test(
        "What is not a collection's path is refused", arguments: ["", "a/b", "/", "a/b/", "__a__", "..", "a/b/__c__"])
    func collectionRefusals(text: String) async {
        await expectError(.invalidArgument) { try CollectionPath(text) }
    }

    @Test(
        "Ids at the edge of the rules are allowed", arguments: ["...", "__", "___", "__a", "a__", "_a_", " ", "\u{0}"])
    func edges(id: String) throws {
        #expect(try DocumentPath("a/\(id)").id == id)
    }

    @Test("An id is 1,500 bytes at most, a path 100 segments")
    func limits() async throws {
        let long = String(repeating: "é", count: 750)
        _ = try DocumentPath("a/\(long)")
        await expectError(.invalidArgument) { try DocumentPath("a/\(long)x") }
        let deep = Array(repeating: "s", count: 100)
        _ = try DocumentPath(deep.joined(separator: "/"))
        await expectError(.invalidArgument) { try CollectionPath((deep + ["s"]).joined(separator: "/")) }
        await expectError(.invalidArgument) { try DocumentPath(deep.joined(separator: "/")).collection("c") }
    }

    @Test("An id given by itself has no slash in it")
    func slashes() async {
        await expectError(.invalidArgument) { try CollectionPath("a").document("b/c/d") }
        await expectError(.invalidArgument) { try DocumentPath("a/b").collection("c/d/e") }
    }

    @Test("A document below a document has one path, by whatever steps")
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

    @Test("Paths are in order segment by segment, by bytes")
    func order() throws {
        let texts = ["a/b", "a/b/c/d", "a/b\u{1}", "a/b!", "a!/b", "aa/b", "b/A", "b/a", "b/é", "b/\u{FFFD}", "b/😀"]
        let paths = try texts.map { try DocumentPath($0) }
        #expect(paths.shuffled().sorted() == paths)
        #expect(!(paths[0] < paths[0]))
    }

    @Test("Paths that only look alike are not equal")
    func equality() throws {
        let (composed, decomposed) = (try DocumentPath("a/\u{E9}"), try DocumentPath("a/e\u{301}"))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }

    @Test(
        "A name of another database, or of none, is refused",
        arguments: ["a/b", "projects/p/databases/d/documents/a/b"])
    func names(name: String) async {
        await expectError(.invalidArgument) { try DocumentPath(name: name, in: .gateway) }
    }

    @Test("Random ids are 20 letters and digits, and differ")
    func randomIDs() throws {
        let ids = (0..<1_000).map { _ in DocumentPath.randomID() }
        #expect(Set(ids).count == 1_000)
        #expect(
            ids.allSatisfy { id in id.utf8.count == 20 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
        )
    }

    @Test("An error does not give a long id away")
    func secrets() async throws {
        let token = String(repeating: "0123456789abcdef", count: 4)
        let error = await expectError(.invalidArgument) { try CollectionPath("tokens/\(token)") }
        let description = try #require(error?.description)
        #expect(!description.contains(token))
        #expect(description.contains("tokens/01234567…"))
    }
}
