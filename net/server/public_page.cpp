// SPDX-License-Identifier: Apache-2.0
#include "net/server/public_page.h"

#include "engine/core/sha256.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace sunloco::server {

namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ink:#1d2430;--soft:#5b6675;--line:#d9dee6;--paper:#fbfcfe;--card:#fff;--sun:#c77700;--curve:#1f6fb2}
@media(prefers-color-scheme:dark){:root{--ink:#e8ecf2;--soft:#9aa6b6;--line:#333c49;--paper:#14181f;--card:#1b212a;--sun:#ffb541;--curve:#6db7f2}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:2rem 1rem}h1{font-size:1.8rem;margin:0 0 .25rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
.lead{color:var(--soft);margin:0 0 1.5rem;white-space:pre-line}.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.75rem;margin:0}
.tiles div{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.75rem 1rem}.tiles dt{color:var(--soft);font-size:.85rem}
.tiles dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem}
svg{display:block;width:100%;height:auto}svg text{fill:var(--soft);font-size:12px}.grid{stroke:var(--line)}.curve{fill:none;stroke:var(--curve);stroke-width:2.5;stroke-linejoin:round}
.dot{fill:var(--curve)}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{text-align:right;padding:.3rem .6rem;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:500}th:first-child,td:first-child{text-align:left}.wide{overflow-x:auto}code{display:block;overflow-wrap:anywhere;background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.75rem 1rem}
a{color:var(--sun)}footer{color:var(--soft);font-size:.85rem;margin-top:2.5rem}
)css";

// Follows /v1/status; draws nothing itself: the page reloads when a round has closed, so that there is one drawing of the curve.
constexpr std::string_view kScript = R"js(
'use strict';
(function(){
  var known=document.documentElement.dataset.rounds,number=new Intl.NumberFormat('en');
  function put(id,text){var node=document.getElementById(id);if(node&&node.textContent!==text){node.textContent=text}}
  function left(deadline){var s=Math.max(0,Math.round((deadline-Date.now())/1000));return s>5400?Math.round(s/3600)+' h':s>90?Math.round(s/60)+' min':s+' s'}
  function look(){
    fetch('/v1/status',{cache:'no-store'}).then(function(r){return r.json()}).then(function(s){
      put('round',number.format(s.round));put('state',s.state);put('contributors',number.format(s.contributors));
      put('tokens',number.format(s.tokens_total));put('left',s.state==='open'?left(s.deadline):'\u2013');
      var measured=s.history.filter(function(h){return h.held_out_loss!==null}).length;
      if(String(s.history.length)+'/'+measured!==known){location.reload()}
    }).catch(function(){put('state','no connection')})
  }
  setInterval(function(){if(!document.hidden){look()}},5000);look();
})();
)js";

std::string fixed(double value, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

std::string grouped(std::int64_t value) {
    std::string digits = std::to_string(value);
    for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3) { digits.insert(static_cast<std::size_t>(at), 1, ','); }
    return digits;
}

std::string bytesText(std::int64_t bytes) {
    const double value = static_cast<double>(bytes);
    if (value < 1e3) { return std::to_string(bytes) + " B"; }
    if (value < 1e6) { return fixed(value / 1e3, 1) + " kB"; }
    if (value < 1e9) { return fixed(value / 1e6, 1) + " MB"; }
    return fixed(value / 1e9, 2) + " GB";
}

std::string secondsText(double seconds) {
    if (seconds < 120) { return fixed(seconds, 0) + " s"; }
    if (seconds < 7200) { return fixed(seconds / 60, 0) + " min"; }
    return fixed(seconds / 3600, 1) + " h";
}

std::string sourceHash(std::string_view text) { return "'sha256-" + core::toBase64(core::sha256(core::asBytes(text)).bytes) + "'"; }

struct Point {
    std::int64_t round = 0;
    double loss = 0;
};

/// A step of 1, 2 or 5 times a power of ten that gives about `wanted` lines.
double niceStep(double span, int wanted) {
    const double rough = std::max(span, 1e-9) / wanted;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (rough <= factor * power) { return factor * power; }
    }
    return 10 * power;
}

std::string lossCurve(const std::vector<Point>& points) {
    if (points.empty()) { return "<p>The loss has not been measured yet.</p>"; }
    constexpr double width = 860, height = 300, left = 52, right = 16, top = 12, bottom = 34;
    double low = points.front().loss;
    double high = low;
    for (const auto& point : points) {
        low = std::min(low, point.loss);
        high = std::max(high, point.loss);
    }
    const double step = niceStep(std::max(high - low, 0.2), 5);
    low = std::floor(low / step) * step;
    high = std::max(std::ceil(high / step) * step, low + step);
    const std::int64_t lastRound = std::max<std::int64_t>(1, points.back().round);
    const auto x = [&](double round) { return left + (width - left - right) * round / static_cast<double>(lastRound); };
    const auto y = [&](double loss) { return top + (height - top - bottom) * (high - loss) / (high - low); };
    std::string svg = "<svg id=\"curve\" viewBox=\"0 0 860 300\" role=\"img\" aria-label=\"Held-out loss by round, from " + fixed(points.front().loss, 3) + " to " +
                      fixed(points.back().loss, 3) + "\">";
    const int digits = step < 0.1 ? 2 : 1;
    for (double line = low; line <= high + step / 2; line += step) {
        svg += "<line class=\"grid\" x1=\"" + fixed(left, 0) + "\" x2=\"" + fixed(width - right, 0) + "\" y1=\"" + fixed(y(line), 1) + "\" y2=\"" + fixed(y(line), 1) + "\"/>";
        svg += "<text x=\"" + fixed(left - 8, 0) + "\" y=\"" + fixed(y(line) + 4, 1) + "\" text-anchor=\"end\">" + fixed(line, digits) + "</text>";
    }
    const std::int64_t every = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(niceStep(static_cast<double>(lastRound), 10))));
    for (std::int64_t round = 0; round <= lastRound; round += every) {
        svg += "<text x=\"" + fixed(x(static_cast<double>(round)), 1) + "\" y=\"" + fixed(height - bottom + 18, 0) + "\" text-anchor=\"middle\">" + std::to_string(round) + "</text>";
    }
    std::string path;
    std::string dots;
    for (const auto& point : points) {
        const std::string at = fixed(x(static_cast<double>(point.round)), 1) + "," + fixed(y(point.loss), 1);
        path += (path.empty() ? "" : " ") + at;
        if (points.size() <= 60) {
            dots += "<circle class=\"dot\" cx=\"" + fixed(x(static_cast<double>(point.round)), 1) + "\" cy=\"" + fixed(y(point.loss), 1) + "\" r=\"3.5\"><title>round " +
                    std::to_string(point.round) + ": " + fixed(point.loss, 3) + "</title></circle>";
        }
    }
    svg += "<polyline class=\"curve\" points=\"" + path + "\"/>" + dots + "<text x=\"" + fixed(width - right, 0) + "\" y=\"" + fixed(height - 1, 0) +
           "\" text-anchor=\"end\">round</text></svg><figcaption>Held-out loss in nats per token: lower is better.</figcaption>";
    return svg;
}

std::string tile(const char* title, const char* id, const std::string& value) {
    return std::string("<div><dt>") + title + "</dt><dd id=\"" + id + "\">" + escapeHtml(value) + "</dd></div>";
}

std::string roundsTable(const protocol::StatusAnswer& status) {
    if (status.history.empty()) { return {}; }
    constexpr std::size_t shown = 50;
    std::string html = "<h2>Rounds</h2><div class=\"wide\"><table><thead><tr><th>Round</th><th>Contributors</th><th>Tokens</th><th>Held-out loss</th><th>Up</th><th>Down</th>"
                       "<th>Time</th></tr></thead><tbody>";
    std::size_t rows = 0;
    for (auto entry = status.history.rbegin(); entry != status.history.rend() && rows < shown; ++entry, ++rows) {
        html += "<tr><td>" + std::to_string(entry->round) + "</td><td>" + grouped(entry->contributors) + "</td><td>" + grouped(entry->tokens) + "</td><td>" +
                (entry->heldOutLoss ? fixed(*entry->heldOutLoss, 3) : std::string("–")) + "</td><td>" + bytesText(entry->bytesUp) + "</td><td>" + bytesText(entry->bytesDown) +
                "</td><td>" + secondsText(entry->seconds) + "</td></tr>";
    }
    return html + "</tbody></table></div>";
}

}  // namespace

std::string escapeHtml(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += c;
        }
    }
    return out;
}

PublicPage makePublicPage(const protocol::ProjectInfo& project, const protocol::Manifest& manifest, const protocol::StatusAnswer& status, const std::string& link) {
    std::vector<Point> points;
    if (status.initialHeldOutLoss) { points.push_back({0, *status.initialHeldOutLoss}); }
    std::size_t measured = 0;
    for (const auto& entry : status.history) {
        if (!entry.heldOutLoss) { continue; }
        ++measured;
        points.push_back({entry.round, *entry.heldOutLoss});
    }
    const std::string name = escapeHtml(project.name);
    std::string html = "<!doctype html>\n<html lang=\"en\" data-rounds=\"" + std::to_string(status.history.size()) + "/" + std::to_string(measured) +
                       "\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>" + name +
                       " – SunLoCo</title><link rel=\"icon\" href=\"data:,\"><style>";
    html += kStyle;
    html += "</style></head>\n<body><main><h1>" + name + "</h1>" + (project.description.empty() ? std::string() : "<p class=\"lead\">" + escapeHtml(project.description) + "</p>") + "\n<dl class=\"tiles\">";
    html += tile("Round", "round", grouped(status.round)) + tile("State", "state", std::string(protocol::name(status.state))) +
            tile("Contributors this round", "contributors", grouped(status.contributors)) + tile("Time left", "left", "–") +
            tile("Tokens trained", "tokens", grouped(status.tokensTotal)) + tile("Parameters", "parameters", grouped(manifest.claims.parameters));
    if (!points.empty()) { html += tile("Held-out loss", "loss", fixed(points.back().loss, 3)); }
    html += "</dl>\n<h2>Progress</h2><figure>" + lossCurve(points) + "</figure>\n" + roundsTable(status);
    html += "\n<h2>Take part</h2><p>Lend this project your computer while you do not need it. Install SunLoCo, choose <em>Join a project</em> and paste this link:</p><code id=\"link\">" +
            escapeHtml(link) + "</code><p>A device needs about " + bytesText(manifest.claims.memoryBytes) + " of memory and " + bytesText(manifest.claims.diskBytes) +
            " of disk, downloads " + bytesText(manifest.claims.downloadBytesOnce) + " once and " + bytesText(manifest.claims.downloadBytesPerRound) + " a round, and uploads " +
            bytesText(manifest.claims.uploadBytesPerRound) + " a round.</p>";
    html += "\n<h2>Text</h2><p>" + (manifest.source.description.empty() ? std::string("The operator named no source") : escapeHtml(manifest.source.description)) +
            (manifest.source.licence.empty() ? std::string(".") : ". Licence: " + escapeHtml(manifest.source.licence)) + "</p>";
    if (!project.url.empty()) { html += "<p><a rel=\"noopener noreferrer\" href=\"" + escapeHtml(project.url) + "\">More about the project</a></p>"; }
    html += "\n<footer>SunLoCo project server · <a href=\"/v1/status\">status as JSON</a></footer></main>\n<script>";
    html += kScript;
    html += "</script></body></html>\n";
    PublicPage page;
    page.policy = "default-src 'none'; style-src " + sourceHash(kStyle) + "; script-src " + sourceHash(kScript) +
                  "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    page.html = std::move(html);
    return page;
}

}  // namespace sunloco::server
