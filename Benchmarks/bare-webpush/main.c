// bare-webpush: a loop that encrypts messages for browsers, as a reference for the gateway: the same calls of OpenSSL
// for each message, and nothing else.
//
//     bare-webpush subscriptions COUNT
//     bare-webpush encrypt FILE BYTES SECONDS
//
// The first form makes the keys of subscriptions, and prints a line for each: the public key and the secret in
// base64url. The second one reads such lines, and encrypts messages of a number of bytes, padding included, for one
// subscription after the other (RFC 8291), as often as the time permits. For each pass over the file it signs a token
// for each of four services (RFC 8292). It prints the figures as a line of JSON. Before that it encrypts the example of
// RFC 8291, and fails if the result is another one.
//
// The calls are those of Sources/Cryptography: the arithmetic of the curve without OpenSSL's look-up of algorithms,
// HMAC over the functions of SHA-256, and AES by a cipher that is fetched once.

#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#define PROGRAM "bare-webpush"
#include "../program.h"

enum {
    POINT = 65, SCALAR = 32, SECRET = 16, DIGEST = 32, BLOCK = 64, SALT = 16, KEY = 16, NONCE = 12, TAG = 16,
    HEADER = SALT + 4 + 1 + POINT, RECORD = 4096, POINT_TEXT = 87, SECRET_TEXT = 22, SERVICES = 4
};

typedef struct {
    uint8_t point[POINT], secret[SECRET];
} Subscription;

static EC_GROUP *group;
static EVP_CIPHER *cipher;
static EVP_MD *sha256;

static void check(bool isDone, const char *operation) {
    if (!isDone) fail("cannot %s", operation);
}

static void makeRandom(uint8_t *bytes, size_t size) {
    check(getrandom(bytes, size, 0) == (ssize_t)size, "make random bytes");
}

// ---- base64url ------------------------------------------------------------------------------------------------------

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void printText(const uint8_t *bytes, size_t size) {
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < size; i++) {
        bits = bits << 8 | bytes[i];
        for (count += 8; count >= 6; count -= 6) putchar(alphabet[bits >> (count - 6) & 63]);
    }
    if (count > 0) putchar(alphabet[bits << (6 - count) & 63]);
}

static void readText(const char *text, uint8_t *bytes, size_t size) {
    uint32_t bits = 0;
    int count = 0;
    for (size_t length = 0; length < size; text++) {
        const char *place = *text ? strchr(alphabet, *text) : NULL;
        if (!place) fail("no base64url: %s", text);
        bits = bits << 6 | (uint32_t)(place - alphabet);
        count += 6;
        if (count >= 8) bytes[length++] = (uint8_t)(bits >> (count -= 8));
    }
}

// ---- The curve ------------------------------------------------------------------------------------------------------

static EC_POINT *readPoint(const uint8_t *bytes) {
    EC_POINT *point = EC_POINT_new(group);
    check(point && EC_POINT_oct2point(group, point, bytes, POINT, NULL) == 1, "read a point");
    return point;
}

static void writePoint(EC_POINT *point, uint8_t *bytes) {
    check(
        EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, bytes, POINT, NULL) == POINT, "write a point");
    EC_POINT_free(point);
}

static BIGNUM *newScalar(void) {
    BIGNUM *scalar = BN_secure_new();
    check(scalar && BN_priv_rand_range(scalar, EC_GROUP_get0_order(group)) == 1, "make a number");
    return scalar;
}

static void writePublicHalf(const BIGNUM *scalar, uint8_t *bytes) {
    EC_POINT *point = EC_POINT_new(group);
    check(point && EC_POINT_mul(group, point, scalar, NULL, NULL, NULL) == 1, "make a public half");
    writePoint(point, bytes);
}

// Writes the point whose first coordinate, from the second byte on, is the shared secret.
static void agree(const BIGNUM *scalar, const uint8_t *peer, uint8_t *bytes) {
    EC_POINT *other = readPoint(peer), *point = EC_POINT_new(group);
    check(point && EC_POINT_mul(group, point, NULL, other, scalar, NULL) == 1, "agree on a secret");
    EC_POINT_free(other);
    writePoint(point, bytes);
}

// ---- HMAC and HKDF --------------------------------------------------------------------------------------------------

static void digestBehind(
    const uint8_t *key, size_t keySize, uint8_t pad, const uint8_t *bytes, size_t size, uint8_t *digest) {
    uint8_t block[BLOCK];
    for (size_t i = 0; i < BLOCK; i++) block[i] = (i < keySize ? key[i] : 0) ^ pad;
    SHA256_CTX state;
    SHA256_Init(&state);
    SHA256_Update(&state, block, BLOCK);
    SHA256_Update(&state, bytes, size);
    SHA256_Final(digest, &state);
}

static void authenticate(const uint8_t *key, size_t keySize, const uint8_t *bytes, size_t size, uint8_t *code) {
    uint8_t inner[DIGEST];
    digestBehind(key, keySize, 0x36, bytes, size, inner);
    digestBehind(key, keySize, 0x5c, inner, DIGEST, code);
}

// Expands a key to the 32 bytes of its first block, for a use whose text is shorter than 160 bytes.
static void expand(const uint8_t *key, const void *info, size_t size, uint8_t *output) {
    uint8_t block[160];
    memcpy(block, info, size);
    block[size] = 1;
    authenticate(key, DIGEST, block, size + 1, output);
}

// ---- Messages -------------------------------------------------------------------------------------------------------

// Encrypts a message in one record, and returns the number of bytes of the body.
static size_t encrypt(
    const Subscription *subscription, const BIGNUM *scalar, const uint8_t *salt, const uint8_t *message, size_t size,
    size_t padding, uint8_t *body) {
    static const char use[] = "WebPush: info", keyUse[] = "Content-Encoding: aes128gcm",
        nonceUse[] = "Content-Encoding: nonce";
    uint8_t shared[POINT], secret[DIGEST], key[DIGEST], nonce[DIGEST], info[sizeof use + 2 * POINT];
    memcpy(body, salt, SALT);
    memcpy(body + SALT, (uint8_t[]){0, 0, RECORD >> 8, 0, POINT}, 5);
    writePublicHalf(scalar, body + SALT + 5);
    agree(scalar, subscription->point, shared);

    memcpy(info, use, sizeof use);
    memcpy(info + sizeof use, subscription->point, POINT);
    memcpy(info + sizeof use + POINT, body + SALT + 5, POINT);
    authenticate(subscription->secret, SECRET, shared + 1, SCALAR, secret);
    expand(secret, info, sizeof info, secret);
    authenticate(salt, SALT, secret, DIGEST, secret);
    expand(secret, keyUse, sizeof keyUse, key);
    expand(secret, nonceUse, sizeof nonceUse, nonce);

    uint8_t plain[RECORD] = {0};
    memcpy(plain, message, size);
    plain[size] = 2;
    size += 1 + padding;
    int written;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    check(
        context && EVP_EncryptInit_ex(context, cipher, NULL, key, nonce) == 1
            && EVP_EncryptUpdate(context, body + HEADER, &written, plain, (int)size) == 1
            && EVP_EncryptFinal_ex(context, body + HEADER + size, &written) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, body + HEADER + size) == 1,
        "encrypt");
    EVP_CIPHER_CTX_free(context);
    return HEADER + size + TAG;
}

// Signs as much as the token of a sender has.
static void sign(EVP_PKEY *key) {
    uint8_t claims[200] = {0}, signature[80];
    size_t size = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    check(
        context && EVP_DigestSignInit(context, NULL, sha256, NULL, key) == 1
            && EVP_DigestSign(context, signature, &size, claims, sizeof claims) == 1,
        "sign");
    EVP_MD_CTX_free(context);
}

// The example of RFC 8291, section 5.
static void checkExample(void) {
    static const char message[] = "When I grow up, I want to be a watermelon";
    Subscription subscription;
    uint8_t number[SCALAR], salt[SALT], expected[144], body[RECORD];
    readText(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", subscription.point,
        POINT);
    readText("BTBZMqHH6r4Tts7J_aSIgg", subscription.secret, SECRET);
    readText("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", number, SCALAR);
    readText("DGv6ra1nlYgDCS1FRnbzlw", salt, SALT);
    readText(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBr"
        "u3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN", expected, 144);
    BIGNUM *scalar = BN_bin2bn(number, SCALAR, NULL);
    size_t size = encrypt(&subscription, scalar, salt, (const uint8_t *)message, strlen(message), 0, body);
    BN_free(scalar);
    if (size != sizeof expected || memcmp(body, expected, size) != 0) fail("the example of RFC 8291 is another one");
}

// ---- The commands ---------------------------------------------------------------------------------------------------

static void printSubscriptions(long count) {
    for (long number = 0; number < count; number++) {
        Subscription subscription;
        BIGNUM *scalar = newScalar();
        writePublicHalf(scalar, subscription.point);
        BN_clear_free(scalar);
        makeRandom(subscription.secret, SECRET);
        printText(subscription.point, POINT);
        putchar(' ');
        printText(subscription.secret, SECRET);
        putchar('\n');
    }
}

static Subscription *readSubscriptions(const char *path, size_t *count) {
    Subscription *subscriptions = NULL;
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot open %s", path);
    char point[POINT_TEXT + 1], secret[SECRET_TEXT + 1];
    for (*count = 0; fscanf(file, "%87s %22s", point, secret) == 2; (*count)++) {
        subscriptions = realloc(subscriptions, (*count + 1) * sizeof *subscriptions);
        if (!subscriptions) fail("out of memory");
        readText(point, subscriptions[*count].point, POINT);
        readText(secret, subscriptions[*count].secret, SECRET);
    }
    fclose(file);
    if (*count == 0) fail("%s has no subscriptions", path);
    return subscriptions;
}

static double processorTime(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void encryptAll(const char *path, size_t size, double seconds) {
    size_t count;
    Subscription *subscriptions = readSubscriptions(path, &count);
    static const uint8_t message[RECORD];
    if (size > RECORD - HEADER - 1 - TAG) fail("messages have at most %d bytes", RECORD - HEADER - 1 - TAG);
    checkExample();
    EVP_PKEY *key = EVP_EC_gen("P-256");
    check(key != NULL, "make a key");
    long messages = 0;
    double startedAt = now(), before = processorTime();
    while (now() - startedAt < seconds) {
        if (messages % (long)count == 0)
            for (int service = 0; service < SERVICES; service++) sign(key);
        const Subscription *subscription = &subscriptions[messages++ % (long)count];
        // The gateway reads the key that it has stored before it agrees on a secret.
        EC_POINT_free(readPoint(subscription->point));
        uint8_t salt[SALT], body[RECORD];
        makeRandom(salt, SALT);
        BIGNUM *scalar = newScalar();
        encrypt(subscription, scalar, salt, message, size, 0, body);
        BN_clear_free(scalar);
    }
    printf(
        "{\"requests\":%ld,\"errors\":0,\"seconds\":%.6f,\"processor_seconds\":%.6f}\n", messages, now() - startedAt,
        processorTime() - before);
}

int main(int count, char **arguments) {
    group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    cipher = EVP_CIPHER_fetch(NULL, "AES-128-GCM", NULL);
    sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    check(group && cipher && sha256, "find the algorithms");
    if (count == 3 && strcmp(arguments[1], "subscriptions") == 0) printSubscriptions(atol(arguments[2]));
    else if (count == 5 && strcmp(arguments[1], "encrypt") == 0)
        encryptAll(arguments[2], strtoul(arguments[3], NULL, 10), atof(arguments[4]));
    else fail("usage: bare-webpush subscriptions COUNT | bare-webpush encrypt FILE BYTES SECONDS");
    return 0;
}
