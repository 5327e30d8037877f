import FirestoreProtos
import SwiftProtobuf
import Testing

@testable import FirestoreAPI

@Suite("Parameters of REST")
struct RESTParameterTests {
    private static let root = "projects/p/databases/(default)/documents"
    private static let list = RESTRoute.listDocuments(parent: root, collection: "a")
    private static let update = RESTRoute.updateDocument(root + "/a/b")
    private static let delete = RESTRoute.deleteDocument(root + "/a/b")

    /// One route of each method, with the names of its parameters.
    private static let routes: [(RESTRoute, Set<String>)] = [
        (.getDocument(root + "/a/b"), ["mask.fieldPaths", "transaction", "readTime"]),
        (
            list,
            [
                "mask.fieldPaths", "transaction", "readTime", "pageSize", "pageToken", "orderBy", "showMissing",
            ]
        ),
        (.createDocument(parent: root, collection: "a"), ["documentId", "mask.fieldPaths"]),
        (
            update,
            ["updateMask.fieldPaths", "mask.fieldPaths", "currentDocument.exists", "currentDocument.updateTime"]
        ),
        (delete, ["currentDocument.exists", "currentDocument.updateTime"]),
        (.call(.commit, "projects/p/databases/(default)"), []), (.call(.runQuery, root), []),
        (.listDatabases(project: "p"), []), (.clear("projects/p/databases/(default)"), []),
    ]

    private func refusal(_ query: String, of route: RESTRoute) -> FirestoreStatus? {
        do throws(FirestoreStatus) {
            _ = try RESTParameters(query, of: route)
            return nil
        } catch {
            return error
        }
    }

    @Test("Each method takes its own parameters, in both casings, and refuses those of all others", arguments: routes)
    func tables(route: RESTRoute, own: Set<String>) {
        #expect(Set(RESTParameter.allCases.map(\.name)).isSuperset(of: own))
        for parameter in RESTParameter.allCases {
            for name in [parameter.name, parameter.rawValue] {
                let refusal = refusal("\(name)=a", of: route)
                guard !own.contains(parameter.name) else {
                    #expect(refusal == nil)
                    continue
                }
                #expect(refusal?.code == .invalidArgument)
                #expect(refusal?.message.contains("Unknown name \"\(name)\": Cannot bind query parameter") == true)
            }
        }
    }

    @Test(
        "A name that no method has is refused, and the error names it and those that are known",
        arguments: [
            "updateMask.fieldPath", "updateMask", "update_mask", "updatemask.fieldPaths", "updateMask.fieldPaths.a",
            "_updateMask.fieldPaths", "update__mask.fieldPaths", "currentDocument.exist", "CurrentDocument.exists",
            "currentDocument", "name", "document.name", "parent", "x", "", "$", "$$alt", "pretty_print", "%FF",
        ])
    func unknown(name: String) {
        for value in ["=a", "", "="] {
            let refusal = refusal("mask.fieldPaths=a&\(name)\(value)", of: Self.update)
            // An empty pair is no parameter.
            guard name + value != "" else {
                #expect(refusal == nil)
                continue
            }
            #expect(refusal?.code == .invalidArgument)
            #expect(refusal?.message.contains("Unknown name \"\(name)\"") == true)
            #expect(refusal?.message.contains("updateMask.fieldPaths, mask.fieldPaths") == true)
        }
    }

    @Test("The error of an unknown name repeats no more than its beginning")
    func long() {
        let refusal = refusal(String(repeating: "x", count: 100_000), of: Self.delete)
        #expect((refusal?.message.utf8.count ?? .max) < 400)
    }

    @Test("The parameters of all of Google's APIs are taken by every method, also with a dollar sign and malformed")
    func system() {
        let names = [
            "alt", "key", "prettyPrint", "access_token", "oauth_token", "quotaUser", "callback", "fields", "uploadType",
            "upload_protocol",
        ]
        let pairs = (names + names.map { "$" + $0 } + ["$.xgafv", "%24alt"]).map { "\($0)=%FF&\($0)" }
        for (route, _) in Self.routes {
            #expect(refusal(pairs.joined(separator: "&") + "&$alt=json;enum-encoding=int&&", of: route) == nil)
        }
    }

    @Test("A parameter that is not repeated is refused twice, in whichever casing")
    func repeated() {
        for query in ["pageSize=1&pageSize=1", "pageSize=1&page_size=2", "readTime=a&read%54ime=a"] {
            #expect(refusal(query, of: Self.list)?.code == .invalidArgument)
        }
        #expect(refusal("currentDocument.exists=true&currentDocument.exists=true", of: Self.delete) != nil)
        #expect(refusal("mask.fieldPaths=a&mask.fieldPaths=a", of: Self.list) == nil)
    }

    @Test("A repeated parameter is taken in both casings, in order")
    func casings() throws {
        let query = "mask.fieldPaths=a&mask.field_paths=b.c&page_size=7&orderBy=n+desc"
        let parameters = try RESTParameters(query, of: Self.list)
        #expect(try parameters.mask(.mask)?.fieldPaths == ["a", "b.c"])
        #expect(try parameters.integer(.pageSize) == 7)
        #expect(try parameters.text(.orderBy) == "n desc")
        #expect(try parameters.mask(.updateMask) == nil)
    }

    @Test(
        "A time is taken with Z or an offset, whose plus may be sent as it is",
        arguments: [
            "2026-01-01T12:00:00.5Z", "2026-01-01T14:00:00.500+02:00", "2026-01-01T14:00:00.5%2B02:00",
        ])
    func times(text: String) throws {
        let time = try RESTParameters("readTime=\(text)", of: Self.list).time(.readTime)
        #expect(time?.seconds == 1_767_268_800)
        #expect(time?.nanos == 500_000_000)
    }

    @Test("Bytes are taken in both alphabets of base64", arguments: ["-_8=", "-_8", "+/8=", "%2B%2F8"])
    func bytes(text: String) throws {
        let parameters = try RESTParameters("transaction=\(text)", of: Self.list)
        #expect(try parameters.bytes(.transaction).map(Array.init) == [0xfb, 0xff])
    }

    @Test("A malformed or empty value is INVALID_ARGUMENT", arguments: ["x", "", "%22", "%FF", "%4", "1%"])
    func malformed(value: String) throws {
        let query = ["pageSize", "showMissing", "readTime"].map { "\($0)=\(value)" }.joined(separator: "&")
        let parameters = try RESTParameters(query, of: Self.list)
        #expect(throws: FirestoreStatus.self) { try parameters.integer(.pageSize) }
        #expect(throws: FirestoreStatus.self) { try parameters.boolean(.showMissing) }
        #expect(throws: FirestoreStatus.self) { try parameters.time(.readTime) }
        #expect(try parameters.bytes(.transaction) == nil)
        for name in ["exists", "updateTime"] {
            let condition = try RESTParameters("currentDocument.\(name)=\(value)", of: Self.delete)
            #expect(throws: FirestoreStatus.self) { try condition.precondition() }
        }
    }

    @Test("An empty token or transaction is none, and text that is not percent-encoded UTF-8 is INVALID_ARGUMENT")
    func texts() throws {
        let parameters = try RESTParameters("pageToken=&transaction=&orderBy=%FF", of: Self.list)
        #expect(try parameters.text(.pageToken) == "")
        #expect(try parameters.bytes(.transaction) == nil)
        #expect(throws: FirestoreStatus.self) { try parameters.text(.orderBy) }
    }
}
