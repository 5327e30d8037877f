"""Random messages in FCM's form, and what a browser has to get of each by docs/webpush.md."""

import base64
import hashlib
import json
import random
import string
from dataclasses import dataclass
from typing import Any

from .gateway import NAVIGATE

# The greatest number of bytes of a message, and the lengths to which shorter ones are padded.
LONGEST = 3993
LENGTHS = [512, 1024, 2048, 2800]

URGENCIES = ["very-low", "low", "normal", "high"]
DAY = 86_400
# The longest lifetimes, in seconds: a gateway's default, and the limits of Apple and Mozilla, and of the others.
LIFETIME, LONGER, SHORTER = 30 * DAY, 30 * DAY, 28 * DAY

# Characters of one to four bytes, some that JSON escapes, and some that are seen as one but are several.
ALPHABETS = [
    string.ascii_letters + " ", "äßçñøЖλאب", "完了しました한국어", "🏁🚀💬✓",
    "\"\\/\n\t\x01\x1f\x7f\u2028", "e\u0301👩‍👩‍👧‍👦🇨🇭"]


@dataclass
class Sample:
    """A message, and what has to come of it."""

    message: dict[str, Any]
    service: str
    # The value that a shorter form may lack.
    number: str

    @property
    def fields(self) -> dict[str, str]:
        return self.message.get("webpush", {}).get("headers", {})

    @property
    def collapse_id(self) -> str | None:
        headers = self.message.get("apns", {}).get("headers", {})
        return self.fields.get("Topic") or headers.get("apns-collapse-id") or self.message.get("android", {}).get(
            "collapse_key")

    @property
    def urgency(self) -> str:
        if own := self.fields.get("Urgency"):
            return own
        priority = self.message.get("apns", {}).get("headers", {}).get("apns-priority")
        if priority:
            return {"10": "high", "5": "normal", "1": "low"}[priority]
        usual = "high" if "notification" in self.message else "normal"
        return self.message.get("android", {}).get("priority", usual).lower()

    @property
    def topic(self) -> str | None:
        if own := self.fields.get("Topic"):
            return own
        return self.collapse_id and base64.urlsafe_b64encode(
            hashlib.sha256(self.collapse_id.encode()).digest()).decode()[:32]

    @property
    def ttl(self) -> int:
        wanted = int(self.fields.get("TTL", LIFETIME))
        return min(wanted, LIFETIME, LONGER if self.service in ("apple", "mozilla") else SHORTER)

    def payload(self, message_id: str) -> dict[str, Any]:
        """Returns the whole content, which may be too long."""
        web = self.message.get("webpush", {})
        data = web.get("data") or self.message.get("data", {})
        own = web.get("notification", {})
        shown = self.message.get("notification", {})
        if not shown and not own:
            return {"data": data, "message_id": message_id}
        link = web.get("fcm_options", {}).get("link") or NAVIGATE.format(agent_key=data.get("agent_key", ""))
        notification = shown | {"navigate": link}
        # A title is required.
        if not shown.get("title"):
            notification["title"] = notification.pop("body", "")
        if self.collapse_id:
            notification["tag"] = self.collapse_id
        notification |= own
        if data:
            notification["data"] = data
        payload = {"web_push": 8030, "notification": notification, "message_id": message_id}
        badge = self.message.get("apns", {}).get("payload", {}).get("aps", {}).get("badge")
        return payload if badge is None else payload | {"app_badge": badge}


def size(payload: dict[str, Any]) -> int:
    return len(json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode())


def padded(length: int) -> int:
    """Returns the length of a message with its padding."""
    return next((one for one in LENGTHS if one >= length), length)


class Messages:
    """A source of messages that depends on its seed alone."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def text(self, length: int) -> str:
        """Returns a text of about so many bytes."""
        text, rest = "", length
        while rest > 0:
            word = "".join(self.random.choices(self.random.choice(ALPHABETS), k=self.random.randint(1, 12)))
            text += word
            rest -= len(word.encode())
        return text if length else ""

    def length(self, longest: int) -> int:
        """Returns a length from 0 on; half of them are short, and the longest ones are not rare."""
        choice = self.random.random()
        if choice < 0.05:
            return 0
        return self.random.randint(0, 200 if choice < 0.5 else longest)

    def next(self, service: str) -> Sample:
        self.count += 1
        number = str(self.count)
        message: dict[str, Any] = {"data": {"number": number}} if self.random.random() < 0.9 else {}
        web: dict[str, Any] = {"headers": self.fields()}
        apns: dict[str, Any] = {"headers": {}, "payload": {}}
        if self.random.random() < 0.7:
            self.add_notification(message, web, apns)
        elif message:
            message["data"]["text"] = self.text(self.length(2000))
        if self.random.random() < 0.2:
            message["android"] = {"priority": self.random.choice(["HIGH", "NORMAL"])}
        self.add_collapse_id(message, apns)
        for part, value in (("webpush", web), ("apns", apns)):
            if kept := {name: content for name, content in value.items() if content}:
                message[part] = kept
        return Sample(message, service, number)

    def add_notification(self, message: dict[str, Any], web: dict[str, Any], apns: dict[str, Any]) -> None:
        notification = {"title": self.text(self.length(60))} if self.random.random() < 0.9 else {}
        if not notification or self.random.random() < 0.9:
            notification["body"] = self.text(self.length(5000 if notification.get("title") else 500))
        if self.random.random() < 0.1:
            notification["image"] = "https://app.example.org/image.png"
        message["notification"] = notification
        if self.random.random() < 0.2:
            web["fcm_options"] = {"link": f"https://app.example.org/?q={self.random.randint(0, 10 ** 9)}"}
        if self.random.random() < 0.2:
            web["notification"] = {
                "icon": "https://app.example.org/icon.png", "silent": True, "lang": "de", "extra": [1, None]}
        if "data" in message and self.random.random() < 0.3:
            message["data"]["agent_key"] = f"agent-{self.random.randint(0, 99)}"
        if "data" in message and self.random.random() < 0.1:
            web["data"] = message["data"] | {"for": "browsers"}
        if self.random.random() < 0.2:
            apns["payload"] = {"aps": {"badge": self.random.randint(0, 99)}}

    def fields(self) -> dict[str, str]:
        fields = {}
        if self.random.random() < 0.5:
            fields["TTL"] = str(self.random.choice([0, 0, 60, 3600, DAY, SHORTER, LONGER, 365 * DAY]))
        if self.random.random() < 0.5:
            fields["Urgency"] = self.random.choice(URGENCIES)
        if self.random.random() < 0.3:
            alphabet = string.ascii_letters + string.digits + "-_"
            fields["Topic"] = "".join(self.random.choices(alphabet, k=self.random.randint(16, 32)))
        return fields

    def add_collapse_id(self, message: dict[str, Any], apns: dict[str, Any]) -> None:
        # No two are equal: a newer message would replace one that is in flight.
        choice = self.random.random()
        if choice < 0.15:
            visible = "".join(one for one in self.text(20) if one.isprintable())[:12]
            apns["headers"]["apns-collapse-id"] = f"{visible} {self.count}"
        elif choice < 0.3:
            message.setdefault("android", {})["collapse_key"] = f"{self.text(60)} {self.count}"
        if self.random.random() < 0.2:
            apns["headers"]["apns-priority"] = self.random.choice(["1", "5", "10"])
