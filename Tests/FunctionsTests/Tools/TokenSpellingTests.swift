import Cryptography
import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Spellings of hexadecimal device tokens", .timeLimit(.minutes(10)))
struct TokenSpellingTests {
    private static let small = "0f" + String(repeating: "ab", count: 31)
    private static let capital = small.uppercased()

    @Test("A device with its token in capitals and in small letters gets one notification of a coding agent's reply")
    func sentOnce() async throws {
        let bench = try Bench()
        _ = try await bench.register(.register("one", token: Self.capital))
        _ = try await bench.register(.register("two", token: Self.small))
        try await bench.running {
            let answer = try await bench.trigger().body
            #expect(answer["attempted"] == 1 && answer["sent"] == 1 && answer["excluded"] == 1)
        }
        #expect(bench.transport.sent.map(\.token) == [Self.small])
    }

    @Test("A token to leave out is one in any case, and other tokens are case-sensitive", arguments: [small, capital])
    func excluded(spelling: String) async throws {
        let bench = try Bench()
        _ = try await bench.register(.register("phone", token: spelling))
        _ = try await bench.register(.register("other", token: "Token-1"))
        try await bench.running {
            for excluded in [Self.small, Self.capital] {
                let answer = try await bench.trigger(.trigger(["exclude_fcm_token": .string(excluded)])).body
                #expect(answer["attempted"] == 1 && answer["excluded"] == 1)
            }
            let answer = try await bench.trigger(.trigger(["exclude_fcm_token": "token-1"])).body
            #expect(answer["attempted"] == 2 && answer["excluded"] == 0)
        }
    }

    @Test("A device of runs is one in any case of its token, and answers keep the caller's spelling")
    func runs() async throws {
        let bench = try RunsBench()
        let first = try await bench.register(Self.capital)
        #expect(first.status == .created && first.body["token"] == .string(Self.capital))
        let second = try await bench.register(Self.small)
        #expect(second.status == .created && second.body["token"] == .string(Self.small))
        #expect(second.body["created_at"] == first.body["created_at"])
        #expect(try await bench.documents(in: "runDevices").count == 1)
        #expect(try await bench.call(.delete, "/api/devices/\(Self.capital)").status == .noContent)
        #expect(try await bench.documents(in: "runDevices").isEmpty)
        #expect(try await bench.call(.delete, "/api/devices/\(Self.small)").status == .notFound)
    }

    @Test("A phone of sessions is one in any case of its token")
    func sessions() async throws {
        let bench = try SessionsBench()
        for token in [Self.small, Self.capital] { #expect(try await bench.register(token).status == .ok) }
        #expect(try await bench.documents(in: "sessionPhones").count == 1)
    }

    @Test("A device of runs is one whatever attributes of its push service follow its token, and has the token's id")
    func runsAttributes() async throws {
        let bench = try RunsBench(forms: .withPINs)
        for pin in ["", ";1234", ";5678"] { #expect(try await bench.register("beeper:1\(pin)").status == .created) }
        let devices = try await bench.documents(in: "runDevices")
        #expect(devices.map(\.path.id) == [SHA256.hexadecimal(of: "beeper:1")])
        #expect(devices.first?["deviceToken"]?.string == "beeper:1")
        #expect(devices.first?["addressAttributes"]?.map?["pin"]?.string == "5678")
        #expect(try await bench.call(.delete, "/api/devices/beeper:1;9").status == .noContent)
        #expect(try await bench.documents(in: "runDevices").isEmpty)
    }

    @Test("A phone of sessions is one whatever attributes of its push service follow its token")
    func sessionsAttributes() async throws {
        let bench = try SessionsBench(forms: .withPINs)
        for pin in ["", ";1234", ";5678"] { #expect(try await bench.register("beeper:1\(pin)").status == .ok) }
        let phones = try await bench.documents(in: "sessionPhones")
        #expect(phones.map(\.path.id) == [SHA256.hexadecimal(of: "beeper:1")])
    }

    @Test("The id of a device is its token's digest, as earlier versions stored it", arguments: [small, "Token-1"])
    func storedIDs(token: String) async throws {
        let (runs, sessions) = (try RunsBench(), try SessionsBench())
        _ = try await runs.register(token)
        _ = try await sessions.register(token)
        let id = SHA256.hexadecimal(of: token)
        #expect(try await runs.documents(in: "runDevices").map(\.path.id) == [id])
        #expect(try await sessions.documents(in: "sessionPhones").map(\.path.id) == [id])
    }

    @Test("Players are found by their token in any case, and the answer keeps the caller's spelling")
    func turns() async throws {
        let bench = try TurnsBench()
        for (player, token) in [("7", Self.small), ("8", Self.capital)] {
            try await bench.register(player, token: token)
        }
        for token in [Self.small, Self.capital] {
            let answer = try await bench.get("/users-by-token/\(token)")
            #expect(answer == .json(.ok, ["device_token": .string(token), "user_ids": ["7", "8"]]))
        }
        try await bench.register("9", token: "Token-1")
        let other = try await bench.get("/users-by-token/token-1")
        #expect(other == .json(.ok, ["device_token": "token-1", "user_ids": []]))
    }

    @Test(
        "Twins that an older version stored become the newer of the two, with the earlier creation",
        arguments: [true, false])
    func twins(isCapitalNewer: Bool) async throws {
        let bench = try RunsBench()
        let time = bench.clock.timestamp
        func store(_ token: String, at seconds: Int64, _ platform: String) async throws {
            let path = try CollectionPath("runDevices").document(SHA256.hexadecimal(of: token))
            let fields: Fields = [
                "deviceToken": .string(token), "transport": .string("apns"), "platform": .string(platform),
                "createdAt": .timestamp(time.adding(.seconds(seconds))),
                "updatedAt": .timestamp(time.adding(.seconds(seconds))),
            ]
            _ = try await bench.disk.documents.commit([.set(path, fields)])
        }
        try await store(Self.capital, at: isCapitalNewer ? 2 : 1, "capital")
        try await store(Self.small, at: isCapitalNewer ? 1 : 2, "small")
        let alone = String(repeating: "CD", count: 32)
        try await store(alone, at: 3, "alone")
        try await store("Token-A", at: 4, "other")
        for job in bench.system.jobs { try await job.run() }
        let devices = try await bench.documents(in: "runDevices")
        #expect(
            Set(devices.compactMap { $0["deviceToken"]?.string }) == [Self.small, alone.lowercased(), "Token-A"])
        let merged = try #require(devices.first { $0.path.id == SHA256.hexadecimal(of: Self.small) })
        #expect(merged["platform"]?.string == (isCapitalNewer ? "capital" : "small"))
        #expect(merged["createdAt"]?.timestamp == time.adding(.seconds(1)))
        #expect(merged["updatedAt"]?.timestamp == time.adding(.seconds(2)))
        #expect(try await bench.call(.delete, "/api/devices/\(alone)").status == .noContent)
        let before = try await bench.documents(in: "runDevices")
        for job in bench.system.jobs { try await job.run() }
        #expect(try await bench.documents(in: "runDevices") == before)
    }

    @Test("Players whose tokens an older version stored in capitals are found by them in any case")
    func storedPlayers() async throws {
        let bench = try TurnsBench()
        try await bench.register("7", token: Self.small)
        let path = try CollectionPath("turnDevices").document("7")
        _ = try await bench.bench.disk.documents.commit([.merge(path, ["deviceToken": .string(Self.capital)])])
        for job in bench.bench.system.jobs { try await job.run() }
        for token in [Self.small, Self.capital] {
            #expect(try await bench.get("/users-by-token/\(token)").body["user_ids"] == ["7"])
        }
    }
}

extension TokenForms {
    /// The forms of a push service whose tokens are followed by a semicolon and a PIN.
    fileprivate static let withPINs = TokenForms(
        otherwise: .fcm,
        parts: { text, _ in
            let halves = text.value.split(separator: ";", maxSplits: 1).map(String.init)
            guard halves.count == 2 else { return Parts(token: text) }
            return Parts(
                token: RegistrationToken(halves[0]), attributes: AddressAttributes(secrets: ["pin": halves[1]]))
        }, recognized: { _ in nil })
}
