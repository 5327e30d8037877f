import Foundation
import TestBasics
import Testing

@testable import Instance

@Suite("Records of the gateways that run", .timeLimit(.minutes(10)))
struct GatewayRecordsTests {
    private func records(_ state: String) throws -> GatewayRecords {
        try #require(GatewayRecords(environment: ["XDG_STATE_HOME": state]))
    }

    @Test("A directory is there until it is removed, and one that is gone is forgotten with the next")
    func life() async throws {
        try await withTemporaryDirectory { parent in
            let records = try records(parent + "/state")
            #expect(records.directories == [])
            let (one, other) = (parent + "/one", parent + "/other")
            for path in [one, other] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                try records.note(path)
            }
            try records.note(one)
            #expect(records.directories == [one, other])
            records.remove(one)
            records.remove(one)
            #expect(records.directories == [other])
            try FileManager.default.removeItem(atPath: other)
            try records.note(one)
            #expect(records.directories == [one])
        }
    }

    @Test("Records that another user may have written are not read")
    func trust() async throws {
        try await withTemporaryDirectory { parent in
            let records = try records(parent + "/state")
            try records.note("/srv/gateway")
            #expect(records.directories == ["/srv/gateway"])
            #expect(chmod(parent + "/state/pushgate/gateways", 0o777) == 0)
            #expect(records.directories == [])
        }
    }

    @Test("A user without a home has no records, and a data directory with the records in it is not recorded")
    func homes() async throws {
        #expect(GatewayRecords(environment: [:]) == nil)
        #expect(GatewayRecords(environment: ["HOME": "relative"]) == nil)
        try await withTemporaryDirectory { home in
            let records = try #require(GatewayRecords(environment: ["HOME": home]))
            try records.note(home)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
            try records.note("/somewhere")
            #expect(FileManager.default.fileExists(atPath: home + "/.local/state/pushgate/gateways"))
        }
    }
}
