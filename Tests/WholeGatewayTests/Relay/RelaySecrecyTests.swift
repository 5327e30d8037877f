import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import PushgateClient
import TestSupport
import Testing

/// A relay and a gateway that sends through it, each in a process of its own, so that their memory, their metrics and
/// their logs are those of the program.
@Suite(
    "Knowledge of an author's relay", .timeLimit(.minutes(10)),
    .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
struct RelaySecrecyTests {
    private static let count = 1_000

    /// A part of each planted text, before its number.
    private let mark = "planted-\(String.randomToken().prefix(16))-"

    /// Returns a planted text. Their sizes are of every step to which gateways pad.
    private func text(_ number: Int, _ name: String) -> String {
        "\(mark)\(number)-\(name) " + String(repeating: "x", count: name == "body" ? number * 2 : 0)
    }

    /// Returns the numbers of the planted texts in bytes.
    private func planted(in bytes: Data) -> Set<Int> {
        let needle = Data(mark.utf8)
        var numbers: Set<Int> = []
        var start = bytes.startIndex
        while let range = bytes.range(of: needle, in: start..<bytes.endIndex) {
            let digits = bytes[range.upperBound...].prefix(6).prefix { (0x30...0x39).contains($0) }
            numbers.insert(Int(String(decoding: digits, as: UTF8.self)) ?? -1)
            start = range.upperBound
        }
        return numbers
    }

    /// Returns the numbers of the planted texts in the files of a directory.
    private func planted(below directory: String) throws -> Set<Int> {
        try FileManager.default.subpathsOfDirectory(atPath: directory).reduce(into: []) { numbers, name in
            numbers.formUnion(planted(in: FileManager.default.contents(atPath: "\(directory)/\(name)") ?? Data()))
        }
    }

    /// Returns what a gateway shows to its operator: documents, deliveries, metrics, and pages of the console.
    private func shown(by gateway: ServingProcess) async throws -> Data {
        let documents = "/v1/projects/pushgate/databases/(default)/documents"
        var texts: [String] = []
        for path in ["/metrics", "/v1/deliveries?limit=200", "\(documents)/messages"] {
            let answer = try await gateway.ask(path)
            #expect(answer.status == 200, "\(path)")
            texts.append(answer.text)
        }
        let token = try String(contentsOfFile: "\(gateway.directory)/admin-token", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let form = "token=\(token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        let visit = try await gateway.caller.send(
            .post, "/console/sign-in", headerFields: [.contentType: "application/x-www-form-urlencoded"],
            body: Array(form.utf8))
        let cookie = try #require(visit.headerFields[.setCookie]?.split(separator: ";").first.map(String.init))
        let pages = ["/", "/console/messages", "/console/devices", "/console/documents", "/console/documents/messages"]
        let ids = try await gateway.ask("/v1/deliveries?limit=5").body["deliveries"]?.array ?? []
        for path in pages + ids.compactMap({ $0["id"]?.string }).map({ "/console/messages/\($0)" }) {
            let answer = try await gateway.caller.send(.get, path, headerFields: [.cookie: cookie])
            #expect(answer.status == 200 || answer.status == 404, "\(path)")
            texts.append(answer.text)
        }
        return Data(texts.joined().utf8)
    }

    /// Sends the planted texts to a phone, and waits until all are at Apple's side.
    private func send(from gateway: ServingProcess, to phone: RelayedPhone, _ apns: RunningSimulator) async throws {
        let registration = try await phone.registration()
        let answers = try await concurrently(Array(0..<Self.count), limit: 20) { number in
            let message: JSONValue = [
                "to": .string(registration), "title": .string(text(number, "title")),
                "body": .string(text(number, "body")), "data": ["path": .string(text(number, "path"))],
            ]
            return try await gateway.ask("/v1/deliveries", .post, message)
        }
        #expect(answers.allSatisfy { $0.body["id"]?.string != nil }, "\(answers.first?.text ?? "")")
        try await apns.simulator.wait(for: Self.count, matching: NotificationFilter(status: 200), timeout: .patience)
    }

    private func running(
        _ body: (_ relay: ServingProcess, _ sender: ServingProcess, RelayedPhone, RunningSimulator) async throws -> Void
    ) async throws {
        try await withSimulator { apns in
            try await withTemporaryDirectory { folder in
                let files = try TLSFiles(in: folder, name: RelayWorld.host)
                let hosts = HostTable()
                let log = ["log.level": "trace"]
                let settings = RelayWorld.settings.merging(files.settings) { $1 }.merging(apns.gatewaySettings) { $1 }
                try await ServingProcess.running(settings.merging(log) { $1 }) { relay in
                    hosts.lead(RelayWorld.host, to: relay.caller)
                    let port = try #require(relay.address("https")?.split(separator: ":").last)
                    let sending = [
                        "relay.hosts": RelayWorld.host, "relay.caFile": files.caFile,
                        "relay.connectTo": "\(RelayWorld.host)=127.0.0.1:\(port)",
                    ]
                    try await ServingProcess.running(sending.merging(log) { $1 }) { sender in
                        hosts.lead(RelayWorld.sender, to: sender.caller)
                        let phone = try RelayedPhone(hosts)
                        try await phone.launch()
                        try await body(relay, sender, phone, apns)
                    }
                }
            }
        }
    }

    @Test("Of 1,000 planted texts none is in the relay's files, log, metrics or pages, and all are at the phone")
    func nowhere() async throws {
        try await running { relay, sender, phone, apns in
            try await send(from: sender, to: phone, apns)
            let opened = apns.simulator.received(matching: NotificationFilter(status: 200)).compactMap(phone.open)
            let numbers = Set(0..<Self.count)
            #expect(Set(opened.compactMap(\.title)) == Set(numbers.map { text($0, "title") }))
            #expect(planted(in: Data(opened.compactMap { $0.data["path"] }.joined().utf8)) == numbers)

            // The same search at the gateway that has sealed them finds each, so it can fail.
            #expect(try planted(below: sender.directory).isSuperset(of: numbers))
            #expect(try await !planted(in: shown(by: sender)).isEmpty)

            #expect(try planted(below: relay.directory) == [])
            #expect(try await planted(in: shown(by: relay)) == [])
            #expect(relay.child.errorText.contains("trace"))
            #expect(planted(in: Data((relay.child.errorText + relay.child.outputText).utf8)) == [])
            let names = try FileManager.default.contentsOfDirectory(atPath: relay.directory)
            #expect(names.contains("pushgate.sqlite") && names.contains("pushgate.sqlite-wal"))
        }
    }

    @Test("Of the planted texts none is in the relay's memory under load", .enabled(if: ProcessMemory.isReadable))
    func memory() async throws {
        try await running { relay, sender, phone, apns in
            async let sent: Void = send(from: sender, to: phone, apns)
            try await apns.simulator.wait(for: Self.count / 2, timeout: .patience)
            let early = try search(relay)
            try await sent
            #expect(early == [])
            #expect(try search(relay) == [])
            #expect(try !search(sender).isEmpty)
        }
    }

    /// Returns the numbers of the planted texts in the memory of a gateway.
    private func search(_ gateway: ServingProcess) throws -> Set<Int> {
        try ProcessMemory(of: gateway.child.id).search { planted(in: $0) }
    }
}

/// The writable memory of a process, as a core dump would have it.
private struct ProcessMemory {
    private struct Unreadable: Error {}

    /// The number of bytes that are read at once. Those of the last ones that may be the beginning of a text are read
    /// again with the next.
    private static let (piece, overlap) = (4 << 20, 64)

    private let id: Int32
    private let regions: [(start: Int, count: Int)]

    /// `true` if this process may read the memory of another one that it has started.
    static var isReadable: Bool {
        let scope = try? String(contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8)
        return getuid() == 0 || Int(scope?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "0") ?? 0 <= 1
    }

    init(of id: Int32) throws {
        self.id = id
        let maps = try String(contentsOfFile: "/proc/\(id)/maps", encoding: .utf8)
        regions = maps.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            let ends = parts[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard parts.count > 1, parts[1].hasPrefix("rw"), ends.count == 2 else { return nil }
            return (ends[0], ends[1] - ends[0])
        }
    }

    /// Returns what a search finds in all pieces.
    func search(_ find: (Data) -> Set<Int>) throws -> Set<Int> {
        let file = open("/proc/\(id)/mem", O_RDONLY)
        guard file >= 0 else { throw Unreadable() }
        defer { close(file) }
        var (found, size) = (Set<Int>(), 0)
        var bytes = [UInt8](repeating: 0, count: Self.piece + Self.overlap)
        for region in regions {
            for offset in stride(from: 0, to: region.count, by: Self.piece) {
                let wanted = min(bytes.count, region.count - offset)
                // Regions that have ended meanwhile have nothing to read.
                let count = pread(file, &bytes, wanted, off_t(region.start + offset))
                guard count > 0 else { continue }
                size += count
                found.formUnion(find(Data(bytes.prefix(count))))
            }
        }
        guard size > 0 else { throw Unreadable() }
        return found
    }
}
