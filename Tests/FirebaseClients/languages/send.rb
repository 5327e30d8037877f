# Sends with Google's credentials library for Ruby, which requests access tokens from www.googleapis.com.
require "googleauth"
require "json"
require "net/http"

SCOPE = "https://www.googleapis.com/auth/firebase.messaging"

order = JSON.parse($stdin.read)
credentials = Google::Auth.get_application_default([SCOPE])
credentials.fetch_access_token!

names = Net::HTTP.start("fcm.googleapis.com", 443, use_ssl: true) do |http|
  order["tokens"].map do |token|
    body = JSON.generate("message" => order["message"].merge("token" => token))
    headers = credentials.apply("Content-Type" => "application/json")
    answer = http.post("/v1/projects/#{order["project"]}/messages:send", body, headers)
    abort "#{answer.code}: #{answer.body}" unless answer.code == "200"
    JSON.parse(answer.body)["name"]
  end
end
puts JSON.generate("names" => names)
