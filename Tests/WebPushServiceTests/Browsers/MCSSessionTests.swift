import NIOCore
import Testing

@testable import WebPushService

@Suite("Conversation with Chromium over MCS")
struct MCSSessionTests {
    private static let login = MCSLogin(androidID: 12, securityToken: 34, receivedPersistentIDs: ["m0"])

    private func frame(_ tag: UInt8, _ write: (inout ProtobufWriter) -> Void = { _ in }) -> [UInt8] {
        var message = ProtobufWriter()
        write(&message)
        return MCSFrame(tag: tag, content: message.bytes).bytes
    }

    private var loginBytes: [UInt8] {
        [MCSFrame.version]
            + frame(MCSTag.loginRequest) {
                $0.write("12", 3)
                $0.write("34", 5)
                $0.write("m0", 10)
            }
    }

    private func data(_ id: String) -> MCSServerMessage {
        .data(
            MCSData(
                persistentID: id, category: "app", subtype: nil, sender: "BKey", encoding: nil, body: [],
                timeToLive: 60, sentAt: 1))
    }

    private func receive(_ bytes: [UInt8], _ session: inout MCSSession) -> [MCSSession.Action] {
        session.receive(ByteBuffer(bytes: bytes))
    }

    @Test("A login comes first, and the answer has the version and the numbers of both directions")
    func login() throws {
        var session = MCSSession()
        #expect(receive(loginBytes, &session) == [.greet(Self.login)])
        var reader = MCSFrameReader()
        reader.append(ByteBuffer(bytes: session.bytes(of: .loginResponse(time: 5))))
        reader.append(ByteBuffer(bytes: session.bytes(of: data("m1"))))
        let first = try #require(try reader.next())
        #expect(first.tag == MCSTag.loginResponse)
        #expect(try ProtobufFields(first.content).number(5) == 1)
        #expect(try ProtobufFields(first.content).number(6) == 1)
        let second = try #require(try reader.next())
        #expect(try ProtobufFields(second.content).number(10) == 2)
    }

    @Test("A heartbeat is answered, and acknowledges the messages up to its number")
    func heartbeats() {
        var session = MCSSession()
        _ = receive(loginBytes, &session)
        _ = session.bytes(of: .loginResponse(time: 5))
        for id in ["m1", "m2", "m3"] { _ = session.bytes(of: data(id)) }
        let ping = frame(MCSTag.heartbeatPing) { $0.write(3, 2) }
        #expect(receive(ping, &session) == [.acknowledge(["m1", "m2"]), .send(.heartbeatAck)])
        let ack = frame(MCSTag.heartbeatAck) { $0.write(3, 2) }
        #expect(receive(ack, &session) == [])
        let rest = frame(MCSTag.heartbeatAck) { $0.write(4, 2) }
        #expect(receive(rest, &session) == [.acknowledge(["m3"])])
    }

    @Test("Messages that are acknowledged one by one are not acknowledged again")
    func selectiveAck() {
        var session = MCSSession()
        _ = receive(loginBytes, &session)
        _ = session.bytes(of: .loginResponse(time: 5))
        for id in ["m1", "m2"] { _ = session.bytes(of: data(id)) }
        let selective = frame(MCSTag.iqStanza) {
            $0.write(7) {
                $0.write(12, 1)
                $0.write(2) { $0.write("m2", 1) }
            }
        }
        #expect(receive(selective, &session) == [.acknowledge(["m2"])])
        let ack = frame(MCSTag.heartbeatAck) { $0.write(9, 2) }
        #expect(receive(ack, &session) == [.acknowledge(["m1"])])
    }

    @Test("A connection that does not begin with a login, or logs in twice, or closes, is closed")
    func closed() {
        var session = MCSSession()
        #expect(receive([MCSFrame.version] + frame(MCSTag.heartbeatPing), &session) == [.close])
        var twice = MCSSession()
        _ = receive(loginBytes, &twice)
        #expect(receive(Array(loginBytes.dropFirst()), &twice) == [.close])
        var other = MCSSession()
        #expect(receive(Array("GET / HTTP/1.1\r\n".utf8), &other) == [.close])
        var ended = MCSSession()
        _ = receive(loginBytes, &ended)
        #expect(receive(frame(MCSTag.close), &ended) == [.close])
    }
}
