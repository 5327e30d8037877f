"""Every field that the client can send is accepted in the client's own form. Emulator mode."""

import datetime

from firebase_admin import messaging

from .case import ClientCase
from .served import WAIT_SECONDS

MOMENT = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.timezone.utc)

WEBPUSH = {"title": "W", "body": "B", "requireInteraction": True, "custom_key": {"aKey": [1, "two", None]}}


class VocabularyTests(ClientCase):
    def everything(self, token: str) -> messaging.Message:
        return self.message(
            token=token,
            notification=messaging.Notification("A title", "A body", "https://example.com/image.png"),
            fcm_options=messaging.FCMOptions("a-label"), android=android(), webpush=webpush(), apns=self.apns())

    def apns(self) -> messaging.APNSConfig:
        alert = messaging.ApsAlert(
            title="T", subtitle="S", body="B", loc_key="L", loc_args=["1"], title_loc_key="TL", title_loc_args=["2"],
            action_loc_key="AL", launch_image="I", custom_data={"summary-arg": "x"})
        aps = messaging.Aps(
            alert=alert, badge=1, sound=messaging.CriticalSound("default", critical=True, volume=0.5),
            content_available=True, category="C", thread_id="TH", mutable_content=True,
            custom_data={"snake_case": {"a": 1}})
        return messaging.APNSConfig(
            headers={"apns-collapse-id": self.collapse_id, "apns-priority": "10"},
            payload=messaging.APNSPayload(aps, snake_case=1, camelCase=[True, None, 0.5]),
            fcm_options=messaging.APNSFCMOptions("label", "https://example.com/apns.png"))

    def test_a_message_with_every_field_arrives_as_sent(self):
        [token] = self.register(1)
        message = self.everything(token)
        messaging.send(message, dry_run=True)
        messaging.send(message)
        [item] = self.served.inbox(collapse_id=self.collapse_id, wait_for=1, timeout=WAIT_SECONDS)
        arrived = item["message"]
        self.assertEqual(arrived["webpush"]["notification"], WEBPUSH)
        self.assertEqual(arrived["webpush"]["headers"], {"TTL": "60"})
        payload = arrived["apns"]["payload"]
        self.assertEqual((payload["snake_case"], payload["camelCase"]), (1, [True, None, 0.5]))
        self.assertEqual(payload["aps"]["snake_case"], {"a": 1})
        self.assertEqual(payload["aps"]["alert"]["title-loc-args"], ["2"])
        self.assertEqual(arrived["android"]["collapseKey"], "key")
        self.assertEqual(arrived["android"]["notification"]["titleLocArgs"], ["3"])

    def test_an_android_priority_in_lower_case_is_accepted(self):
        [token] = self.register(1)
        for priority in ("high", "normal"):
            messaging.send(self.message(token=token, android=messaging.AndroidConfig(priority=priority)), dry_run=True)


def android() -> messaging.AndroidConfig:
    lights = messaging.LightSettings(color="#aabbccdd", light_on_duration_millis=200, light_off_duration_millis=1500)
    return messaging.AndroidConfig(
        collapse_key="key", priority="high", ttl=datetime.timedelta(hours=1, milliseconds=500), direct_boot_ok=True,
        restricted_package_name="com.example.app", data={"k": "v"}, fcm_options=messaging.AndroidFCMOptions("label"),
        notification=messaging.AndroidNotification(
            title="T", body="B", icon="I", color="#aabbcc", sound="S", tag="TAG", click_action="CA", body_loc_key="BK",
            body_loc_args=["1", "2"], title_loc_key="TK", title_loc_args=["3"], channel_id="CH",
            image="https://example.com/android.png", ticker="TI", sticky=True, event_timestamp=MOMENT, local_only=True,
            priority="max", vibrate_timings_millis=[100, 50, 250], default_vibrate_timings=False, default_sound=False,
            light_settings=lights, default_light_settings=False, visibility="secret", notification_count=3,
            proxy="if_priority_lowered"))


def webpush() -> messaging.WebpushConfig:
    custom = {key: value for key, value in WEBPUSH.items() if key not in ("title", "body", "requireInteraction")}
    return messaging.WebpushConfig(
        headers={"TTL": "60"}, data={"k": "v"}, fcm_options=messaging.WebpushFCMOptions("https://example.com/"),
        notification=messaging.WebpushNotification("W", "B", require_interaction=True, custom_data=custom))
