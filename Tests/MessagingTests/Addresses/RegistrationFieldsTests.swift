import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("The form of an address in a registration")
struct RegistrationFieldsTests {
    private static let deviceToken = String(repeating: "ab", count: 32)

    private let names = RegistrationFields(token: "deviceToken", registeredAt: "updatedAt")

    /// Returns the document that a store holds after writing fields.
    private func document(_ fields: Fields) async throws -> Document {
        let disk = try TemporaryStore(clock: ManualClock())
        let path = try DocumentPath("devices/phone")
        _ = try await disk.documents.commit([.set(path, fields)])
        return try #require(try await disk.documents.document(at: path))
    }

    @Test(
        "An address that was written is read back",
        arguments: [
            PushAddress(
                token: deviceToken, app: AppIdentity(bundleID: "com.example.app", environment: "production")),
            PushAddress(token: deviceToken), PushAddress(token: deviceToken, app: AppIdentity(environment: "sandbox")),
            PushAddress(token: "fMEqKB:APA91b"), PushAddress(token: "fMEqKB:APA91b", app: AppIdentity(bundleID: "a")),
            PushAddress(token: "emulated:phone"),
            PushAddress(transport: TransportName(rawValue: "other"), token: RegistrationToken(deviceToken)),
        ])
    func roundTrip(address: PushAddress) async throws {
        #expect(names.address(in: try await document(names.fields(of: address))) == address)
    }

    @Test("An address is stored in the fields that clients and earlier versions know")
    func form() {
        let app = AppIdentity(bundleID: "com.example.app", environment: "sandbox")
        #expect(
            names.fields(of: PushAddress(token: Self.deviceToken, app: app)) == [
                "deviceToken": .string(Self.deviceToken), "transport": "apns", "bundleId": "com.example.app",
                "apnsEnvironment": "sandbox",
            ])
        #expect(
            names.fields(of: PushAddress(token: "emulated:a")) == [
                "deviceToken": "emulated:a", "transport": "emulated",
            ])
    }

    @Test("A registration without a transport is read by the form of its token")
    func withoutTransport() async throws {
        #expect(
            names.address(in: try await document(["deviceToken": .string(Self.deviceToken), "bundleId": "a"]))
                == PushAddress(token: Self.deviceToken, app: AppIdentity(bundleID: "a")))
        #expect(names.address(in: try await document(["deviceToken": "emulated:a"]))?.transport == .emulated)
        #expect(names.address(in: try await document(["deviceToken": "x:y"]))?.transport == .fcm)
    }

    @Test("A registration without a token has no address, and an empty environment counts as none")
    func incomplete() async throws {
        #expect(names.address(in: try await document(["transport": "apns", "bundleId": "a"])) == nil)
        #expect(names.address(in: try await document(["deviceToken": .integer(1)])) == nil)
        for environment: Value in ["", .integer(1)] {
            let fields: Fields = ["deviceToken": .string(Self.deviceToken), "apnsEnvironment": environment]
            #expect(names.address(in: try await document(fields)) == PushAddress(token: Self.deviceToken))
        }
    }

    @Test("A found environment completes a registration that names none, with the time")
    func completion() async throws {
        let time = Timestamp(microseconds: 1_800_000_000_000_000)
        let found = AppIdentity(environment: "production")
        let open = try await document(["deviceToken": .string(Self.deviceToken)])
        #expect(
            names.completion(of: open, with: found, at: time)
                == ["apnsEnvironment": "production", "updatedAt": .timestamp(time)])
        #expect(names.completion(of: open, with: AppIdentity(), at: time) == nil)
        let named = try await document(["deviceToken": .string(Self.deviceToken), "apnsEnvironment": "sandbox"])
        #expect(names.completion(of: named, with: found, at: time) == nil)
        let without = RegistrationFields(token: "deviceToken", environment: nil)
        #expect(without.completion(of: open, with: found, at: time) == nil)
    }
}
