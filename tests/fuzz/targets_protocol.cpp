// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/digest_header.h"
#include "net/protocol/limits.h"
#include "net/protocol/link.h"
#include "net/protocol/names.h"
#include "net/protocol/paths.h"
#include "net/protocol/range_header.h"
#include "net/protocol/signatures.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/net/protocol/samples.h"

namespace sunloco::fuzz {

namespace {

namespace samples = protocol::samples;
using core::Bytes;
using core::ByteView;

Outcome runEnvelope(ByteView input) {
    const auto envelope = protocol::Envelope::parse(textOf(input), 64 * 1024);
    if (!envelope) { return Outcome::Refused; }
    const auto again = protocol::Envelope::parse(envelope->serialise(), 256 * 1024);
    require(again.has_value() && *again == *envelope, "an envelope is written and read again as the same");
    return Outcome::Accepted;
}

template <typename T>
Outcome runMessage(ByteView input) {
    return roundTrip<T>(textOf(input));
}

Outcome runLink(ByteView input) {
    const auto link = protocol::parseLink(textOf(input));
    if (!link) {
        require(link.error().message.find('\n') == std::string::npos && link.error().message.find('\x1b') == std::string::npos, "an error about a link is one harmless line");
        require(link.error().message.size() < 1'000, "an error about a link is short");
        return Outcome::Refused;
    }
    const auto again = protocol::parseLink(protocol::formatLink(*link));
    require(again.has_value() && *again == *link, "a link is written and read again as the same");
    require(link->origin().rfind("https://", 0) == 0 && link->origin().find_first_of("@#?\\ ") == std::string::npos, "a link leads to an https server and nothing else");
    return Outcome::Accepted;
}

Outcome runSignatureInput(ByteView input) {
    const auto parsed = protocol::SignatureInput::parse(textOf(input));
    if (!parsed) { return Outcome::Refused; }
    require(parsed->label + "=" + parsed->params == textOf(input), "label and parameters are the whole header");
    const auto again = protocol::SignatureInput::parse(parsed->label + "=" + parsed->params);
    require(again.has_value() && *again == *parsed, "a signature input is read twice as the same");
    return Outcome::Accepted;
}

Outcome runSignatureHeader(ByteView input) {
    const auto bytes = protocol::parseSignatureHeader(textOf(input), "sig1");
    if (!bytes) { return Outcome::Refused; }
    require("sig1=:" + core::toBase64(*bytes) + ":" == textOf(input), "a signature has one spelling");
    return Outcome::Accepted;
}

Outcome runContentDigest(ByteView input) {
    const auto digest = protocol::parseContentDigest(textOf(input));
    if (!digest) { return Outcome::Refused; }
    require(textOf(input).find(protocol::formatContentDigest(*digest)) != std::string_view::npos, "the digest that was read stands in the header");
    return Outcome::Accepted;
}

/// The first two bytes are the size of the object.
Outcome runRange(ByteView input) {
    if (input.size() < 2) { return Outcome::Refused; }
    const std::int64_t size = core::readU16(input.data());
    const auto answer = protocol::parseRange(textOf(input.subspan(2)), size);
    if (answer.kind == protocol::RangeKind::Whole) { require(answer.range == (protocol::ByteRange{0, size}), "the whole is the whole"); }
    if (answer.kind != protocol::RangeKind::Part) { return Outcome::Refused; }
    require(answer.range.first >= 0 && answer.range.count > 0 && answer.range.first + answer.range.count <= size, "a part lies inside the object");
    const auto again = protocol::parseRange(protocol::formatRange(answer.range.first, answer.range.count), size);
    require(again == answer, "a range is written and read again as the same");
    return Outcome::Accepted;
}

Outcome runContentRange(ByteView input) {
    const auto range = protocol::parseContentRange(textOf(input));
    if (!range) { return Outcome::Refused; }
    const std::string written = range->range ? protocol::formatContentRange(*range->range, range->size) : protocol::formatUnsatisfied(range->size);
    const auto again = protocol::parseContentRange(written);
    require(again.has_value() && *again == *range, "a content range is written and read again as the same");
    return Outcome::Accepted;
}

Outcome runPath(ByteView input) {
    const auto route = protocol::parseRoute(textOf(input));
    if (!route) { return Outcome::Refused; }
    require(route->id.empty() || protocol::isName(route->id), "an id in a path is a name");
    require(textOf(input).find("..") == std::string_view::npos || route->id.find("..") != std::string::npos, "no path leads upwards");
    require(route->number >= 0, "a number in a path is not negative");
    return Outcome::Accepted;
}

Outcome runText(ByteView input) {
    const std::string_view text = textOf(input);
    const bool one = protocol::checkText(text, 0, 1'000, protocol::Lines::One, "x").has_value();
    const bool many = protocol::checkText(text, 0, 1'000, protocol::Lines::Many, "x").has_value();
    require(!one || many, "what may stand on one line may stand on many");
    require(!one || text.find_first_of(std::string_view("\n\r\x1b\0", 4)) == std::string_view::npos, "one line has no control characters");
    require(!protocol::isName(text) || one, "a name is a text");
    return one ? Outcome::Accepted : Outcome::Refused;
}

Bytes rangeSeed(std::uint16_t size, std::string_view header) {
    Bytes out(2);
    core::writeU16(out.data(), size);
    out.insert(out.end(), header.begin(), header.end());
    return out;
}

std::vector<Bytes> texts(std::initializer_list<std::string> list) {
    std::vector<Bytes> out;
    for (const auto& text : list) { out.push_back(core::toBytes(text)); }
    return out;
}

}  // namespace

std::vector<Target> protocolTargets() {
    using namespace protocol;
    const std::string hash(64, 'a');
    const KeyPair device = samples::keyOf(samples::Who::Device);
    const std::string keyid = deviceId(device.publicKey());
    const std::string input = R"(sig1=("@method" "@authority" "@path" "@query" "content-digest" "content-length");created=1790000000;expires=1790000300;nonce="mzxw6ytboi3tcmrtgq2tmnzy";keyid=")" +
                              keyid + R"(";alg="ed25519";tag="sunloco-v1")";
    return {
        {"envelope", texts({samples::timestampFile(samples::timestamp()), samples::rootFile(samples::root())}), runEnvelope},
        {"root", texts({samples::root().serialise()}), runMessage<Root>},
        {"targets", texts({samples::targets().serialise()}), runMessage<Targets>},
        {"rounds", texts({samples::rounds().serialise()}), runMessage<Rounds>},
        {"timestamp", texts({samples::timestamp().serialise()}), runMessage<Timestamp>},
        {"enrol_request", texts({samples::enrolRequest().serialise()}), runMessage<EnrolRequest>},
        {"enrol_answer", texts({samples::enrolAnswer().serialise()}), runMessage<EnrolAnswer>},
        {"lease_request", texts({samples::leaseRequest().serialise()}), runMessage<LeaseRequest>},
        {"lease", texts({samples::lease().serialise()}), runMessage<Lease>},
        {"heartbeat_request", texts({samples::heartbeatRequest().serialise()}), runMessage<HeartbeatRequest>},
        {"heartbeat_answer", texts({samples::heartbeatAnswer().serialise()}), runMessage<HeartbeatAnswer>},
        {"release_request", texts({samples::releaseRequest().serialise()}), runMessage<ReleaseRequest>},
        {"contribution_request", texts({samples::contributionRequest().serialise()}), runMessage<ContributionRequest>},
        {"contribution_created", texts({samples::contributionCreated().serialise()}), runMessage<ContributionCreated>},
        {"bearer_answer", texts({samples::bearerAnswer().serialise()}), runMessage<BearerAnswer>},
        {"contribution_status", texts({samples::contributionStatus().serialise(), samples::contributionStatusRejected().serialise()}), runMessage<ContributionStatus>},
        {"commit_answer", texts({samples::commitAnswer().serialise()}), runMessage<CommitAnswer>},
        {"receipt", texts({samples::receipt().serialise()}), runMessage<ReceiptPayload>},
        {"own_contributions", texts({samples::ownContributions().serialise()}), runMessage<OwnContributions>},
        {"status", texts({samples::status().serialise()}), runMessage<StatusAnswer>},
        {"problem", texts({samples::problem().serialise()}), runMessage<Problem>},
        {"link", texts({"https://example.org:8443/#root=" + hash, "https://[::1]/#root=" + hash + "&pin=" + std::string(43, 'A')}), runLink},
        {"signature_input", texts({input, "a=()", R"(sig-b26=("date" "@method");created=1618884473;keyid="test-key-ed25519")"}), runSignatureInput},
        {"signature_header", texts({"sig1=:" + core::toBase64(Bytes(64, 5)) + ":"}), runSignatureHeader},
        {"content_digest", texts({formatContentDigest(samples::hashOf("x")), "md5=:AAAA:, " + formatContentDigest(samples::hashOf("y"))}), runContentDigest},
        {"range", {rangeSeed(100, "bytes=0-"), rangeSeed(100, "bytes=10-19"), rangeSeed(100, "bytes=-5")}, runRange},
        {"content_range", texts({"bytes 0-99/100", "bytes */100"}), runContentRange},
        {"path",
         texts({"/", "/v1/status", rootPath(3), objectPath(samples::hashOf("x")), heartbeatPath("abc"), partPath("abc", 7), commitPath("abc"), bearerPath("abc"), "/v1/devices/me/contributions"}),
         runPath},
        {"text", texts({"plain", "K\xc3\xbc" "che \xf0\x9f\x8c\x9e"}), runText},
    };
}

}  // namespace sunloco::fuzz
