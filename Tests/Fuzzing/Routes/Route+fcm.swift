/// The routes of FCM's interface, and those with the admin token.
extension Route {
    private static let caller = [(name: "Authorization", value: "Bearer <accessToken>"), json]
    private static let operatorToken = [(name: "Authorization", value: "Bearer <admin>")]
    private static let form = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]

    static let messages = [
        Route(
            "fcm", "POST", "/token", form,
            ["grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=<assertion>"],
            captures: [("accessToken", "access_token")]),
        Route(
            "fcm", "POST", "/oauth2/v4/token", form,
            ["grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=<assertion>"]),
        Route(
            "fcm", "POST", "/o/oauth2/token", form,
            ["grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=<assertion>"]),
        Route(
            "fcm", "POST", "/iid/v1:batchImport", caller,
            [#"{"application":"com.example.agents","sandbox":true,"apns_tokens":["<hex>","<hex>"]}"#],
            captures: [("registration", "results.0.registration_token")]),
        Route("fcm", "GET", "/iid/info/<registration>?details=true", caller),
        Route(
            "fcm", "POST", "/v1/receipts", [json],
            [
                #"{"receipts":[{"id":"<word>.<word>","kind":"delivered","device":"<n>"}]}"#,
                #"{"receipts":[{"id":"<word>","kind":"opened"},{"id":"a.b","kind":"delivered"}]}"#,
            ], expected: [204]),
        Route(
            "fcm", "POST", "/v1/projects/pushgate/messages:send", caller,
            [
                #"{"message":{"token":"<registration>","notification":{"title":"Hi","body":"There"},"data":{"a":"b"},"apns":{"headers":{"apns-priority":"5","apns-collapse-id":"c-<n>"},"payload":{"aps":{"badge":<n>,"sound":"default"}}}}}"#,
                #"{"message":{"token":"emulated:fcm-<n>","android":{"ttl":"60s","priority":"high"},"webpush":{"headers":{"TTL":"5"}},"fcm_options":{"analytics_label":"x"}}}"#,
                #"{"message":{"topic":"news-<n>","notification":{"title":"Hi"}}}"#,
                #"{"message":{"condition":"'news-<n>' in topics && !('x' in topics)","data":{"k":"v"}}}"#,
                #"{"validateOnly":true,"message":{"token":"<registration>","data":{"k":"v"}}}"#,
            ], captures: [("message", "name")]),
    ]

    private static let subscriptions = "/v1/projects/pushgate/registrations/<registration>/topicSubscriptions"

    static let topics = [
        Route(
            "fcm", "POST", "/iid/v1:batchAdd", caller,
            [#"{"to":"/topics/news-<n>","registration_tokens":["<registration>"]}"#]),
        Route("fcm", "POST", "/iid/v1/<registration>/rel/topics/news-<n>", caller),
        Route(
            "fcm", "POST", subscriptions + "?topicName=weather-<n>", caller, expected: [200, 409],
            captures: [("topic", "topicName")]),
        Route("fcm", "GET", subscriptions + "?pageSize=<n>&pageToken=", caller),
        Route("fcm", "GET", subscriptions + "/<topic>", caller, expected: [200, 404]),
        Route("fcm", "PATCH", subscriptions + "/news-<n>?allowMissing=true", caller),
        Route("fcm", "DELETE", subscriptions + "/weather-<n>?allowMissing=true", caller),
        Route(
            "fcm", "POST", "/iid/v1:batchRemove", caller,
            [#"{"to":"/topics/news-<n>","registration_tokens":["<registration>","<word>"]}"#]),
    ]

    private static let documents = "/v1/projects/pushgate/databases/(default)/documents"

    static let admin = [
        Route("documents", "POST", documents + ":listCollectionIds", operatorToken),
        Route("documents", "GET", documents + "/servers?pageSize=1<n>&pageToken=", operatorToken),
        Route("documents", "GET", documents + "/messages?pageSize=1<n>", operatorToken),
        Route("documents", "GET", documents + "/humanTasks/<hit>", operatorToken),
        Route("documents", "POST", documents + "/humanTasks/<hit>:listCollectionIds", operatorToken),
        Route(
            "documents", "PATCH", documents + "/notes/<n>?updateMask.fieldPaths=n&currentDocument.exists=false",
            operatorToken, [#"{"fields":{"n":{"integerValue":"<n>"},"text":{"stringValue":"<word>"}}}"#],
            expected: [200, 409]),
        Route(
            "documents", "POST", documents + ":commit", operatorToken,
            ["appendMissingElements", "removeAllFromArray"].map { transform in
                let fieldTransform = #"{"fieldPath":"list","\#(transform)":{"values":[<integers>]}}"#
                let document = documents.dropFirst("/v1/".count) + "/notes/<n>"
                return #"{"writes":[{"transform":{"document":"\#(document)","fieldTransforms":[\#(fieldTransform)]}}]}"#
            }),
        Route("documents", "DELETE", documents + "/notes/<n>", operatorToken),
        Route(
            "deliveries", "GET", "/v1/deliveries?limit=1<n>&before=2030-01-31T12:00:00Z", operatorToken,
            captures: [("delivery", "deliveries.0.id")]),
        Route("deliveries", "GET", "/v1/deliveries/<delivery>?page=0", operatorToken),
        Route(
            "deliveries", "POST", "/v1/deliveries", operatorToken,
            [
                #"{"to":"<registration>","title":"Hi","body":"There","data":{"a":"b"}}"#,
                #"{"to":"emulated:admin-<n>","body":"<word>","environment":"sandbox"}"#,
            ]),
        Route(
            "deliveries", "POST", "/v1/deliveries",
            operatorToken + [(name: "Idempotency-Key", value: "\"<n>-<n>\"")],
            [#"{"to":"emulated:later-<n>","title":"<word>","deliver_in":"1<n>h"}"#], expected: [200, 409],
            captures: [("scheduled", "id")]),
        Route("deliveries", "GET", "/v1/deliveries?since=<delivery>&limit=1<n>&wait=0", operatorToken),
        Route("deliveries", "GET", "/v1/scheduled?limit=1<n>&after=2020-01-31T12:00:00Z", operatorToken),
        Route("deliveries", "DELETE", "/v1/deliveries/<scheduled>", operatorToken, expected: [200, 404, 409]),
        Route(
            "diagnoses", "POST", "/v1/diagnoses", operatorToken,
            [#"{"of":"<registration>"}"#, #"{"of":"/srv/<word>"}"#, #"{"of":"<hex>"}"#]),
        Route("servers", "GET", "/v1/servers?limit=1<n>", operatorToken),
        Route(
            "servers", "PUT", "/v1/servers/<hex>", operatorToken, [#"{"access":"allowed","name":"<word>"}"#]),
        Route(
            "keys", "POST", "/v1/keys/publish", operatorToken,
            [#"{"name":"<word>","scope":"publish:news"}"#, #"{"name":"key <n>","scope":"read"}"#],
            captures: [("publishKey", "id"), ("publishToken", "key")]),
        Route("keys", "GET", "/v1/keys/publish", operatorToken),
        Route("keys", "GET", "/v1/keys/codeagents?after=<word>", operatorToken, expected: [200, 400]),
        Route("keys", "DELETE", "/v1/keys/sessions/<word>", operatorToken, expected: [404]),
        Route("keys", "DELETE", "/v1/keys/publish/<publishKey>", operatorToken, expected: [200, 404]),
        // Some tokens only read, and others are revoked.
        Route(
            "publish", "POST", "/publish/news",
            [
                ("Authorization", "Bearer <publishToken>"), ("Title", "Build <n>"), ("Priority", "4"),
                ("Tags", "a,<word>"), ("Click", "https://ci.example.com/<n>"),
            ], ["done <word>", "x"], expected: [200, 401, 403, 429]),
        Route(
            "publish", "PUT", "/publish/news", [("Authorization", "Bearer <publishToken>")], ["done <word>"],
            expected: [200, 401, 403, 429]),
        Route(
            "webhooks", "POST", "/v1/webhooks", operatorToken,
            [
                #"{"url":"https://push.invalid/<word>","events":["app.held_up"]}"#,
                #"{"url":"https://push.invalid/<n>","events":["app.resumed","app.held_up"]}"#,
            ], expected: [200, 400], captures: [("webhook", "id")]),
        Route("webhooks", "GET", "/v1/webhooks", operatorToken),
        Route("webhooks", "GET", "/v1/webhooks/<webhook>/secret", operatorToken, expected: [200, 404]),
        Route("webhooks", "POST", "/v1/webhooks/<webhook>/test", operatorToken, expected: [200, 404]),
        Route("webhooks", "DELETE", "/v1/webhooks/<webhook>", operatorToken, expected: [200, 404]),
        Route("channels", "GET", "/v1/channels", operatorToken),
        Route("channels", "GET", "/v1/channels?limit=<n>&after=<word>", operatorToken, expected: [200, 400]),
        Route(
            "channels", "GET", "/v1/channels/unknown?bundle_id=com.example.agents", operatorToken,
            expected: [200, 400, 404, 503]),
        Route(
            "channels", "POST", "/v1/channels/delete", operatorToken,
            [#"{"channel":"dGVzdA==","bundle_id":"com.example.agents","environment":"sandbox"}"#],
            expected: [400, 404, 503]),
        Route("backups", "POST", "/v1/backups", operatorToken, expected: [200, 409]),
    ]

    private static let note = #"{"fields":{"n":{"integerValue":"<n>"}}}"#

    /// Documents at the routes above, with a parameter that no method has. An answer of success would mean that a
    /// change has been made without its mask or its condition.
    static let misspelt: [Route] =
        [
            "updateMask.fieldPath=n", "updateMask=n", "updatemask.fieldPaths=n", "update_mask.field_path=n",
            "currentDocument.exist=false", "currentDocument=false", "<word>=<n>",
        ].map {
            Route("misspelt", "PATCH", documents + "/notes/<n>?\($0)", operatorToken, [note], expected: [400])
        } + [
            Route(
                "misspelt", "DELETE", documents + "/notes/<n>?currentDocument.exist=false", operatorToken,
                expected: [400]),
            Route(
                "misspelt", "DELETE", documents + "/notes/<n>?current_document.updatetime=2026-01-31T12:00:00Z",
                operatorToken, expected: [400]),
            Route("misspelt", "POST", documents + "/notes?documentID=<word>", operatorToken, [note], expected: [400]),
            Route("misspelt", "GET", documents + "/servers?pagesize=1<n>", operatorToken, expected: [400]),
            Route("misspelt", "POST", documents + ":listCollectionIds?pageSize=<n>", operatorToken, expected: [400]),
        ]

    /// The routes of the emulator. Scripts have short delays and client errors only, as a scripted server error
    /// would hide a real one.
    static let emulator = [
        Route(
            "emulator", "GET", "/emulator/v1/inbox?after=0&wait_for=1&timeout=0&topic=news-<n>", operatorToken),
        Route("emulator", "GET", "/emulator/v1/messages?after=0&limit=1<n>&wait_for=1&timeout=0", operatorToken),
        Route(
            "emulator", "POST", "/emulator/v1/scripts", operatorToken,
            [
                #"{"token":"<registration>","errorCode":"UNREGISTERED","times":1}"#,
                #"{"errorCode":"QUOTA_EXCEEDED","times":1,"delay":"1ms"}"#,
            ]),
        Route("emulator", "GET", "/emulator/v1/scripts", operatorToken),
        Route("emulator", "DELETE", "/emulator/v1/scripts", operatorToken),
        Route("emulator", "DELETE", "/emulator/v1/messages", operatorToken),
        Route("emulator", "DELETE", "/emulator/v1/inbox", operatorToken),
    ]
}
