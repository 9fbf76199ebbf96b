// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/digest_header.h"
#include "net/protocol/link.h"
#include "net/protocol/names.h"
#include "net/protocol/range_header.h"
#include "net/protocol/signatures.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace sunloco;
using namespace sunloco::protocol;

namespace {

/// Runs a property with a fixed seed; false prints the smallest counterexample.
template <typename Property>
bool holds(const char* name, Property&& property) {
    rc::detail::TestParams params;
    params.seed = 20'260'101;
    params.maxSuccess = 300;
    const rc::detail::TestMetadata metadata{name, name};
    const auto result = rc::detail::checkTestable(std::forward<Property>(property), metadata, params);
    rc::detail::printResultMessage(result, std::cerr);
    return result.template is<rc::detail::SuccessResult>();
}

rc::Gen<std::string> hostNames() {
    return rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcxyz0189")))), [](std::string text) { return text.substr(0, 60) + ".example"; });
}

core::Digest anyDigest() {
    core::Digest digest;
    const auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(digest.bytes.size(), rc::gen::arbitrary<std::uint8_t>());
    std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
    return digest;
}

}  // namespace

class TestProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void linksComeBack();
    void rangesStayInside();
    void base64UrlComesBack();
    void contributionsComeBack();
    void signedRequestsVerifyAndChangedOnesDoNot();
    void partPlansAreGapless();
};

void TestProperties::linksComeBack() {
    QVERIFY(holds("a link that was written is read again as the same", [] {
        ProjectLink link;
        link.host = *hostNames();
        link.port = *rc::gen::inRange<std::uint16_t>(1, 65'535);
        link.root = anyDigest();
        if (*rc::gen::arbitrary<bool>()) { link.pin = anyDigest(); }
        const auto again = parseLink(formatLink(link));
        RC_ASSERT(again.has_value());
        RC_ASSERT(*again == link);
    }));
}

void TestProperties::rangesStayInside() {
    QVERIFY(holds("a range never leaves the object", [] {
        const std::int64_t size = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
        const std::string header = "bytes=" + *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789-,")));
        const RangeAnswer answer = parseRange(header, size);
        if (answer.kind == RangeKind::Part) {
            RC_ASSERT(answer.range.first >= 0 && answer.range.count >= 1);
            RC_ASSERT(answer.range.first + answer.range.count <= size);
        }
        if (answer.kind == RangeKind::Whole) { RC_ASSERT(answer.range == (ByteRange{0, size})); }
    }));
}

void TestProperties::base64UrlComesBack() {
    QVERIFY(holds("base64url of any bytes comes back and needs no escaping", [](const std::vector<std::uint8_t>& bytes) {
        const std::string text = toBase64Url(bytes);
        RC_ASSERT(text.find_first_of("+/=&#") == std::string::npos);
        RC_ASSERT(fromBase64Url(text).value() == bytes);
    }));
}

void TestProperties::contributionsComeBack() {
    QVERIFY(holds("a contribution with any finite numbers comes back bit for bit", [] {
        ContributionRequest request = samples::contributionRequest();
        request.steps = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000);
        request.tokens = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 53);
        request.entryLoss = std::abs(*rc::gen::arbitrary<double>());
        request.exitLoss = std::abs(*rc::gen::arbitrary<double>()) / 3.0;
        request.deltaNorm = std::abs(*rc::gen::arbitrary<double>()) * 1e-7;
        RC_PRE(request.entryLoss <= 1e30 && request.exitLoss <= 1e30 && request.deltaNorm <= 1e30);
        request.baseHash = anyDigest();
        const auto again = ContributionRequest::parse(request.serialise());
        RC_ASSERT(again.has_value());
        RC_ASSERT(*again == request);
    }));
}

void TestProperties::signedRequestsVerifyAndChangedOnesDoNot() {
    const KeyPair key = samples::keyOf(samples::Who::Device);
    QVERIFY(holds("any body that was signed verifies, and one changed byte of any covered value does not", [&] {
        const std::string body = *rc::gen::arbitrary<std::string>();
        SignedRequest request{"POST", "example.org", "/v1/leases/" + randomId() + "/heartbeat", "", {}};
        const auto added = signRequest(request, body, key, samples::kNow, randomId());
        RC_ASSERT(added.has_value());
        for (const auto& [header, value] : *added) { request.headers[header] = value; }
        const VerifyOptions options{"example.org", samples::kNow, [&](const std::string&) { return std::optional(key.publicKey()); },
                                    [](const std::string&, const std::string&, core::UtcMs) { return true; }};
        RC_ASSERT(static_cast<bool>(verifyRequest(request, options)));
        RC_ASSERT(checkBody(request, body).has_value());
        RC_ASSERT(!checkBody(request, body + "x").has_value());

        std::string* const covered[] = {&request.method, &request.authority, &request.path, &request.headers["content-digest"], &request.headers["content-length"],
                                        &request.headers["signature-input"]};
        std::string& victim = *covered[*rc::gen::inRange<std::size_t>(0, std::size(covered))];
        const std::size_t at = *rc::gen::inRange<std::size_t>(0, victim.size());
        victim[at] = victim[at] == 'x' ? 'y' : 'x';
        RC_ASSERT(!static_cast<bool>(verifyRequest(request, options)));
    }));
}

void TestProperties::partPlansAreGapless() {
    QVERIFY(holds("parts cover the arena once, in order", [] {
        const std::int64_t elements = *rc::gen::inRange<std::int64_t>(1, 60'000'000);
        const std::int64_t block = *rc::gen::inRange<std::int64_t>(5, 32'768);
        const auto codec = *rc::gen::element(core::Codec::Int8, core::Codec::Fp32);
        std::int64_t next = 0;
        for (const auto& part : planParts(codec, block, elements)) {
            RC_ASSERT(part.first == next);
            RC_ASSERT(part.bytes <= 8 * 1024 * 1024);
            next += part.elements;
        }
        RC_ASSERT(next == elements);
    }));
}

QTEST_GUILESS_MAIN(TestProperties)
#include "tst_properties.moc"
