import Testing

@testable import WebPushService

@Suite("Messages in protobuf's wire format")
struct ProtobufTests {
    @Test("Numbers and texts are written as protobuf's documentation shows them")
    func writing() {
        var writer = ProtobufWriter()
        writer.write(150, 1)
        writer.write("testing", 2)
        writer.write(3) { $0.write(150, 1) }
        writer.write(fixed: 1, 4)
        let expected: [UInt8] = [
            0x08, 0x96, 0x01, 0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6E, 0x67, 0x1A, 0x03, 0x08, 0x96, 0x01, 0x21,
            1,
            0, 0, 0, 0, 0, 0, 0,
        ]
        #expect(writer.bytes == expected)
    }

    @Test("Fields are read as they were written, the last of several with one number")
    func reading() throws {
        var writer = ProtobufWriter()
        writer.write(UInt64.max, 1)
        writer.write(fixed: 0x0102_0304_0506_0708, 2)
        writer.write("é", 3)
        writer.write("b", 3)
        writer.write(7, 1)
        let fields = try ProtobufFields(writer.bytes)
        #expect(fields.number(1) == 7)
        #expect(fields.number(2) == 0x0102_0304_0506_0708)
        #expect(fields.texts(3) == ["é", "b"])
        #expect(fields.text(3) == "b")
        #expect(fields.number(3) == nil)
        #expect(fields.text(1) == nil)
        #expect(fields.bytes(9) == nil)
    }

    @Test("A field of 32 bits is read")
    func fixed32() throws {
        #expect(try ProtobufFields([0x0D, 1, 2, 0, 0]).number(1) == 0x201)
    }

    @Test(
        "Bytes that are not whole fields are refused",
        arguments: [
            [0x08], [0x08, 0x80], [0x12, 0x02, 0x61], [0x21, 1, 2, 3], [0x0B], [0x00, 0x01],
            [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
            [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        #expect(throws: ProtobufError.malformed) { try ProtobufFields(bytes) }
    }
}
