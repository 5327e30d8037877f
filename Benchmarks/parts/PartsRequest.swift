import Functions
import HTTPTypes
import JSON

/// A request of a coding agent or a device.
enum PartsRequest: String {
    case knownRegistration = "registration-known"
    case newRegistration = "registration-new"
    case trigger

    var function: String { self == .trigger ? "triggerReplyFinished" : "registerSubscription" }

    func request(_ number: Int) -> FunctionRequest {
        let secret = "secret-of-a-benchmark-\(10_000_000_000_000_000 + (self == .newRegistration ? number + 1 : 0))"
        return FunctionRequest(
            method: .post, headerFields: [.authorization: "Bearer \(secret)", .contentType: "application/json"],
            clientAddress: "192.0.2.1", received: PartsBody(bytes: body(number).serialized))
    }

    private func body(_ number: Int) -> JSONValue {
        switch self {
        case .knownRegistration, .newRegistration:
            [
                "cwd": "/srv/projects/benchmark", "installation_id": "phone", "platform": "ios",
                "fcm_token": .string(String(repeating: "0", count: 64)), "agent_display_name": "Benchmark",
            ]
        case .trigger:
            [
                "cwd": "/srv/projects/benchmark", "completion_id": .string("\(number)"),
                "message_preview": .string(String(repeating: "The tests pass. ", count: 12)),
            ]
        }
    }
}

/// A complete body.
private struct PartsBody: ReceivedRequest {
    let bytes: [UInt8]
    let query: [String: String] = [:]
    let widerNetworks: [String] = []
    let isFromLoopback = false
    let origin: String? = nil
    let originRefusal: String? = nil

    func readBody(_ maximumBytes: Int) async throws(RequestBodyError) -> [UInt8] { bytes }

    func readPieces(
        _ maximumBytes: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(RequestBodyError) {
        _ = take(bytes)
    }
}
