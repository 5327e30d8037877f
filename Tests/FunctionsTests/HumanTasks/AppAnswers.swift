import Foundation

/// The answers as the app decodes them. A field that is missing, `null` or of another type makes the app's screen
/// fail.
enum AppAnswers {
    struct Device: Decodable {
        let id: String
        let name: String
        let mcp_token: String
        let registered_at: AppDate
        let last_seen_at: AppDate
    }

    struct DeviceState: Decodable {
        let id: String
        let name: String
        let registered_at: AppDate
        let last_seen_at: AppDate
        let last_mcp_call_at: AppDate?
        let connection_status: String
    }

    struct Stored: Decodable {
        let status: String
        let updated_at: AppDate
    }

    struct NewTask: Decodable {
        let id: String
        let url: String
        let sender_name: String
        let recipient_name: String
        let task_description: String
        let agent_name: String?
        let status: String
        let photo_count: Int
        let created_at: AppDate
        let group_id: String?
    }

    struct NewGroupTask: Decodable {
        let distribution_mode: String
        let id: String
        let url: String
        let sender_name: String
        let recipient_name: String
        let task_description: String
        let status: String
        let participants: [String]
        let created_at: AppDate
    }

    struct NewTasks: Decodable {
        struct Link: Decodable {
            let name: String
            let id: String
            let url: String
        }

        let distribution_mode: String
        let group_id: String
        let hits: [Link]
        let count: Int
        let sender_name: String
        let task_description: String
        let created_at: AppDate
    }

    struct TaskRow: Decodable {
        let id: String
        let recipient_name: String
        let task_description: String
        let status: String
        let photo_count: Int
        let created_at: AppDate
        let sender_name: String?
        let agent_name: String?
        let started_at: AppDate?
        let completed_at: AppDate?
        let device_id: String?
        let hit_type: String?
        let group_id: String?
        /// A JSON object as a string.
        let config: String?
        let response_count: Int
    }

    struct TaskList: Decodable {
        let hits: [TaskRow]
        let count: Int
    }

    struct Upload: Decodable {
        let photo_id: String
        let r2_key: String
        let file_size: Int
    }

    struct Photos: Decodable {
        struct Photo: Decodable {
            let id: String
            let hit_id: String
            let r2_key: String
            let file_size: Int
            let uploaded_at: AppDate
        }

        let hit_id: String
        let photos: [Photo]
        let count: Int
    }

    struct Slot: Decodable, Equatable {
        let date: String
        let time: String
    }

    struct Responses: Decodable {
        struct Response: Decodable {
            struct Data: Decodable {
                let available_slots: [Slot]?
                let selected_dates: [String]?
            }

            let id: String
            let hit_id: String
            let respondent_name: String
            let response_data: Data
            let created_at: AppDate
        }

        let hit_id: String
        let responses: [Response]
        let count: Int
    }

    struct Completed: Decodable {
        let id: String
        let status: String
        let photo_count: Int
        let completed_at: AppDate
    }

    struct Deleted: Decodable {
        let deleted: Bool
        let id: String
    }

    struct BulkDeleted: Decodable {
        let deleted: Int
        let ids: [String]
    }

    struct Failure: Decodable {
        let error: String
    }
}

/// A moment in ISO 8601 with fractions of seconds.
struct AppDate: Decodable {
    let date: Date

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        date = try Date(
            container.decode(String.self), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
