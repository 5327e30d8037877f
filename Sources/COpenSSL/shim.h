#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

// For SHA256_Init and its like: what is said to replace them takes memory for each digest.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

// Swift imports neither macros with arguments nor variadic functions: each one in use has a typed function here.

/// A new key pair on P-256, or NULL with the error queue filled.
static inline EVP_PKEY *COpenSSL_generate_p256_key(void) {
    return EVP_EC_gen("P-256");
}

/// A new RSA key pair of that many bits, or NULL with the error queue filled.
static inline EVP_PKEY *COpenSSL_generate_rsa_key(unsigned int bits) {
    return EVP_RSA_gen(bits);
}

/// The bytes a memory BIO holds; the pointer lives as long as the BIO.
static inline long COpenSSL_memory_contents(BIO *bio, char **contents) {
    return BIO_get_mem_data(bio, contents);
}

/// Appends a name and takes ownership of it; 0 when it could not.
static inline int COpenSSL_append_general_name(GENERAL_NAMES *names, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(names, name);
}

#endif
