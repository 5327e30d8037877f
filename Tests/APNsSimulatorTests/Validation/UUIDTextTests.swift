import Testing

@testable import APNsSimulator

@Suite("UUIDs as text")
struct UUIDTextTests {
    @Test("A UUID of 128 bits is written as 8-4-4-4-12 lower-case digits")
    func text() {
        #expect(
            UUIDText.text(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
                == "01234567-89ab-cdef-fedc-ba9876543210")
    }

    @Test("A random UUID is canonical, of version 4, and never repeated")
    func random() {
        let uuids = (0..<1000).map { _ in UUIDText.random() }
        #expect(Set(uuids).count == 1000)
        #expect(uuids.allSatisfy(UUIDText.isCanonical))
        #expect(uuids.allSatisfy { Array($0)[14] == "4" && "89ab".contains(Array($0)[19]) })
    }
}
