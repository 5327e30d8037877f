import Foundation
import HTTPTypes
import TestDoubles
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

@Suite("Data directory", .timeLimit(.minutes(10)))
struct DataDirectoryTests {
    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    @Test(
        "The data directory and all files in it are accessible to their owner only",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func modes() async throws {
        try await withGateway { gateway in
            try await Daemon(gateway.caller).register("phone", token: "emulated:1")
            #expect(try mode(gateway.directory) == 0o700)
            let names = try FileManager.default.contentsOfDirectory(atPath: gateway.directory)
            #expect(Set(names).isSuperset(of: ["pushgate.sqlite", "pushgate.sqlite-wal", "admin-token", "address"]))
            for name in names { #expect(try mode(gateway.directory + "/" + name) == 0o600, "\(name)") }
        }
    }

    @Test("The data directory holds the gateway's address while the gateway listens, and not afterwards")
    func address() async throws {
        try await withTemporaryDirectory { parent in
            let directory = DataDirectory(existing: parent + "/data")
            try await withGateway(in: directory.path) { gateway in
                #expect(directory.address.noted() == gateway.url)
                let believed = try directory.address.believed()
                #expect(believed == gateway.url)
                #expect(directory.adminToken.existing() == gateway.gateway.adminToken)
            }
            #expect(directory.address.noted() == nil)
            let believed = try directory.address.believed()
            #expect(believed == nil)
        }
    }

    @Test("The data directory of a gateway that listens on all addresses holds the loopback address")
    func allAddresses() async throws {
        try await withGateway(["http.host": "0.0.0.0"]) { gateway in
            let noted = DataDirectory(existing: gateway.directory).address.noted()
            #expect(gateway.url == "http://0.0.0.0:\(gateway.port)" && noted == "http://127.0.0.1:\(gateway.port)")
        }
    }

    @Test("A data directory that cannot be created throws an error that names the path and the key")
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

    @Test(
        "A data directory that cannot be written throws an error that names the path",
        .enabled(if: getuid() != 0, "root may write anywhere"))
    func cannotBeWritten() async throws {
        try await withTemporaryDirectory { parent in
            let directory = parent + "/data"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o500])
            let error = await #expect(throws: GatewayError.self) { try await withGateway(in: directory) { _ in } }
            #expect(error?.description.contains(directory) == true)
        }
    }

    @Test("The number by which listeners resume and transactions are recognised is the data directory's for ever")
    func serverNumber() async throws {
        try await withDataDirectory { parent in
            let (one, other) = (parent + "/one", parent + "/other")
            let first = try DataDirectory(creating: one).gatewayKey.readOrCreate().serverNumber
            #expect(try DataDirectory(creating: one).gatewayKey.readOrCreate().serverNumber == first)
            #expect(try DataDirectory(creating: other).gatewayKey.readOrCreate().serverNumber != first)
        }
    }

    @Test("A damaged or unreadable gateway key or admin token is never replaced")
    func damagedSecrets() async throws {
        try await withDataDirectory { parent in
            let directory = try DataDirectory(creating: parent)
            let makers: [(String, () throws -> Void)] = [
                ("gateway-key", { _ = try directory.gatewayKey.readOrCreate() }),
                ("admin-token", { _ = try directory.adminToken.readOrCreate() }),
            ]
            for (name, make) in makers {
                let path = directory.path + "/" + name
                try make()
                let made = FileManager.default.contents(atPath: path)
                try make()
                #expect(made?.isEmpty == false && FileManager.default.contents(atPath: path) == made)
                for damaged in [Data(), Data("\n".utf8), Data([0xFF, 0xFE]), Data("a b\n".utf8)] {
                    try damaged.write(to: URL(fileURLWithPath: path))
                    let error = #expect(throws: GatewayError.self) { try make() }
                    #expect(error?.description.contains(path) == true)
                    #expect(FileManager.default.contents(atPath: path) == damaged)
                }
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                let error = #expect(throws: GatewayError.self) { try make() }
                #expect(error?.description == "cannot read \(path): Is a directory.")
            }
        }
    }

    @Test(
        "Files that root writes into another user's data directory belong to that user",
        .enabled(if: getuid() == 0, "needs root"))
    func anotherUsers() async throws {
        try await withDataDirectory { path in
            let directory = try DataDirectory(creating: path)
            #expect(chown(path, 12_345, 54_321) == 0)
            var configuration = GatewayConfiguration()
            configuration.data.directory = path
            configuration.fcm.proxyPort = 8_444
            try FirebaseFiles(configuration: configuration, addresses: ClientAddresses(configuration, url: nil)).write()
            let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            #expect(names.count == 8)
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
                #expect(attributes[.ownerAccountID] as? NSNumber == 12_345, "\(name)")
                #expect(attributes[.groupOwnerAccountID] as? NSNumber == 54_321, "\(name)")
            }
        }
    }

    @Test(
        "A data directory that others can read keeps its mode, and the log warns of it",
        arguments: [0o755, 0o700, 0o770])
    func openDirectory(mode: Int) async throws {
        try await withTemporaryDirectory { parent in
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: parent)
            try await withGateway(in: parent) { gateway in
                let warnings = gateway.log.lines.filter { $0.hasPrefix("warning") }
                #expect(warnings.count == (mode == 0o700 ? 0 : 1))
                #expect(warnings.allSatisfy { $0.contains(parent) && $0.contains("0" + String(mode, radix: 8)) })
                let kept = try self.mode(parent)
                #expect(kept == mode)
            }
        }
    }

    @Test("A data directory in use throws an error that names it, and its gateway goes on")
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

    @Test(
        "A database file of another format is left unchanged, and the error names it",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
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
