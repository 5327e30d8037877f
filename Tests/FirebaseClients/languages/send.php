<?php
// Sends as PHP libraries do: with an assertion without a key id, and with curl.

const TOKEN_URL = 'https://oauth2.googleapis.com/token';

$order = json_decode(stream_get_contents(STDIN), true);
$account = json_decode(file_get_contents(getenv('GOOGLE_APPLICATION_CREDENTIALS')), true);

function encode(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}

function post(string $url, string $body, array $headers): array
{
    static $curl = null;
    $curl ??= curl_init();
    curl_setopt_array($curl, [
        CURLOPT_URL => $url, CURLOPT_POSTFIELDS => $body, CURLOPT_HTTPHEADER => $headers,
        CURLOPT_RETURNTRANSFER => true, CURLOPT_CAINFO => getenv('SSL_CERT_FILE'),
    ]);
    $text = curl_exec($curl);
    if ($text === false) {
        throw new RuntimeException(curl_error($curl));
    }
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    if ($status !== 200) {
        throw new RuntimeException("$status: $text");
    }
    return json_decode($text, true);
}

$now = time();
$input = encode('{"alg":"RS256","typ":"JWT"}') . '.' . encode(json_encode([
    'iss' => $account['client_email'], 'scope' => 'https://www.googleapis.com/auth/firebase.messaging',
    'aud' => TOKEN_URL, 'iat' => $now, 'exp' => $now + 3600,
]));
openssl_sign($input, $signature, $account['private_key'], OPENSSL_ALGO_SHA256);
$token = post(TOKEN_URL, http_build_query([
    'grant_type' => 'urn:ietf:params:oauth:grant-type:jwt-bearer', 'assertion' => $input . '.' . encode($signature),
]), [])['access_token'];

$names = [];
foreach ($order['tokens'] as $device) {
    $body = json_encode(['message' => ['token' => $device] + $order['message']]);
    $names[] = post(
        "https://fcm.googleapis.com/v1/projects/{$order['project']}/messages:send", $body,
        ["Authorization: Bearer $token", 'Content-Type: application/json'])['name'];
}
echo json_encode(['names' => $names]), "\n";
