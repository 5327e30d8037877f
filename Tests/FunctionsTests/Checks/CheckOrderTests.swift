import Functions
import HTTPTypes
import JSON
import Testing

/// The faults of a registration, in the order of the checks.
private enum Fault: Int, CaseIterable {
    case method, size, secret, rate, contentType, syntax, length, missing, newServer

    var answer: FunctionResponse {
        switch self {
        case .method: .error(405, "method_not_allowed", [.allow: "POST"])
        case .size: .error(413, "payload_too_large")
        case .secret: .unauthorized
        case .rate: .rateLimited(retryAfter: 60)
        case .contentType: .unsupportedMediaType
        case .syntax, .missing: .badRequest
        case .length: .error(400, "cwd_too_long")
        case .newServer: .rateLimited(retryAfter: 3_600)
        }
    }
}

@Suite("The order of the request checks")
struct CheckOrderTests {
    @Test(
        "Of several faults in a request, the first in the contract's table is answered and nothing is stored",
        arguments: [false, true], [false, true])
    func everyCombination(isRateLimited: Bool, isNewServerLimited: Bool) async throws {
        let bench = try Bench { settings in
            settings.requestsPerMinutePerSecret = isRateLimited ? 1 : 0
            settings.requestsPerMinutePerAddress = 0
            settings.newServersPerHourPerAddress = isNewServerLimited ? 1 : 0
        }
        if isRateLimited { _ = try await bench.register(Call([:])) }
        let other = String(repeating: "o", count: 32)
        #expect(try await bench.register(.register(secret: other)).status == .ok)
        let before = try await bench.documents()
        for bits in 0..<128 {
            var faults = Set(Self.requestFaults.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element))
            if isRateLimited { faults.insert(.rate) }
            if isNewServerLimited { faults.insert(.newServer) }
            guard let first = faults.min(by: { $0.rawValue < $1.rawValue }) else { continue }
            #expect(try await bench.register(Self.call(with: faults)).withoutMessage == first.answer, "\(faults)")
        }
        #expect(try await bench.documents() == before)
    }

    private static let requestFaults: [Fault] = [.method, .size, .secret, .contentType, .syntax, .length, .missing]

    private static func call(with faults: Set<Fault>) -> Call {
        var call = Call.register(cwd: String(repeating: "x", count: faults.contains(.length) ? 2_049 : 2_048))
        if faults.contains(.missing) {
            call = Call(["cwd": .string(String(repeating: "x", count: faults.contains(.length) ? 2_049 : 8))])
        }
        if faults.contains(.syntax) { call.body.append(UInt8(ascii: "}")) }
        if faults.contains(.size) { call.body += Array(repeating: UInt8(ascii: " "), count: 16_385 - call.body.count) }
        if faults.contains(.method) { call.method = .put }
        if faults.contains(.secret) { call.headers[.authorization] = "Bearer short" }
        if faults.contains(.contentType) { call.headers[.contentType] = "text/plain" }
        return call
    }

    @Test(
        "Each function makes the same request checks",
        arguments: ["registerSubscription", "unregisterSubscription", "triggerReplyFinished", "updateReply"])
    func everyFunction(name: String) async throws {
        let bench = try Bench { $0.requestsPerMinutePerSecret = 0 }
        func answer(_ change: (inout Call) -> Void) async throws -> FunctionResponse {
            var call = Call.register()
            change(&call)
            return try await bench.call(name, call).withoutMessage
        }
        #expect(try await answer { $0.method = .get } == .error(405, "method_not_allowed", [.allow: "POST"]))
        #expect(try await answer { $0.body = Array(repeating: 32, count: 16_385) } == .error(413, "payload_too_large"))
        #expect(try await answer { $0.headers[.authorization] = nil } == .unauthorized)
        #expect(try await answer { $0.headers[.contentType] = nil } == .unsupportedMediaType)
        #expect(try await answer { $0.body = [] } == .unsupportedMediaType)
        #expect(try await answer { $0.body = Array("[]".utf8) } == .badRequest)
        #expect(try await answer { $0.body = Array("{}".utf8) } == .badRequest)
        #expect(
            try await answer { $0.body = Array(#"{"cwd":"\#(String(repeating: "x", count: 2_049))"}"#.utf8) }
                == .error(400, "cwd_too_long"))
        #expect(try await answer { _ in }.status == .ok)
    }

    @Test("CodeAgents has exactly the four functions that its clients call, and the one that pairs browsers")
    func names() throws {
        let names = try Bench().module.functions.map(\.name)
        #expect(
            names == [
                "registerSubscription", "unregisterSubscription", "triggerReplyFinished", "updateReply",
                "createPairing",
            ])
    }
}
