import Foundation
import Gateway
import HTTPTypes
import TestSupport
import Testing

@Suite("The data directory", .timeLimit(.minutes(1)))
struct DataDirectoryTests {
    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    @Test("and all in it are for their owner alone")
    func modes() async throws {
        try await withGateway { gateway in
            try await Daemon(gateway.caller).register("phone", token: "emulated:1")
            #expect(try mode(gateway.directory) == 0o700)
            let names = try FileManager.default.contentsOfDirectory(atPath: gateway.directory)
            #expect(Set(names).isSuperset(of: ["pushgate.sqlite", "pushgate.sqlite-wal", "admin-token", "address"]))
            for name in names { #expect(try mode(gateway.directory + "/" + name) == 0o600, "\(name)") }
        }
    }

    @Test("says where its gateway listens for as long as it does")
    func address() async throws {
        try await withTemporaryDirectory { parent in
            let directory = DataDirectory(existing: parent + "/data")
            try await withGateway(in: directory.path) { gateway in
                #expect(directory.notedAddress() == gateway.url)
                #expect(directory.existingAdminToken() == gateway.gateway.adminToken)
            }
            #expect(directory.notedAddress() == nil)
        }
    }

    @Test("that cannot be made is an error that names it and the key")
    func cannotBeMade() async throws {
        try await withTemporaryDirectory { parent in
            try Data().write(to: URL(fileURLWithPath: parent + "/file"))
            let error = await #expect(throws: GatewayError.self) {
                try await withGateway(in: parent + "/file/data") { _ in }
            }
            #expect(error?.description.contains(parent + "/file/data") == true)
            #expect(error?.description.contains("data.directory") == true)
        }
    }

    @Test("that cannot be written to is an error that names it", .enabled(if: getuid() != 0, "root may write anywhere"))
    func cannotBeWritten() async throws {
        try await withTemporaryDirectory { parent in
            let directory = parent + "/data"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o500])
            let error = await #expect(throws: GatewayError.self) { try await withGateway(in: directory) { _ in } }
            #expect(error?.description.contains(directory) == true)
        }
    }

    @Test("in use is an error that names it")
    func inUse() async throws {
        try await withGateway { gateway in
            let error = await #expect(throws: GatewayError.self) {
                try await withGateway(in: gateway.directory) { _ in }
            }
            #expect(error?.description.contains("another gateway is using \(gateway.directory)") == true)
            let status = try await gateway.caller.send(.get, "/healthz").status
            #expect(status == 200)
        }
    }

    @Test("whose database is none of ours is left alone, and the error names it")
    func foreignDatabase() async throws {
        try await withTemporaryDirectory { parent in
            let path = parent + "/pushgate.sqlite"
            let contents = Data("not a database, but somebody's".utf8)
            try contents.write(to: URL(fileURLWithPath: path))
            let error = await #expect(throws: GatewayError.self) { try await withGateway(in: parent) { _ in } }
            #expect(error?.description.contains(path) == true)
            #expect(FileManager.default.contents(atPath: path) == contents)
        }
    }
}
