import DocumentStore
import Functions
import HTTPTypes
import Hummingbird
import Messaging
import RequestRules
import Server

/// The decision on who may register browsers' subscriptions for FCM's interface, and remove them.
///
/// A caller needs an access token, as for messages, or the credential of a device that a system has paired. In emulator
/// mode every caller may, but no page of another site.
struct RegistrationAccess: Sendable {
    let authentication: FCMAuthentication
    /// The credentials of paired devices; `nil` if no system pairs any.
    let devices: (any DeviceCredentials)?
    let clientAddress: ClientAddress
    /// The origin check; `nil` if credentials are required.
    let originGuard: OriginGuard?

    /// Returns the owner of what the caller registers; `nil` for a caller that is no device. Throws an error unless the
    /// caller may register.
    func owner(of request: Request, _ context: GatewayRequestContext) async throws -> RegistrationOwner? {
        if let devices, let credential = request.bearerToken, devices.recognizes(credential) {
            do {
                return try await devices.owner(of: credential, from: clientAddress.limitKeys(of: request, context))
            } catch let error as DeviceCredentialError {
                throw APIError(error)
            }
        }
        try originGuard?.check(request, context)
        _ = try authentication.grant(of: request, context)
        return nil
    }
}

/// The limit of new registrations by the client's address. Each of them can make the gateway send to a host that its
/// client names.
struct NewRegistrationLimit: Sendable {
    private let perHour: Int
    private let limiter: FixedWindowLimiter
    private let clientAddress: ClientAddress
    private let now: @Sendable () -> Timestamp

    /// - Parameter perHour: The maximum number per hour; 0 removes the limit.
    init(perHour: Int, clientAddress: ClientAddress, now: @escaping @Sendable () -> Timestamp) {
        self.perHour = perHour
        limiter = FixedWindowLimiter(limit: perHour, everySeconds: 3_600)
        self.clientAddress = clientAddress
        self.now = now
    }

    /// A registration that counts for its address.
    struct Admission {
        fileprivate let key: String
        fileprivate let time: Int64
    }

    /// Counts a new registration.
    func admit(_ request: Request, _ context: GatewayRequestContext) throws(APIError) -> Admission {
        let admission = Admission(
            key: clientAddress.client(of: request, context)?.limitKey ?? "unknown", time: now().seconds)
        if let seconds = limiter.admit(admission.key, at: admission.time) {
            throw .tooManyRegistrations(perHour, retryAfter: seconds)
        }
        return admission
    }

    /// Takes back a registration that could not be stored.
    func takeBack(_ admission: Admission) { limiter.takeBack(admission.key, at: admission.time) }
}

extension APIError {
    /// The error of a device's credential that is wrong, or has ended.
    static let unknownCredential = APIError(
        status: .unauthorized, name: "UNAUTHENTICATED",
        message: "the device's credential is wrong, or has ended; pair the browser again",
        headers: [.wwwAuthenticate: "Bearer"])

    fileprivate init(_ error: DeviceCredentialError) {
        switch error {
        case .unknown: self = .unknownCredential
        case .notAllowed(let reason):
            self.init(status: .forbidden, name: "PERMISSION_DENIED", message: reason)
        case .tooMany(let seconds):
            self.init(
                status: .tooManyRequests, name: "RESOURCE_EXHAUSTED",
                message: "there were too many requests, or wrong credentials", headers: [.retryAfter: String(seconds)])
        }
    }

    fileprivate static func tooManyRegistrations(_ limit: Int, retryAfter seconds: Int64) -> APIError {
        APIError(
            status: .tooManyRequests, name: "RESOURCE_EXHAUSTED",
            message: "an address may register \(limit) new subscriptions an hour "
                + "(webpush.newRegistrationsPerHourPerAddress)",
            headers: [.retryAfter: String(seconds)])
    }
}
