import Emulator
import JSON
import Messaging
import TestDoubles
import Testing

@testable import FCMInterface

@Suite("Expiration of a message over FCM's interface", .timeLimit(.minutes(10)))
struct ExpirationTests {
    /// Sends a message, and returns the number of notifications that the push service got.
    private func notifications(withExpiration expiration: String) async throws -> Int {
        let bench = try MessageEndpointBench()
        try await bench.running {
            let message: JSONValue = [
                "token": "phone", "notification": ["title": "Hello"],
                "apns": ["headers": ["apns-expiration": .string(expiration)]],
            ]
            let error = try await bench.error(sending: message)
            #expect(error == nil)
        }
        return bench.inbox.items().count
    }

    @Test("A message whose time has passed is answered as accepted, and not sent", arguments: ["1", "1767225600"])
    func passed(expiration: String) async throws {
        #expect(try await notifications(withExpiration: expiration) == 0)
    }

    @Test("A message for now or never, or for some seconds, is sent", arguments: ["0", "00", "1767225601"])
    func ahead(expiration: String) async throws {
        #expect(try await notifications(withExpiration: expiration) == 1)
    }
}
