// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QHash>
#include <QPointer>
#include <QSslCertificate>
#include <QSslKey>
#include <QSslSocket>
#include <QTcpServer>

#include <functional>
#include <string>

namespace sunloco::transfer {

/// A key made for one test, its certificate signed by itself, and the pin that a project link would carry.
struct ServerIdentity {
    QSslCertificate certificate;
    QSslKey key;
    std::string pinBase64;

    static ServerIdentity make();
};

struct HttpRequest {
    QByteArray method;
    QByteArray target;                       ///< path and query
    QHash<QByteArray, QByteArray> headers;   ///< names in lower case
    QByteArray body;
};

/// The way back to one client, which may be gone by then.
class HttpReply {
public:
    explicit HttpReply(QSslSocket* socket) : m_socket(socket) {}
    /// A whole answer with its length, on a connection that stays open.
    void respond(int status, const QByteArray& type, const QByteArray& body, const QList<QByteArray>& headers = {}) const;
    /// Exactly these bytes.
    void raw(const QByteArray& bytes) const;
    /// Says good-bye after what was written.
    void close() const;
    [[nodiscard]] bool open() const { return m_socket && m_socket->state() == QAbstractSocket::ConnectedState; }
    [[nodiscard]] QSslSocket* socket() const { return m_socket; }

private:
    QPointer<QSslSocket> m_socket;
};

/// HTTP/1.1 over TLS on a free port of the loopback interface; what it answers is the test's function. It lives in the test's thread.
class HttpsServer : public QTcpServer {
public:
    using Handler = std::function<void(const HttpRequest&, const HttpReply&)>;

    explicit HttpsServer(Handler handler, ServerIdentity identity = ServerIdentity::make());
    [[nodiscard]] std::string url(const std::string& path = "/") const;
    [[nodiscard]] const std::string& pin() const { return m_identity.pinBase64; }
    void setHandler(Handler handler) { m_handler = std::move(handler); }
    /// From now on a request is answered with `answer` as soon as its headers are there; its body is not read.
    void refuseAtHeaders(QByteArray answer) { m_refusal = std::move(answer); }
    /// Everything that was asked, in order.
    [[nodiscard]] const QList<HttpRequest>& requests() const { return m_requests; }
    /// Connections so far, and those that are there now.
    [[nodiscard]] int connections() const { return m_connections; }
    [[nodiscard]] qsizetype openConnections() const { return findChildren<QSslSocket*>().size(); }

protected:
    void incomingConnection(qintptr handle) override;

private:
    void read(QSslSocket* socket, QByteArray& buffer);

    Handler m_handler;
    ServerIdentity m_identity;
    QList<HttpRequest> m_requests;
    QByteArray m_refusal;
    int m_connections = 0;
};

/// Serves one file as the project server does: ETag, ranges (206), 416, If-Range.
HttpsServer::Handler serveFile(QByteArray content, QByteArray etag);

}  // namespace sunloco::transfer
