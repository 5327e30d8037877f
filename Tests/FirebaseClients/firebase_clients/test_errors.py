"""Every row of FCM's table of errors as an exception of the client. The emulator's scripts make the errors."""

from concurrent.futures import ThreadPoolExecutor

from firebase_admin import exceptions, messaging

from .case import ClientCase

FCM_ERROR = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"

# errorCode, HTTP status, status, and the exception that the client raises.
ROWS = [
    ("UNREGISTERED", 404, "NOT_FOUND", messaging.UnregisteredError),
    ("INVALID_ARGUMENT", 400, "INVALID_ARGUMENT", exceptions.InvalidArgumentError),
    ("SENDER_ID_MISMATCH", 403, "PERMISSION_DENIED", messaging.SenderIdMismatchError),
    ("QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED", messaging.QuotaExceededError),
    ("THIRD_PARTY_AUTH_ERROR", 401, "UNAUTHENTICATED", messaging.ThirdPartyAuthError),
    ("INTERNAL", 500, "INTERNAL", exceptions.InternalError),
    ("UNAVAILABLE", 503, "UNAVAILABLE", exceptions.UnavailableError),
]


class ErrorTests(ClientCase):
    def tearDown(self) -> None:
        self.served.ask("DELETE", "/emulator/v1/scripts")

    def test_each_scripted_error_raises_its_class_and_delivers_nothing(self):
        tokens = self.register(len(ROWS))
        for token, (code, *_) in zip(tokens, ROWS):
            self.served.script(code, token=token)
        # All at the same time: the client repeats 500 and 503 four times, over seven seconds.
        with ThreadPoolExecutor(len(ROWS)) as pool:
            errors = list(pool.map(self.error_of, tokens))
        for error, row in zip(errors, ROWS):
            with self.subTest(row[0]):
                self.assert_row(error, *row)
        self.served.ask("DELETE", "/emulator/v1/scripts")
        self.assert_nothing_else_arrives(tokens[0], [])

    def error_of(self, token: str) -> Exception:
        with self.assertRaises(exceptions.FirebaseError) as raised:
            messaging.send(self.message(token=token))
        return raised.exception

    def assert_row(self, error, code: str, http: int, status: str, kind: type) -> None:
        self.assertIs(type(error), kind)
        self.assertEqual((error.http_response.status_code, error.code), (http, status))
        body = error.http_response.json()["error"]
        self.assertEqual((body["code"], body["status"], body["message"]), (http, status, str(error)))
        self.assertIn({"@type": FCM_ERROR, "errorCode": code}, body["details"])

    def test_an_invalid_token_has_fcms_error_message(self):
        [token] = self.register(1)
        self.served.script("INVALID_ARGUMENT", token=token)
        self.assertEqual(str(self.error_of(token)), "The registration token is not a valid FCM registration token")

    def test_an_invalid_field_is_refused_with_its_name(self):
        [token] = self.register(1)
        with self.assertRaises(exceptions.InvalidArgumentError) as raised:
            messaging.send(self.message(token=token, data={"google.reserved": "1"}))
        self.assertEqual(raised.exception.http_response.status_code, 400)
        details = raised.exception.http_response.json()["error"]["details"]
        self.assertEqual([detail["@type"] for detail in details], [BAD_REQUEST], "it is no FcmError")
        [violation] = details[0]["fieldViolations"]
        self.assertIn("data", violation["field"])
        self.assertIn("google.reserved", violation["field"] + violation["description"])

    def test_a_payload_above_4096_bytes_is_refused(self):
        [token] = self.register(1)
        with self.assertRaises(exceptions.InvalidArgumentError):
            messaging.send(self.message(token=token, data={"key": "x" * 4097}))
        self.assert_nothing_else_arrives(token, [])

    def test_a_multicast_has_one_error_for_each_failed_token(self):
        tokens = self.register(20)
        for token in tokens[::2]:
            self.served.script("UNREGISTERED", token=token)
        response = messaging.send_each_for_multicast(messaging.MulticastMessage(tokens=tokens, **self.content()))
        self.assertEqual((response.success_count, response.failure_count), (10, 10))
        kinds = [type(one.exception) for one in response.responses]
        self.assertEqual(kinds, [messaging.UnregisteredError, type(None)] * 10)
        self.assert_arrived(tokens[1::2])
