import FirestoreAPI
import GRPC
import Server

/// Firestore's service for gRPC: its methods by their paths.
struct FirestoreGRPC: Sendable {
    /// The names of the service. To its older version, whose clients exist still, the answers are the same.
    private static let services = ["google.firestore.v1.Firestore", "google.firestore.v1beta1.Firestore"]

    private static let names = [
        "BatchGetDocuments", "BatchWrite", "BeginTransaction", "Commit", "CreateDocument", "DeleteDocument",
        "ExecutePipeline", "GetDocument", "ListCollectionIds", "ListDocuments", "Listen", "PartitionQuery", "Rollback",
        "RunAggregationQuery", "RunQuery", "UpdateDocument", "Write",
    ]

    /// The call of Google's emulator that empties a database. Access is as for the same call over REST.
    private static let clearing = (path: "/google.firestore.emulator.v1.FirestoreEmulator/ClearData", name: "ClearData")

    private let methods: [String: FirestoreMethod]
    private let access: FirestoreAccess
    private let refusals: RefusalLog

    init(_ service: FirestoreService, access: FirestoreAccess, refusals: RefusalLog) {
        var methods: [String: FirestoreMethod] = [:]
        for name in Self.names {
            guard let method = service.method(name) else { continue }
            for service in Self.services { methods["/\(service)/\(name)"] = method }
        }
        methods[Self.clearing.path] = service.method(Self.clearing.name)
        self.methods = methods
        self.access = access
        self.refusals = refusals
    }

    /// Returns the method of a call; `nil` if there is none. A stranger's messages take no memory.
    var router: GRPCRouter {
        { [methods, access, refusals] call in
            guard let method = methods[call.path] else { return nil }
            let request = FirestoreRequest(call)
            do throws(FirestoreStatus) {
                let caller = try access.knownCaller(of: request).waiting(while: call.isAwaited)
                return GRPCMethod(method, caller, refusals)
            } catch {
                refusals.report(error, at: call.path, request)
                return .refusal(GRPCStatus(error))
            }
        }
    }
}

extension GRPCMethod {
    /// Translates a method's statuses, and reports refusals.
    fileprivate init(_ method: FirestoreMethod, _ caller: FirestoreCaller, _ refusals: RefusalLog) {
        switch method {
        case .unary(let answer):
            self = .unary { message, call async throws(GRPCStatus) -> [UInt8] in
                do throws(FirestoreStatus) {
                    return try await answer(message, caller)
                } catch {
                    refusals.report(error, at: call.path, FirestoreRequest(call))
                    throw GRPCStatus(error)
                }
            }
        case .streaming(let run):
            self = .streaming { messages, call, writer in
                do {
                    try await run(FirestoreMessages(messages), caller) {
                        try await writer.write($0)
                    }
                } catch let status as GRPCStatus {
                    throw status
                } catch {
                    let status = FirestoreStatus(catching: error)
                    refusals.report(status, at: call.path, FirestoreRequest(call))
                    throw GRPCStatus(status)
                }
            }
        }
    }
}

extension FirestoreMessages {
    /// Makes the messages of a call. Without the translation, one that cannot be read would end the call with
    /// `UNKNOWN`, after which SDKs send it again.
    fileprivate init(_ messages: GRPCMessages) {
        self.init {
            do {
                return try await messages.next()
            } catch let status as GRPCStatus {
                throw FirestoreStatus(FirestoreStatus.Code(rawValue: status.code) ?? .unknown, status.message)
            }
        }
    }
}

extension GRPCStatus {
    fileprivate init(_ status: FirestoreStatus) { self.init(code: status.code.rawValue, message: status.message) }
}
