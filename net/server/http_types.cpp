// SPDX-License-Identifier: Apache-2.0
#include "net/server/http_types.h"

#include "net/protocol/paths.h"

namespace sunloco::server {

HttpResponse problemResponse(const protocol::Problem& problem) {
    HttpResponse response;
    response.status = problem.status;
    response.headers = {{"Content-Type", std::string(protocol::kProblemType)}, {"Cache-Control", "no-store"}};
    if (problem.retryAfterMs) {
        // Whole seconds, rounded up, for clients that do not read the document.
        response.headers.emplace_back("Retry-After", std::to_string((*problem.retryAfterMs + 999) / 1000));
    }
    response.body = problem.serialise();
    return response;
}

HttpResponse problemResponse(protocol::ProblemCode code, std::string detail, std::optional<std::int64_t> retryAfterMs) {
    return problemResponse(protocol::makeProblem(code, std::move(detail), retryAfterMs));
}

HttpResponse jsonResponse(int status, std::string body) {
    HttpResponse response;
    response.status = status;
    response.headers = {{"Content-Type", std::string(protocol::kJsonType)}, {"Cache-Control", "no-store"}};
    response.body = std::move(body);
    return response;
}

}  // namespace sunloco::server
