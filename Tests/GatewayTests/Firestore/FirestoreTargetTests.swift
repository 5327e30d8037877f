import DocumentStore
import FirestoreAPI
import Testing

@testable import Gateway

@Suite("Paths of Firestore's REST interface")
struct FirestoreTargetTests {
    @Test(
        "A path below a database leads to that database",
        arguments: [
            "/v1/projects/demo/databases/(default)/documents",
            "/v1beta1/projects/demo/databases/(default)/documents/a/b",
            "/emulator/v1/projects/demo/databases/(default)/documents",
            "/v1/projects/demo/databases/(default)/documents:commit", "/v1/projects/demo/databases/%28default%29",
        ])
    func database(path: String) {
        #expect(FirestoreTarget(path: path) == .database(DatabaseID(project: "demo")))
        #expect(FirestoreTarget(path: path[...]) == FirestoreTarget(path: path))
    }

    @Test(
        "A path below a database with an id that none can have leads to its refusal",
        arguments: [
            "/v1/projects/demo%00/databases/(default)/documents",
            "/v1/projects/demo/databases/(default)%00/documents/a",
            "/emulator/v1/projects/d%0Ao/databases/(default)/documents", "/v1/projects//databases/(default)/documents",
        ])
    func invalid(path: String) {
        guard case .invalid(let status) = FirestoreTarget(path: path) else {
            Issue.record("\(path) leads elsewhere")
            return
        }
        #expect(status.code == .invalidArgument)
    }

    @Test(
        "A path of another interface is left to others",
        arguments: [
            "/", "/v1/projects/demo/messages:send", "/v1/projects/demo", "/v1/deliveries", "/emulator/inbox",
            "/v1/projects/demo/registrations/a",
        ])
    func others(path: String) {
        #expect(FirestoreTarget(path: path) == nil && FirestoreTarget(path: path[...]) == nil)
    }

    @Test("The list of databases and the stream of SDKs in browsers are recognised")
    func rest() {
        #expect(FirestoreTarget(path: "/v1/projects/demo/databases") == .databases)
        let channel = "/google.firestore.v1.Firestore/Listen/channel"
        #expect(FirestoreTarget(path: channel) == .channel && FirestoreTarget(path: channel[...]) == .channel)
    }
}
