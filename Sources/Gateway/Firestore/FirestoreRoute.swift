import DocumentStore
import FirestoreAPI
import Functions
import GRPC
import HTTPTypes
import Hummingbird
import RequestRules
import Server
import Signals

/// A middleware with Firestore's REST interface, for HTTP/1.1 and HTTP/2.
///
/// Content types do not matter: web SDKs send JSON as `text/plain`, so that browsers ask for no permission first.
struct FirestoreRoute: RouterMiddleware {
    typealias Context = GatewayRequestContext

    /// The maximum size of a request, as in production.
    static let maximumBytes = 10 << 20
    /// The name for the log.
    private static let name = "Firestore (REST)"

    let interface: FirestoreREST
    let access: FirestoreAccess
    let memory: MessageMemory
    let refusals: RefusalLog

    init(_ service: FirestoreService, access: FirestoreAccess, memory: MessageMemory, refusals: RefusalLog) {
        interface = FirestoreREST(service)
        self.access = access
        self.memory = memory
        self.refusals = refusals
    }

    /// Answers a request of the operator.
    func answer(_ request: RESTRequest) async -> RESTAnswer {
        await interface.answer(request, as: access.administrator)
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let target = FirestoreTarget(path: request.pathText) else { return try await next(request, context) }
        let call = FirestoreRequest(request, context)
        let origin = access.origins.allowedOrigin(of: call)
        var response =
            await request.method == .options
            ? preflight(request, origin) : answer(request, context, target, call)
        response.headers.allow(origin)
        return response
    }

    private func answer(
        _ request: Request, _ context: Context, _ target: FirestoreTarget, _ call: FirestoreRequest
    ) async -> Response {
        do throws(FirestoreStatus) {
            let answer = try await result(of: request, context, target, call)
            if let refusal = answer.refusal { refusals.report(refusal, at: Self.name, call) }
            return Response(answer)
        } catch {
            refusals.report(error, at: Self.name, call)
            return Response(error)
        }
    }

    private func result(
        of request: Request, _ context: Context, _ target: FirestoreTarget, _ call: FirestoreRequest
    ) async throws(FirestoreStatus) -> RESTAnswer {
        // A stranger's body is not read.
        let caller: FirestoreCaller
        switch target {
        case .database(let database):
            caller = access.caller(of: call)
            _ = try caller.access(to: database)
        case .databases: caller = try access.knownCaller(of: call)
        case .invalid(let status):
            _ = try access.knownCaller(of: call)
            throw status
        case .channel: throw .noChannel
        }
        let (path, query) = Self.parts(of: context.target ?? request.uri.description)
        let reservation = try reserve(for: request)
        let body = try await Self.body(of: request)
        let client = context.watchedCaller()
        let answer = await interface.answer(
            RESTRequest(
                method: request.method == .head ? "GET" : request.method.rawValue, path: path, query: query,
                body: body),
            as: caller.waiting { client.isAwaiting })
        return answer.keeping(reservation)
    }

    private static func parts(of target: String) -> (path: String, query: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }

    /// Reserves the memory for a body, which some clients do not announce.
    private func reserve(for request: Request) throws(FirestoreStatus) -> MessageReservation? {
        guard Self.hasBody(request) else { return nil }
        let length = request.headers[.contentLength].flatMap { Int($0) }
        do throws(GRPCStatus) {
            return try memory.reserve(
                length, isCompressed: request.headers[.contentEncoding] != nil, limit: Self.maximumBytes)
        } catch {
            throw FirestoreStatus(.resourceExhausted, error.message)
        }
    }

    /// Returns `false` for a method whose body nobody reads.
    private static func hasBody(_ request: Request) -> Bool {
        request.method != .get && request.method != .head && request.method != .delete
    }

    private static func body(of request: Request) async throws(FirestoreStatus) -> [UInt8] {
        guard hasBody(request) else { return [] }
        do throws(BodyError) {
            return try await request.wholeBody(maximumBytes: maximumBytes)
        } catch {
            switch error {
            case .tooLarge: throw .invalid("the request is larger than \(maximumBytes) bytes")
            case .incomplete: throw .invalid("the body ended early")
            case .unsupportedEncoding: throw .invalid(RequestBodyError.unsupportedEncodingText)
            case .malformedEncoding: throw .invalid(RequestBodyError.malformedEncodingText)
            }
        }
    }
}

/// Answers to web pages of other origins ([Fetch](https://fetch.spec.whatwg.org/#http-cors-protocol)).
extension FirestoreRoute {
    private static let maximumAge = "3600"

    /// Answers a browser's question if a page may send a request.
    private func preflight(_ request: Request, _ origin: String?) -> Response {
        guard origin != nil else {
            return Response(
                FirestoreStatus(
                    .permissionDenied,
                    "pages of this origin may not use Firestore's interface; if they are yours, add the origin to "
                        + "firestore.allowedOrigins"))
        }
        var headers: HTTPFields = [
            .accessControlAllowMethods: "DELETE, GET, PATCH, POST", .accessControlMaxAge: Self.maximumAge,
        ]
        headers[.accessControlAllowHeaders] = request.headers[.accessControlRequestHeaders]
        headers.allowLocalNetwork(request.headers)
        return Response(status: .noContent, headers: headers)
    }
}

extension HTTPFields {
    /// Lets pages of an origin read the response.
    fileprivate mutating func allow(_ origin: String?) {
        self[.vary] = "Origin"
        guard let origin else { return }
        self[.accessControlAllowOrigin] = origin
        self[.accessControlAllowCredentials] = "true"
    }
}

extension FirestoreStatus {
    fileprivate static let noChannel = FirestoreStatus(
        .unimplemented,
        "the streams of SDKs in browsers (WebChannel) are not supported; use firebase/firestore/lite, or REST")
}
