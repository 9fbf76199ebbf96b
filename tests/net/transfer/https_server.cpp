// SPDX-License-Identifier: Apache-2.0
#include "tests/net/transfer/https_server.h"

#include "engine/core/sha256.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

namespace sunloco::transfer {
namespace {

QByteArray textOf(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return QByteArray(data, static_cast<qsizetype>(size));
}

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

}  // namespace

ServerIdentity ServerIdentity::make() {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 24 * 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* name = X509_get_subject_name(certificate.get());
    const std::string host = "localhost";
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(host.data()), static_cast<int>(host.size()), -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    X509_sign(certificate.get(), key.get(), EVP_sha256());

    const Bio certificateText(BIO_new(BIO_s_mem()), &BIO_free);
    PEM_write_bio_X509(certificateText.get(), certificate.get());
    const Bio keyText(BIO_new(BIO_s_mem()), &BIO_free);
    PEM_write_bio_PrivateKey(keyText.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);

    unsigned char* der = nullptr;
    const int size = i2d_PUBKEY(key.get(), &der);
    const core::Digest digest = core::sha256(core::ByteView(der, static_cast<std::size_t>(size)));
    OPENSSL_free(der);
    return {QSslCertificate(textOf(certificateText.get()), QSsl::Pem), QSslKey(textOf(keyText.get()), QSsl::Ec), core::toBase64(digest.bytes)};
}

void HttpReply::respond(int status, const QByteArray& type, const QByteArray& body, const QList<QByteArray>& headers) const {
    QByteArray head = "HTTP/1.1 " + QByteArray::number(status) + " Status\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n";
    if (!type.isEmpty()) { head += "Content-Type: " + type + "\r\n"; }
    for (const QByteArray& line : headers) { head += line + "\r\n"; }
    raw(head + "\r\n" + body);
}

void HttpReply::raw(const QByteArray& bytes) const {
    if (!open()) { return; }
    m_socket->write(bytes);
    m_socket->flush();
}

void HttpReply::close() const {
    if (m_socket) { m_socket->disconnectFromHost(); }
}

HttpsServer::HttpsServer(Handler handler, ServerIdentity identity) : m_handler(std::move(handler)), m_identity(std::move(identity)) {
    if (!listen(QHostAddress::LocalHost)) { qFatal("no loopback port"); }
}

std::string HttpsServer::url(const std::string& path) const { return "https://127.0.0.1:" + std::to_string(serverPort()) + path; }

void HttpsServer::incomingConnection(qintptr handle) {
    ++m_connections;
    auto* socket = new QSslSocket(this);
    socket->setSocketDescriptor(handle);
    socket->setLocalCertificate(m_identity.certificate);
    socket->setPrivateKey(m_identity.key);
    socket->setPeerVerifyMode(QSslSocket::VerifyNone);
    auto buffer = std::make_shared<QByteArray>();
    connect(socket, &QSslSocket::readyRead, this, [this, socket, buffer] { read(socket, *buffer); });
    connect(socket, &QSslSocket::disconnected, socket, &QObject::deleteLater);
    socket->startServerEncryption();
}

void HttpsServer::read(QSslSocket* socket, QByteArray& buffer) {
    if (socket->property("refused").toBool()) { return; }
    buffer += socket->readAll();
    if (!m_refusal.isEmpty() && buffer.contains("\r\n\r\n")) {
        socket->setProperty("refused", true);
        socket->setReadBufferSize(1);  // the client's body stays on its side
        HttpReply(socket).raw(m_refusal);
        return;
    }
    while (true) {
        const qsizetype end = buffer.indexOf("\r\n\r\n");
        if (end < 0) { return; }
        HttpRequest request;
        const QList<QByteArray> lines = buffer.left(end).split('\n');
        const QList<QByteArray> first = lines.value(0).trimmed().split(' ');
        request.method = first.value(0);
        request.target = first.value(1);
        for (qsizetype i = 1; i < lines.size(); ++i) {
            const qsizetype colon = lines.at(i).indexOf(':');
            request.headers.insert(lines.at(i).left(colon).toLower(), lines.at(i).mid(colon + 1).trimmed());
        }
        const qsizetype length = request.headers.value("content-length").toLongLong();
        if (buffer.size() < end + 4 + length) { return; }
        request.body = buffer.mid(end + 4, length);
        buffer.remove(0, end + 4 + length);
        m_requests.append(request);
        m_handler(request, HttpReply(socket));
    }
}

HttpsServer::Handler serveFile(QByteArray content, QByteArray etag) {
    return [content = std::move(content), etag = std::move(etag)](const HttpRequest& request, const HttpReply& reply) {
        const QList<QByteArray> tag{"ETag: \"" + etag + "\""};
        const QByteArray range = request.headers.value("range");
        const QByteArray condition = request.headers.value("if-range");
        if (range.isEmpty() || (!condition.isEmpty() && condition != "\"" + etag + "\"")) {
            reply.respond(200, "application/octet-stream", content, tag);
            return;
        }
        const qsizetype first = QByteArray(range).replace("bytes=", "").replace("-", "").toLongLong();
        const QByteArray total = QByteArray::number(content.size());
        if (first >= content.size()) {
            reply.respond(416, "text/plain", "range", {"Content-Range: bytes */" + total});
            return;
        }
        reply.respond(206, "application/octet-stream", content.mid(first),
                      tag + QList<QByteArray>{"Content-Range: bytes " + QByteArray::number(first) + "-" + QByteArray::number(content.size() - 1) + "/" + total});
    };
}

}  // namespace sunloco::transfer
