import DocumentStore
import Testing

@testable import Functions

@Suite("Devices that registered recently")
struct KnownDevicesTests {
    private func device(_ number: Int) throws -> DocumentPath {
        try DocumentPath("servers/a/agents/b/devices/\(number)")
    }

    @Test("Thousands of recent devices are known and hardly any other")
    func known() throws {
        let devices = KnownDevices()
        for number in 0..<8_000 { devices.insert(try device(number)) }
        devices.insert(try device(0))
        let known = try (0..<8_000).count { devices.contains(try device($0)) }
        let others = try (8_000..<16_000).count { devices.contains(try device($0)) }
        #expect(known > 7_900)
        #expect(others < 10)
    }

    @Test("Later devices replace earlier ones beyond the capacity")
    func bounded() throws {
        let devices = KnownDevices()
        for number in 0..<400_000 { devices.insert(try device(number)) }
        #expect(devices.contains(try device(399_999)))
        #expect(try (0..<1_000).count { devices.contains(try device($0)) } < 100)
    }
}
