import Cryptography

/// A request of a browser without TLS: Chromium's check-in and registration.
struct BrowserRequest: Sendable {
    let method: String
    let path: String
    /// The field `authorization`; `nil` if it is missing.
    let authorization: String?
    let body: [UInt8]
}

/// An answer to a browser.
struct BrowserAnswer: Sendable {
    let status: Int
    var contentType = "text/plain; charset=utf-8"
    let body: [UInt8]

    static func text(_ text: String, status: Int = 200) -> BrowserAnswer {
        BrowserAnswer(status: status, body: Array(text.utf8))
    }
}

/// A responder to Chromium's check-in and registration, without a socket.
struct BrowserResponder: Sendable {
    static let checkInPath = "/checkin"
    static let registrationPath = "/register"

    let broker: PushBroker
    /// Returns the current time in milliseconds since 1970.
    let now: @Sendable () -> Int64

    func respond(to request: BrowserRequest) -> BrowserAnswer {
        switch (request.method, request.path) {
        case ("POST", Self.checkInPath): checkIn(request.body)
        case ("POST", Self.registrationPath): register(request)
        case ("GET", "/"): .text("This is a push service for browsers: Pushgate's, for tests.\n")
        default: .text("There is nothing here; docs/webpush-service.md has the addresses.\n", status: 404)
        }
    }

    /// Gives a profile its id, or confirms the one that it has.
    private func checkIn(_ body: [UInt8]) -> BrowserAnswer {
        let request: CheckInRequest
        do { request = try CheckInRequest(body) } catch { return .text("malformed\n", status: 400) }
        let response: CheckInResponse
        if let androidID = request.androidID, let securityToken = request.securityToken {
            response = CheckInResponse(androidID: androidID, securityToken: securityToken, time: now())
        } else {
            // Chromium reads the id as a signed number in some places.
            response = CheckInResponse(
                androidID: UInt64.random(in: 1...UInt64(Int64.max)), securityToken: .random(in: 1 ... .max),
                time: now())
        }
        broker.add(.chromium(response.androidID, securityToken: response.securityToken))
        return BrowserAnswer(status: 200, contentType: "application/x-protobuf", body: response.bytes)
    }

    private func register(_ request: BrowserRequest) -> BrowserAnswer {
        guard let form = RegistrationRequest(form: request.body, authorization: request.authorization) else {
            return .text("Error=INVALID_PARAMETERS", status: 400)
        }
        guard let browserID = broker.chromium(form.androidID, securityToken: form.securityToken) else {
            return .text("Error=AUTHENTICATION_FAILED", status: 401)
        }
        if form.isDeletion {
            broker.end(of: browserID) { record in
                (form.subtype == nil || record.channel?.id == form.subtype)
                    && (form.sender == "*" || record.channel?.sender == form.sender)
            }
            return .text(form.deletionAnswer)
        }
        // Pages of before VAPID have the number of a Google project in place of the key.
        let key = UncompressedPoint(base64URL: form.sender)?.base64URL
        let subscription = broker.subscribe(
            .google, browserID: browserID,
            channel: PageChannel(id: form.subtype, app: form.app, sender: form.sender), key: key)
        return .text("token=\(subscription.token)")
    }
}

extension PushBroker {
    /// Returns the id of a Chromium profile; `nil` if its secret is another one.
    ///
    /// A profile that has checked in with an earlier run of the service is taken in: Chromium keeps its id.
    func chromium(_ androidID: UInt64, securityToken: UInt64) -> String? {
        let browser = Browser.chromium(androidID, securityToken: securityToken)
        add(browser)
        return self.browser(browser.id)?.kind == browser.kind ? browser.id : nil
    }
}
