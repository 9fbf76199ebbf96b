// SPDX-License-Identifier: Apache-2.0
#include "net/server/certificate.h"

#include "engine/core/files.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

template <auto Free>
struct Deleter {
    template <typename T>
    void operator()(T* p) const { Free(p); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using CertPtr = std::unique_ptr<X509, Deleter<X509_free>>;
using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;

constexpr long kTenYearsSeconds = 10L * 365 * 24 * 3600;
constexpr long kDaySeconds = 24L * 3600;

Error tlsError(const char* what) { return {ErrorCode::Internal, std::string("the own TLS certificate could not be made: ") + what, "OpenSSL"}; }

bool isAddress(const std::string& name) {
    return name.find(':') != std::string::npos || name.find_first_not_of("0123456789.") == std::string::npos;
}

std::string contentOf(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

bool addExtension(X509* certificate, int nid, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
    return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

}  // namespace

Result<void> makeOwnCertificate(const std::filesystem::path& certificate, const std::filesystem::path& key, const std::vector<std::string>& names) {
    if (names.empty()) { return Error{ErrorCode::InvalidArgument, "a certificate needs a name", {}}; }
    const KeyPtr pair(EVP_EC_gen("P-256"));
    const CertPtr x509(X509_new());
    if (!pair || !x509) { return tlsError("no key"); }
    std::array<unsigned char, 16> random{};
    if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) { return tlsError("no random numbers"); }
    random[0] &= 0x7F;   // a serial number is positive
    const std::unique_ptr<BIGNUM, Deleter<BN_free>> serial(BN_bin2bn(random.data(), static_cast<int>(random.size()), nullptr));
    if (!serial || BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(x509.get())) == nullptr) { return tlsError("no serial number"); }
    X509_set_version(x509.get(), X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(x509.get()), -kDaySeconds);
    X509_gmtime_adj(X509_getm_notAfter(x509.get()), kTenYearsSeconds);
    X509_set_pubkey(x509.get(), pair.get());
    X509_NAME* subject = X509_get_subject_name(x509.get());
    const std::string common = names.front().substr(0, 64);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(common.c_str()), -1, -1, 0);
    X509_set_issuer_name(x509.get(), subject);
    std::string alternatives;
    for (const auto& name : names) {
        if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:_") != std::string::npos || name.empty()) {
            return Error{ErrorCode::InvalidArgument, "this host name cannot stand in a certificate", name};
        }
        alternatives += (alternatives.empty() ? "" : ",") + std::string(isAddress(name) ? "IP:" : "DNS:") + name;
    }
    if (!addExtension(x509.get(), NID_basic_constraints, "critical,CA:FALSE") || !addExtension(x509.get(), NID_key_usage, "critical,digitalSignature") ||
        !addExtension(x509.get(), NID_ext_key_usage, "serverAuth") || !addExtension(x509.get(), NID_subject_alt_name, alternatives)) {
        return tlsError("the extensions were refused");
    }
    if (X509_sign(x509.get(), pair.get(), EVP_sha256()) == 0) { return tlsError("it could not be signed"); }

    const BioPtr keyText(BIO_new(BIO_s_mem()));
    const BioPtr certText(BIO_new(BIO_s_mem()));
    if (PEM_write_bio_PKCS8PrivateKey(keyText.get(), pair.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1 || PEM_write_bio_X509(certText.get(), x509.get()) != 1) {
        return tlsError("it could not be written as PEM");
    }
    if (const auto written = core::writeFileAtomically(key, core::asBytes(contentOf(keyText.get())), nullptr, 0600); !written) { return written; }
    return core::writeFileAtomically(certificate, core::asBytes(contentOf(certText.get())));
}

Result<core::Digest> certificatePin(const std::filesystem::path& certificate) {
    const auto text = core::readTextFile(certificate, 1 << 20);
    if (!text) { return text.error(); }
    const BioPtr bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())));
    const CertPtr x509(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!x509) { return Error{ErrorCode::InvalidData, "this is not a certificate in PEM form", certificate.string()}; }
    unsigned char* der = nullptr;
    const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(x509.get()), &der);
    if (size <= 0) { return Error{ErrorCode::InvalidData, "the certificate has no usable key", certificate.string()}; }
    const auto pin = core::sha256(core::ByteView(der, static_cast<std::size_t>(size)));
    OPENSSL_free(der);
    return pin;
}

}  // namespace sunloco::server
