// SPDX-License-Identifier: Apache-2.0
// What everybody may read: metadata, objects, status, page, metrics.
#include "net/server/api.h"

#include "net/protocol/range_header.h"
#include "net/server/public_page.h"
#include "net/server/status_builder.h"

namespace sunloco::server {

using protocol::ProblemCode;

HttpResponse Api::metadataFile(protocol::Role role, std::int64_t version) {
    const auto file = m_parts.store.metadata(role, version);
    if (!file) { return storageFailed(file.error()); }
    if (!*file) { return problemResponse(ProblemCode::NotFound, "There is no such version."); }
    HttpResponse response = jsonResponse(200, (*file)->text);
    return response;
}

HttpResponse Api::object(const protocol::Route& route, const HttpRequest& request) {
    const auto size = m_parts.store.publicObject(route.digest);
    if (!size) { return storageFailed(size.error()); }
    if (!*size) { return problemResponse(ProblemCode::NotFound, "There is no such object."); }
    const std::int64_t total = **size;
    const std::string etag = "\"" + route.digest.hex() + "\"";
    HttpResponse response;
    response.headers = {{"Content-Type", std::string(protocol::kBytesType)}, {"ETag", etag}, {"Accept-Ranges", "bytes"},
                        {"Cache-Control", "public, max-age=31536000, immutable"}};
    // If-Range with another tag asks for the whole object (RFC 9110 section 13.1.5).
    const std::string_view ifRange = request.header("if-range");
    const auto range = protocol::parseRange(ifRange.empty() || ifRange == etag ? request.header("range") : std::string_view(), total);
    switch (range.kind) {
    case protocol::RangeKind::Unsatisfiable: {
        HttpResponse refused = problemResponse(ProblemCode::RangeNotSatisfiable, "The object has " + std::to_string(total) + " bytes.");
        refused.headers.emplace_back("Content-Range", protocol::formatUnsatisfied(total));
        refused.headers.emplace_back("ETag", etag);
        return refused;
    }
    case protocol::RangeKind::Part:
        response.status = 206;
        response.headers.emplace_back("Content-Range", protocol::formatContentRange(range.range, total));
        break;
    case protocol::RangeKind::Whole: break;
    }
    response.file = FilePiece{m_parts.objects.pathOf(route.digest), static_cast<std::uint64_t>(range.range.first), static_cast<std::uint64_t>(range.range.count)};
    return response;
}

HttpResponse Api::status() {
    // Many pages may watch a round: the answer is made at most four times a second.
    constexpr core::MonotonicMs keepMs = 250;
    const std::lock_guard lock(m_statusMutex);
    const core::MonotonicMs now = m_parts.clock.monotonicNow();
    if (m_statusText.empty() || now >= m_statusUntil) {
        const auto answer = buildStatus(m_parts.store, m_parts.facts.root.project);
        if (!answer) { return storageFailed(answer.error()); }
        m_statusText = answer->serialise();
        m_statusUntil = now + keepMs;
    }
    return jsonResponse(200, m_statusText);
}

HttpResponse Api::page() {
    const auto answer = buildStatus(m_parts.store, m_parts.facts.root.project);
    if (!answer) { return storageFailed(answer.error()); }
    HttpResponse response;
    PublicPage made = makePublicPage(m_parts.facts.root.project, m_parts.facts.manifest, *answer, m_parts.facts.link);
    response.headers = {{"Content-Type", "text/html; charset=utf-8"}, {"Cache-Control", "no-store"}, {"Content-Security-Policy", std::move(made.policy)},
                        {"Referrer-Policy", "no-referrer"}, {"X-Frame-Options", "DENY"}};
    response.body = std::move(made.html);
    return response;
}

HttpResponse Api::metricsText() {
    const auto answer = buildStatus(m_parts.store, m_parts.facts.root.project);
    if (!answer) { return storageFailed(answer.error()); }
    m_parts.metrics.gauges(static_cast<double>(answer->round), static_cast<double>(answer->contributors), static_cast<double>(answer->tokensTotal),
                           static_cast<double>(m_parts.connections()));
    HttpResponse response;
    response.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}, {"Cache-Control", "no-store"}};
    response.body = m_parts.metrics.text();
    return response;
}

}  // namespace sunloco::server
