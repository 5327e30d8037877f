import Cryptography
import Foundation
import HTTPTypes
import Instance
import JSON
import Synchronization

/// A gateway on this machine that a verb has found, because no option names one.
///
/// It runs on a data directory that no other user can have written, holds the directory's lock, and has proved that it
/// has the key in there. A program that listens at the address of a gateway that has ended is never sent a secret.
struct FoundGateway: Sendable {
    let url: String
    let directory: DataDirectory

    /// The result of the search. A process runs one verb.
    private static let found = Mutex<FoundGateway?>(nil)

    /// Returns the gateway of `./pushgate-data`, otherwise the one that runs as a service or was started by this user.
    /// Prints which one it is, unless it is that of this folder.
    static func find() async throws -> FoundGateway {
        if let found = found.withLock({ $0 }) { return found }
        let gateway = try await search()
        found.withLock { $0 = gateway }
        return gateway
    }

    private static func search() async throws -> FoundGateway {
        let here = DataDirectory(existing: GatewayOptions.directoryOfServe)
        if let url = try address(of: here) {
            guard try await proves(url, here) else {
                throw CommandError(
                    "the program at \(url) is not the gateway of \(here.path), which has ended without notice. Start it "
                        + "with “pushgate serve”, or name a gateway with --server.")
            }
            return FoundGateway(url: url, directory: here)
        }
        var (gateways, problem): ([FoundGateway], (any Error)?) = ([], nil)
        for directory in candidates {
            do {
                guard let url = try address(of: directory), try await proves(url, directory) else { continue }
                gateways.append(FoundGateway(url: url, directory: directory))
            } catch {
                problem = problem ?? error
            }
        }
        guard let first = gateways.first else {
            if let problem { throw problem }
            throw noGateway
        }
        guard gateways.count == 1 else { throw several(gateways) }
        FileHandle.standardError.write(Data("using the gateway at \(first.url), of \(first.directory.path)\n".utf8))
        return first
    }

    private static var candidates: [DataDirectory] {
        let service = GatewayOptions.directoryOfPackage
        let isOpen = access(service, R_OK | X_OK) == 0
        let started = GatewayRecords(environment: ProcessInfo.processInfo.environment)?.directories ?? []
        return ((isOpen ? [service] : []) + started.filter { $0 != service }).map { DataDirectory(existing: $0) }
    }

    private static func address(of directory: DataDirectory) throws -> String? {
        try directory.owner.run { try directory.address.believed() }
    }

    /// Returns `true` if the program at an address has the key of a directory, on which a gateway runs.
    ///
    /// Gateways over one database have the same key. Without the lock, a program at the address of one that has ended
    /// could pass the challenge on to another one.
    ///
    /// - Throws: An error if there is no answer, or if this user cannot read the key.
    private static func proves(_ url: String, _ directory: DataDirectory) async throws -> Bool {
        guard let key = try directory.owner.run({ try directory.gatewayKey.existing() }) else { return false }
        let challenge = Base64URL.encode(RandomBytes.generate(18))
        let answer = try await GatewayClient(baseURL: url).send(
            .get, "/healthz?challenge=\(challenge)", deadline: .seconds(5))
        guard answer.body["proof"]?.string == key.proof(of: challenge) else { return false }
        return directory.owner.run { directory.lock.isTaken }
    }

    private static var noGateway: CommandError {
        CommandError(
            "no gateway was found on this machine: none runs on \(GatewayOptions.directoryOfServe), as a service that "
                + "this user can read, or by this user. Start one with “pushgate serve”, or name one with --server or "
                + "--data-directory." + (GatewayOptions.needsRoot ? " \(GatewayOptions.rootAdvice)" : ""))
    }

    private static func several(_ gateways: [FoundGateway]) -> CommandError {
        let list = gateways.map { "\($0.url) of \($0.directory.path)" }.joined(separator: ", ")
        return CommandError("several gateways run on this machine: \(list). Choose one with --data-directory.")
    }
}
