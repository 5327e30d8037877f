import DocumentStore
import Testing

@testable import FirestoreAPI

@Suite("Firestore's names")
struct NameTests {
    static let root = "projects/p/databases/(default)/documents"

    @Test("A document's name has a database and a path")
    func document() throws {
        let name = try DocumentName("projects/demo/databases/named/documents/a/b/c/d")
        #expect(name.database == DatabaseID(project: "demo", database: "named"))
        #expect(name.path.description == "a/b/c/d")
    }

    @Test("A parent is the root or a document")
    func parent() throws {
        #expect(try ParentName(Self.root).document == nil)
        #expect(try ParentName("\(Self.root)/a/b").document?.description == "a/b")
        #expect(try ParentName("\(Self.root)/a/b").collection("c").description == "a/b/c")
        #expect(throws: FirestoreStatus.self) { try ParentName(Self.root).collection("a/b/c") }
        #expect(throws: FirestoreStatus.self) { try ParentName(Self.root).collection("") }
    }

    @Test("A database's name has nothing after it")
    func database() throws {
        #expect(try DatabaseID(firestoreName: "projects/p/databases/d") == DatabaseID(project: "p", database: "d"))
        for name in ["", "projects/p", "projects//databases/d", "projects/p/databases/", "projects/p/databases/d/x"] {
            #expect(throws: FirestoreStatus.self) { try DatabaseID(firestoreName: name) }
        }
    }

    @Test(
        "A malformed name of a document is INVALID_ARGUMENT with the place of the mistake",
        arguments: [
            ("\(root)/users", "lacks \"/\" at index 46"),
            ("\(root)/users/", "lacks a resource id at index 47"),
            ("\(root)//a", "lacks a resource id at index 41"),
            (root, "lacks \"/\" at index 40"),
            ("projects/p/databases/d/docs/a/b", "lacks \"documents\" at index 23"),
        ])
    func malformed(name: String, text: String) {
        let status = #expect(throws: FirestoreStatus.self) { try DocumentName(name) }
        #expect(status?.code == .invalidArgument)
        #expect(status?.message == "Document name \"\(name)\" \(text).")
    }

    @Test("A reserved id is INVALID_ARGUMENT", arguments: [".", "..", "__x__", "____x____"])
    func reserved(id: String) {
        let status = #expect(throws: FirestoreStatus.self) { try DocumentName("\(Self.root)/a/\(id)") }
        #expect(status?.code == .invalidArgument)
    }

    @Test(
        "A project's or database's id of other characters, or too long, is INVALID_ARGUMENT in every name",
        arguments: [
            "a\u{0}", "\u{0}", "a\nb", "a\u{1B}b", "a b", "caf\u{E9}", "cafe\u{301}", "\u{212A}", "a%b", "(x)",
            String(repeating: "a", count: 129),
        ])
    func foreignDatabase(id: String) {
        let databases = ["projects/\(id)/databases/d", "projects/p/databases/\(id)", "projects/(default)/databases/d"]
        for name in databases {
            let statuses = [
                #expect(throws: FirestoreStatus.self) { try DatabaseID(firestoreName: name) },
                #expect(throws: FirestoreStatus.self) { try DocumentName("\(name)/documents/a/b") },
                #expect(throws: FirestoreStatus.self) { try ParentName("\(name)/documents") },
            ]
            for status in statuses {
                #expect(status?.code == .invalidArgument)
                #expect(status?.message.contains("1 to 128 ASCII letters") == true)
                #expect(status?.message.contains(id) == false)
            }
        }
    }

    @Test(
        "Ids of projects and databases have the characters of Google's",
        arguments: ["demo-app", "google.com:x_1", "K"])
    func allowedDatabase(id: String) throws {
        let longest = String(repeating: "a", count: 128)
        for database in [id, longest, "(default)"] {
            let name = try DatabaseID(firestoreName: "projects/\(id)/databases/\(database)")
            #expect(name == DatabaseID(project: id, database: database))
        }
    }
}
