import FirestoreProtos
import SwiftProtobuf
import Testing

@testable import FirestoreAPI

@Suite("Parameters of REST")
struct RESTParameterTests {
    @Test("A repeated parameter is taken in both casings, in order")
    func casings() throws {
        let parameters = RESTParameters("mask.fieldPaths=a&mask.field_paths=b.c&page_size=7&orderBy=n+desc")
        #expect(try parameters.mask("mask")?.fieldPaths == ["a", "b.c"])
        #expect(try parameters.integer("pageSize") == 7)
        #expect(try parameters.text("orderBy") == "n desc")
        #expect(try parameters.mask("updateMask") == nil)
    }

    @Test(
        "A time is taken with Z or an offset, whose plus may be sent as it is",
        arguments: [
            "2026-01-01T12:00:00.5Z", "2026-01-01T14:00:00.500+02:00", "2026-01-01T14:00:00.5%2B02:00",
        ])
    func times(text: String) throws {
        let time = try RESTParameters("readTime=\(text)").time("readTime")
        #expect(time?.seconds == 1_767_268_800)
        #expect(time?.nanos == 500_000_000)
    }

    @Test("Bytes are taken in both alphabets of base64", arguments: ["-_8=", "-_8", "+/8=", "%2B%2F8"])
    func bytes(text: String) throws {
        #expect(try RESTParameters("transaction=\(text)").bytes("transaction").map(Array.init) == [0xfb, 0xff])
    }

    @Test("A malformed value is INVALID_ARGUMENT only for the method that asks for it")
    func malformed() throws {
        let parameters = RESTParameters("pageSize=x&showMissing=1&readTime=%22&$alt=json;enum-encoding=int&key=%FF")
        #expect(throws: FirestoreStatus.self) { try parameters.integer("pageSize") }
        #expect(throws: FirestoreStatus.self) { try parameters.boolean("showMissing") }
        #expect(throws: FirestoreStatus.self) { try parameters.time("readTime") }
        #expect(throws: FirestoreStatus.self) { try parameters.text("key") }
        #expect(try parameters.bytes("transaction") == nil)
    }
}
