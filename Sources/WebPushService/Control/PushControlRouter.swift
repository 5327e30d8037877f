import JSON
import SimulatorTools

/// The endpoints of the control address: a request in, a reply out, without a socket.
struct PushControlRouter: ControlEndpoints {
    let broker: PushBroker
    let history: MessageHistory
    let scripts: PushScripts

    static let methods = [
        "/": ["GET"], "/status": ["GET"], "/notifications": ["GET", "DELETE"],
        "/answers": ["GET", "PUT", "POST", "DELETE"], "/subscriptions": ["GET", "POST", "DELETE"],
        "/browsers": ["GET", "PUT"],
    ]

    func route(_ request: ControlRequest) throws(ControlError) -> ControlReply? {
        switch (request.path, request.method) {
        case ("/", "GET"): return .now(ControlResponse(body: Self.help))
        case ("/status", "GET"): return .now(ControlResponse(body: history.counters.json))
        case ("/notifications", "GET"): return try notifications(request)
        case ("/notifications", "DELETE"): return .now(forgetNotifications())
        case ("/answers", _): return try answers.response(to: request).map { .now($0) }
        case ("/subscriptions", "GET"): return .now(subscriptions)
        case ("/subscriptions", "POST"): return .now(try subscribe(request))
        case ("/subscriptions", "DELETE"): return .now(try endSubscription(request))
        case ("/browsers", "GET"): return .now(browsers)
        case ("/browsers", "PUT"): return .now(try changeBrowsers(request))
        default: return nil
        }
    }
}

/// The endpoints for received messages.
extension PushControlRouter {
    private func notifications(_ request: ControlRequest) throws(ControlError) -> ControlReply {
        let query = try MessageQuery(request.query)
        return history.reply(to: query.page, matching: query.filter) { $0.json }
    }

    private func forgetNotifications() -> ControlResponse {
        history.reset()
        return ControlResponse(body: history.counters.json)
    }
}

/// The endpoints for scripted answers.
extension PushControlRouter {
    private var answers: AnswersEndpoints<ScriptedPushAnswer> {
        AnswersEndpoints(
            scripts, remedy: "give the token of an endpoint, or null for all endpoints",
            read: { step throws(ControlError) in try ScriptedPushAnswer(step) }, json: { $0.json })
    }
}

/// The endpoints for subscriptions and browsers.
extension PushControlRouter {
    private var subscriptions: ControlResponse {
        let subscriptions = broker.records.map { record -> JSONValue in
            var object = broker.subscription(record).json.object ?? [:]
            object["browser"] = record.browserID.map(JSONValue.string) ?? .null
            object["ended"] = .bool(record.isEnded)
            return .object(object)
        }
        return ControlResponse(body: ["subscriptions": .array(subscriptions)])
    }

    private func subscribe(_ request: ControlRequest) throws(ControlError) -> ControlResponse {
        let order = try SubscriptionOrder(request.object())
        let keys: SubscriptionKeys
        do { keys = try SubscriptionKeys.generate() } catch {
            throw .failed("no keys could be made: \(error)")
        }
        let subscription = broker.subscribe(
            order.service, browserID: nil, channel: nil, key: order.applicationServerKey,
            maximumBody: order.maximumBody)
        return ControlResponse(body: subscription.json(keys))
    }

    private func endSubscription(_ request: ControlRequest) throws(ControlError) -> ControlResponse {
        guard let token = request.query["token"], request.query.count == 1 else {
            throw .badRequest("DELETE /subscriptions takes the query parameter token, and no other one")
        }
        guard broker.end(token) else { throw .badRequest("no subscription that goes on has this token") }
        return subscriptions
    }

    private var browsers: ControlResponse {
        let browsers = broker.browsers.map { browser, isConnected -> JSONValue in
            [
                "id": .string(browser.id), "kind": browser.kind == .firefox ? "firefox" : "chromium",
                "connected": .bool(isConnected), "minimum_urgency": .string(browser.minimumUrgency.rawValue),
            ]
        }
        return ControlResponse(body: ["browsers": .array(browsers)])
    }

    private func changeBrowsers(_ request: ControlRequest) throws(ControlError) -> ControlResponse {
        let object = try request.object().checked("the change", required: ["id", "minimum_urgency"])
        let id = try object.value("id").textOrNull("id")
        guard let urgency = Urgency(rawValue: try object.value("minimum_urgency").text("minimum_urgency")) else {
            let all = Urgency.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("minimum_urgency is none of \(all)")
        }
        guard broker.setMinimumUrgency(urgency, of: id) else { throw .badRequest("no browser has the id \(id ?? "")") }
        return browsers
    }
}

/// The response to `GET /`.
extension PushControlRouter {
    static let help: JSONValue = [
        "name": "Push service for browsers, control address",
        "endpoints": [
            "GET /status": "the counters",
            "GET /notifications": """
            the received messages, oldest first; query: token, topic, urgency, message_id, status, delivery (waiting, \
            sent, acknowledged, failed, expired, replaced, canceled, dropped), limit (default 100), offset, wait_for \
            (a number of matching messages), timeout (seconds, default 10); "cause" explains a refusal, "deviations" \
            lists departures from the specifications
            """,
            "DELETE /notifications": "deletes the received messages and sets the counters to zero",
            "GET /answers": "the scripted answers that have not been used yet",
            "PUT /answers": """
            scripts the answers to the next valid requests to an endpoint (null: any endpoint), replacing its script: \
            {"token":…,"status":410,"reason":…,"errno":n,"times":n,"delay_ms":0,"retry_after":s or \
            "retry_after_date":s,"accept":false}, or "hang":true or "close":true in place of a status, or \
            {"token":…,"answers":[{"status":…},…]}; "times" is 1 by default, and null for all that follow; "accept" \
            delivers the message whatever the sender is told
            """,
            "POST /answers": "the same, but appends to the script",
            "DELETE /answers": "deletes scripted answers; query: token (default: all)",
            "GET /subscriptions": "the subscriptions, those that have ended included",
            "POST /subscriptions": """
            makes a subscription without a browser, whose messages are acknowledged at once: {"service":"apple", \
            "mozilla", "google", "microsoft" or "standard","application_server_key":…,"maximum_body":4096}; the answer \
            is that of PushSubscription.toJSON() with the private key
            """,
            "DELETE /subscriptions": "ends a subscription; its endpoint is 410 from then on; query: token",
            "GET /browsers": "the browsers that are known, and if they are connected",
            "PUT /browsers": """
            sets the lowest urgency of the messages that a browser (null: each) receives, as a device does that saves \
            power: {"id":…,"minimum_urgency":"high"}; others wait until it is set back
            """,
        ],
    ]
}
