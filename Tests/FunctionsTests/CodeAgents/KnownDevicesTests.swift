import DocumentStore
import Messaging
import Testing

@testable import Functions

@Suite("Devices that registered recently")
struct KnownDevicesTests {
    private let sameToken = RegistrationToken("token")

    private func device(_ number: Int) throws -> DocumentPath {
        try DocumentPath("servers/a/agents/b/devices/\(number)")
    }

    @Test("Thousands of recent devices are known and hardly any other")
    func known() throws {
        let devices = KnownDevices()
        for number in 0..<8_000 { devices.insert(try device(number), sameToken) }
        devices.insert(try device(0), sameToken)
        let known = try (0..<8_000).count { devices.contains(try device($0), sameToken) }
        let others = try (8_000..<16_000).count { devices.contains(try device($0), sameToken) }
        #expect(known > 7_900)
        #expect(others < 10)
    }

    @Test("Later devices replace earlier ones beyond the capacity")
    func bounded() throws {
        let devices = KnownDevices()
        for number in 0..<400_000 { devices.insert(try device(number), sameToken) }
        #expect(devices.contains(try device(399_999), sameToken))
        #expect(try (0..<1_000).count { devices.contains(try device($0), sameToken) } < 100)
    }

    @Test("A device is known with its last token alone")
    func token() throws {
        let devices = KnownDevices()
        let phone = try device(1)
        let tokens = (0..<100).map { RegistrationToken("token-\($0)") }
        for token in tokens { devices.insert(phone, token) }
        #expect(devices.contains(phone, tokens[99]))
        #expect(tokens.dropLast().count { devices.contains(phone, $0) } <= 3)
        #expect(!devices.contains(try device(2), tokens[99]))
    }
}
