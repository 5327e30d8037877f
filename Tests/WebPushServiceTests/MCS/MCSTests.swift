import NIOCore
import Testing

@testable import WebPushService

@Suite("Frames and messages of MCS")
struct MCSTests {
    @Test("Frames are read from pieces of any size, after the version", arguments: [1, 2, 7, 1_000])
    func frames(pieceSize: Int) throws {
        let first = MCSFrame(tag: MCSTag.heartbeatPing, content: [])
        let second = MCSFrame(tag: MCSTag.dataMessageStanza, content: [UInt8](repeating: 3, count: 300))
        let bytes = [MCSFrame.version] + first.bytes + second.bytes
        var reader = MCSFrameReader()
        var frames: [MCSFrame] = []
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            reader.append(ByteBuffer(bytes: bytes[start..<min(start + pieceSize, bytes.count)]))
            while let frame = try reader.next() { frames.append(frame) }
        }
        #expect(frames == [first, second])
    }

    @Test("Another version, and a message that is too large, are errors")
    func errors() {
        var reader = MCSFrameReader()
        reader.append(ByteBuffer(bytes: [0x16, 0x03]))
        #expect(throws: MCSError.version(0x16)) { try reader.next() }
        for size in [[0x81, 0x80, 0x40], [0xFF, 0xFF, 0xFF, 0xFF, 0x01]] as [[UInt8]] {
            var reader = MCSFrameReader()
            reader.append(ByteBuffer(bytes: [MCSFrame.version, 2] + size))
            #expect(throws: MCSError.tooLarge) { try reader.next() }
        }
    }

    @Test("A login is read with the ids of received messages")
    func login() throws {
        var message = ProtobufWriter()
        message.write("chrome-140.0", 1)
        message.write("mcs.android.com", 2)
        message.write("5012345678901234567", 3)
        message.write("5012345678901234567", 4)
        message.write("18446744073709551615", 5)
        message.write("m1", 10)
        message.write("m2", 10)
        let received = try MCSReceived(MCSFrame(tag: MCSTag.loginRequest, content: message.bytes))
        #expect(received.lastStreamID == nil)
        #expect(
            received.message
                == .login(
                    MCSLogin(
                        androidID: 5_012_345_678_901_234_567, securityToken: .max, receivedPersistentIDs: ["m1", "m2"]))
        )
    }

    @Test("A login without numbers for the id and the secret is malformed")
    func malformedLogin() {
        var message = ProtobufWriter()
        message.write("name", 3)
        message.write("1", 5)
        let frame = MCSFrame(tag: MCSTag.loginRequest, content: message.bytes)
        #expect(throws: MCSError.malformed) { try MCSReceived(frame) }
        #expect(throws: MCSError.malformed) { try MCSReceived(MCSFrame(tag: MCSTag.iqStanza, content: [0x08])) }
    }

    @Test("Acknowledgments are read from each kind of message")
    func acknowledgments() throws {
        var ack = ProtobufWriter()
        ack.write(4, 1)
        ack.write(3, 2)
        #expect(
            try MCSReceived(MCSFrame(tag: MCSTag.heartbeatAck, content: ack.bytes))
                == MCSReceived(message: .heartbeatAck, lastStreamID: 3))
        #expect(
            try MCSReceived(MCSFrame(tag: MCSTag.heartbeatPing, content: []))
                == MCSReceived(message: .heartbeatPing, lastStreamID: nil))

        var streamAck = ProtobufWriter()
        streamAck.write(7) {
            $0.write(13, 1)
            $0.write("", 2)
        }
        streamAck.write(12, 10)
        #expect(
            try MCSReceived(MCSFrame(tag: MCSTag.iqStanza, content: streamAck.bytes))
                == MCSReceived(message: .other, lastStreamID: 12))

        var selective = ProtobufWriter()
        selective.write(7) {
            $0.write(12, 1)
            $0.write(2) {
                $0.write("m1", 1)
                $0.write("m2", 1)
            }
        }
        #expect(
            try MCSReceived(MCSFrame(tag: MCSTag.iqStanza, content: selective.bytes))
                == MCSReceived(message: .selectiveAck(persistentIDs: ["m1", "m2"]), lastStreamID: nil))
        #expect(try MCSReceived(MCSFrame(tag: MCSTag.close, content: [])).message == .close)
        #expect(try MCSReceived(MCSFrame(tag: 13, content: [])).message == .other)
    }

    @Test("A push message has the fields by which Chromium finds the page and the key")
    func data() throws {
        let message = MCSServerMessage.data(
            MCSData(
                persistentID: "m1", category: "org.chromium.linux", subtype: "wp:https://example.com/#1",
                sender: "BKey", encoding: "aes128gcm", body: [1, 2, 3], timeToLive: 60, sentAt: 1_800_000_000_000))
        let frame = message.frame(streamID: 5, lastReceived: 2)
        #expect(frame.tag == MCSTag.dataMessageStanza)
        let fields = try ProtobufFields(frame.content)
        #expect(fields.text(3) == "BKey")
        #expect(fields.text(5) == "org.chromium.linux")
        #expect(fields.text(9) == "m1")
        #expect(fields.number(10) == 5)
        #expect(fields.number(11) == 2)
        #expect(fields.number(17) == 60)
        #expect(fields.number(18) == 1_800_000_000_000)
        #expect(fields.bytes(21) == [1, 2, 3])
        let pairs = try fields.allBytes(7).map { try ProtobufFields($0) }
        #expect(pairs.map { $0.text(1) } == ["subtype", "content-encoding"])
        #expect(pairs.map { $0.text(2) } == ["wp:https://example.com/#1", "aes128gcm"])
    }

    @Test("A message without a body has neither body nor encoding")
    func emptyData() throws {
        let message = MCSServerMessage.data(
            MCSData(
                persistentID: "m1", category: "app", subtype: nil, sender: "BKey", encoding: nil, body: [],
                timeToLive: 0, sentAt: 1))
        let fields = try ProtobufFields(message.frame(streamID: 2, lastReceived: 1).content)
        #expect(fields.bytes(21) == nil)
        #expect(fields.allBytes(7).isEmpty)
    }

    @Test("The answer to a login and heartbeats have the numbers of their streams")
    func otherMessages() throws {
        let login = MCSServerMessage.loginResponse(time: 1_800_000_000_000).frame(streamID: 1, lastReceived: 1)
        #expect(login.tag == MCSTag.loginResponse)
        let fields = try ProtobufFields(login.content)
        #expect(fields.text(1)?.isEmpty == false)
        #expect(fields.number(3) == nil)
        #expect(fields.number(5) == 1)
        #expect(fields.number(8) == 1_800_000_000_000)
        for (message, tag) in [
            (MCSServerMessage.heartbeatPing, MCSTag.heartbeatPing), (.heartbeatAck, MCSTag.heartbeatAck),
        ] {
            let frame = message.frame(streamID: 4, lastReceived: 3)
            #expect(frame.tag == tag)
            let fields = try ProtobufFields(frame.content)
            #expect(fields.number(1) == 4)
            #expect(fields.number(2) == 3)
        }
        #expect(MCSServerMessage.close.frame(streamID: 9, lastReceived: 9).bytes == [MCSTag.close, 0])
    }
}
