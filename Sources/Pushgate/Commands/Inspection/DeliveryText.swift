import JSON
import Texts

/// Text for deliveries.
enum DeliveryText {
    /// Returns one line for each message.
    static func list(_ answer: JSONValue) -> String {
        let deliveries = (answer["deliveries"] ?? answer["scheduled"])?.array ?? []
        guard !deliveries.isEmpty else { return "no messages" }
        return deliveries.map(line).joined(separator: "\n")
    }

    /// Returns the line of one message in a list.
    static func line(_ delivery: JSONValue) -> String { "\(delivery.text("id"))  \(heading(delivery))" }

    /// Returns the message's line, followed by a few lines for each notification.
    static func detail(_ delivery: JSONValue) -> String {
        let notifications = delivery["notifications"]?.array ?? []
        let more = delivery["next_page"]?.integer.map { "  and more: --page \($0)" }
        return ([heading(delivery)] + notifications.flatMap(lines) + [more].compactMap(\.self)).joined(separator: "\n")
    }

    /// Returns the steps of each notification with their meanings, as far as they have come.
    static func steps(_ delivery: JSONValue) -> String {
        (delivery["notifications"]?.array ?? []).flatMap(lines).joined(separator: "\n")
    }

    private static func heading(_ delivery: JSONValue) -> String {
        let title = delivery["title"]?.shown.map { "  “\($0)”" } ?? ""
        switch delivery["state"]?.string {
        case "scheduled": return "\(delivery.text("deliver_at"))  to be sent then\(title)"
        case "cancelled": return "cancelled"
        case "dropped": return "not sent. \(delivery.text("explanation"))"
        default: break
        }
        var counts = ["\(delivery.count("accepted")) of \(delivery.count("targets")) accepted"]
        if delivery.count("pending") > 0 { counts.append("\(delivery.count("pending")) pending") }
        if delivery.count("superseded") > 0 { counts.append("\(delivery.count("superseded")) superseded") }
        for (code, count) in delivery["rejected"]?.object?.members ?? [] {
            counts.append("\(count.integer ?? 0) rejected: \(EscapedText.line(code))")
        }
        if let receipts = delivery["receipts"] {
            counts.append("\(receipts.count("delivered")) arrived")
            if receipts.count("opened") > 0 { counts.append("\(receipts.count("opened")) opened") }
        }
        if delivery["expanding"] == true { counts.append("more recipients follow") }
        return "\(delivery.text("accepted_at"))  \(counts.joined(separator: ", "))\(title)"
    }

    private static func lines(_ notification: JSONValue) -> [String] {
        let device = notification["registration"]?.shown?.split(separator: "/").last.map(String.init) ?? "a bare token"
        let lane = ["transport", "topic", "environment"].compactMap { notification[$0]?.shown }.joined(separator: " ")
        var lines = ["  \(device)  \(lane)  apns-id \(notification.text("apns_id"))"]
        var explained: Set<String> = []
        func add(_ line: String, _ step: JSONValue) {
            lines.append("    \(line)")
            guard let text = step["explanation"]?.shown, explained.insert(text).inserted else { return }
            lines.append("      \(text)")
        }
        for failure in notification["failures"]?.array ?? [] {
            add("\(failure.text("at"))  failed: \(failure.text("reason")) (\(failure.text("code")))", failure)
        }
        add(state(notification), notification)
        return lines
    }

    private static func state(_ notification: JSONValue) -> String {
        switch notification["state"]?.string {
        case "accepted": "\(notification.text("settled_at"))  accepted"
        // It has no time until its chunk is settled.
        case "superseded":
            [notification["settled_at"]?.shown, "superseded"].compactMap(\.self).joined(separator: "  ")
        case "rejected":
            "\(notification.text("settled_at"))  rejected: \(notification.text("reason")) (\(notification.text("code")))"
        default: waiting(notification)
        }
    }
}

extension DeliveryText {
    /// Returns the state of a notification that is not settled. The time of an app that is held up is that of its next
    /// attempt, since the notification's own is over.
    private static func waiting(_ notification: JSONValue) -> String {
        guard let held = notification["held_up"] else { return "\(notification.text("due_at"))  to be sent" }
        return "\(held.text("next_attempt_at"))  held up: \(held.text("reason")) (\(held.text("code")))"
    }
}

extension JSONValue {
    fileprivate func text(_ name: String) -> String { self[name]?.shown ?? "?" }
    fileprivate func count(_ name: String) -> Int64 { self[name]?.integer ?? 0 }
}
