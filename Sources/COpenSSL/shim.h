#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

// For SHA256_Init and similar functions. Their recommended replacements allocate memory for each digest.
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
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

// Typed functions for the macros with arguments and variadic functions in use, which Swift does not import.

/// Returns a new key pair on P-256, or NULL with the error queue filled.
static inline EVP_PKEY *COpenSSL_generate_p256_key(void) {
    return EVP_EC_gen("P-256");
}

/// Returns a new RSA key pair of `bits` bits, or NULL with the error queue filled.
static inline EVP_PKEY *COpenSSL_generate_rsa_key(unsigned int bits) {
    return EVP_RSA_gen(bits);
}

/// Sets `contents` to the bytes of a memory BIO and returns their number. The pointer is valid as long as the BIO.
static inline long COpenSSL_memory_contents(BIO *bio, char **contents) {
    return BIO_get_mem_data(bio, contents);
}

/// Appends a name and takes ownership of it. Returns 0 if that failed.
static inline int COpenSSL_append_general_name(GENERAL_NAMES *names, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(names, name);
}

/// Adds alternative names to a certificate request, as the extension that it asks for. Returns 0 if that failed.
static inline int COpenSSL_add_names_to_request(X509_REQ *request, GENERAL_NAMES *names) {
    STACK_OF(X509_EXTENSION) *extensions = NULL;
    int isAdded = X509V3_add1_i2d(&extensions, NID_subject_alt_name, names, 0, 0) == 1
        && X509_REQ_add_extensions(request, extensions) == 1;
    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
    return isAdded;
}

/// Verifies a certificate at a time, in seconds since 1970: a chain over the other certificates must lead to the root.
/// Returns 1 if it does.
static inline int COpenSSL_verify_chain(X509 *leaf, X509 **others, int count, X509 *root, long long time) {
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    STACK_OF(X509) *chain = sk_X509_new_null();
    int isValid = store != NULL && context != NULL && chain != NULL && X509_STORE_add_cert(store, root) == 1;
    for (int index = 0; isValid && index < count; index++) {
        isValid = sk_X509_push(chain, others[index]) > 0;
    }
    isValid = isValid && X509_STORE_CTX_init(context, store, leaf, chain) == 1;
    if (isValid) {
        X509_STORE_CTX_set_time(context, 0, (time_t)time);
        isValid = X509_verify_cert(context) == 1;
    }
    X509_STORE_CTX_free(context);
    sk_X509_free(chain);
    X509_STORE_free(store);
    return isValid;
}

#endif
