// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands.h"

#include "app/ctl/bug_report.h"
#include "app/ctl/printing.h"
#include "app/ctl/replay_command.h"
#include "net/ipc/ipc_client.h"
#include "net/ipc/socket_path.h"

#include <CLI/CLI.hpp>
#include <QDateTime>

#include <csignal>
#include <cstdio>
#include <functional>

namespace sunloco::ctl {
namespace {

using core::Error;
using core::ErrorCode;
using core::ExitCode;
using core::Json;

constexpr int kConnectMs = 2'000;
constexpr int kAnswerMs = 30'000;
constexpr int kJoinMs = 120'000;   // metadata over a slow line

volatile std::sig_atomic_t interrupted = 0;

/// The options of all commands, and what they print with.
struct Context {
    std::string dataDir;
    bool json = false;

    [[nodiscard]] ExitCode fail(const Error& error) const {
        if (json) std::printf("%s\n", Json{{"error", {{"code", core::errorName(error.code)}, {"message", error.text()}}}}.dump().c_str());
        std::fprintf(stderr, "sunloco-ctl: %s\n", error.text().c_str());
        return core::exitCodeFor(error.code);
    }
    [[nodiscard]] ExitCode print(const Json& document, const std::function<std::string(const Json&)>& forPeople) const {
        if (json) std::printf("%s\n", document.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
        else std::fputs(forPeople(document).c_str(), stdout);
        return ExitCode::Ok;
    }

    /// One request to the agent of the data folder.
    [[nodiscard]] core::Result<Json> ask(const std::string& method, const Json& params = Json::object(), int timeoutMs = kAnswerMs) const {
        ipc::IpcClient client;
        if (auto connected = connect(client); !connected) return connected.error();
        auto answer = client.call(method, params, timeoutMs);
        if (!answer) return Error{answer.error().code, answer.error().message, {}};
        return answer;
    }
    [[nodiscard]] core::Result<void> connect(ipc::IpcClient& client) const {
        const std::filesystem::path folder = dataDir.empty() ? ipc::defaultDataDir() : std::filesystem::path(dataDir);
        auto connected = client.connect(ipc::socketPath(folder), kConnectMs);
        if (!connected && connected.error().code == ErrorCode::NotFound) return Error{ErrorCode::Network, "no agent runs on this data folder; start it with sunlocod or with the SunLoCo app", folder.string()};
        return connected;
    }
    [[nodiscard]] ExitCode askAndPrint(const std::string& method, const Json& params, const std::function<std::string(const Json&)>& forPeople, int timeoutMs = kAnswerMs) const {
        const auto answer = ask(method, params, timeoutMs);
        return answer ? print(*answer, forPeople) : fail(answer.error());
    }
};

std::string messageOf(const Json& answer, const std::string& otherwise) {
    const auto found = answer.find("message");
    return (found != answer.end() && found->is_string() && !found->get<std::string>().empty() ? found->get<std::string>() : otherwise) + "\n";
}

/// A day ("2025-03-30", local, its start or end) or a moment in ISO 8601.
core::Result<std::int64_t> momentOf(const std::string& text, bool endOfDay) {
    const QString value = QString::fromStdString(text);
    const QDate day = QDate::fromString(value, Qt::ISODate);
    if (value.size() == 10 && day.isValid()) return (endOfDay ? day.addDays(1) : day).startOfDay().toMSecsSinceEpoch();
    const QDateTime moment = QDateTime::fromString(value, Qt::ISODate);
    if (!moment.isValid()) return Error{ErrorCode::InvalidArgument, "this is not a date or time in ISO 8601 (2025-03-30 or 2025-03-30T12:00:00Z)", text};
    return moment.toMSecsSinceEpoch();
}

ExitCode energyCommand(const Context& context, const std::string& from, const std::string& to, bool csv) {
    Json params = Json::object();
    for (const auto& [name, value, end] : {std::tuple{"from", from, false}, std::tuple{"to", to, true}}) {
        if (value.empty()) continue;
        const auto moment = momentOf(value, end);
        if (!moment) return context.fail(moment.error());
        params[name] = *moment;
    }
    return context.askAndPrint("energy", params, csv ? energyCsv : energyText);
}

/// Each line as it comes, until Ctrl+C or the agent's end.
ExitCode followLog(const Context& context) {
    ipc::IpcClient client;
    if (auto connected = context.connect(client); !connected) return context.fail(connected.error());
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::signal(SIGTERM, [](int) { interrupted = 1; });
    const auto done = client.follow(
        [&](const ipc::EventMessage& event) {
            if (event.name != "log") return;
            if (context.json) std::printf("%s\n", event.data.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
            else std::printf("%s\n", event.data.value("line", std::string()).c_str());
            std::fflush(stdout);
        },
        [] { return interrupted == 0; });
    return done ? ExitCode::Ok : context.fail(done.error());
}

ExitCode logCommand(const Context& context, int lines, bool follow) {
    if (follow && context.json) return followLog(context);
    const ExitCode first = context.askAndPrint("log", {{"lines", lines}}, [](const Json& answer) {
        std::string out;
        for (const Json& line : answer.at("lines")) out += line.get<std::string>() + "\n";
        return out;
    });
    if (first != ExitCode::Ok || !follow) return first;
    std::fflush(stdout);
    return followLog(context);
}

/// A stop request is done when the agent is gone.
ExitCode quitCommand(const Context& context, bool now) {
    ipc::IpcClient client;
    if (auto connected = context.connect(client); !connected) return context.fail(connected.error());
    const auto answer = client.call("quit", {{"now", now}}, kAnswerMs);
    if (!answer) return context.fail(answer.error());
    const QDateTime begin = QDateTime::currentDateTimeUtc();
    (void)client.follow([](const ipc::EventMessage&) {}, [&] { return begin.msecsTo(QDateTime::currentDateTimeUtc()) < 45'000; });
    return context.print(Json{{"ok", true}}, [](const Json&) { return std::string("The agent has ended.\n"); });
}

ExitCode bugReport(const Context& context, const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return context.fail({ErrorCode::InvalidArgument, "there is such a file already; name another", path});
    const auto files = collectReport([&](const std::string& method, const Json& params) { return context.ask(method, params); });
    if (auto written = writeZip(path, files); !written) return context.fail(written.error());
    Json names = Json::array();
    for (const ReportFile& file : files) names.push_back(file.name);
    return context.print(Json{{"file", path}, {"contents", names}}, [&](const Json&) {
        return "Written: " + path + "\nLook through it before you give it away: settings, state, log and what this PC is. Keys, invitation codes and your folder's name are not in it.\n";
    });
}

std::string offerText(const Json& offer) {
    const auto megabytes = [&](const char* key) { return std::to_string(offer.value(key, std::int64_t{0}) / 1'000'000) + " MB"; };
    return offer.value("name", std::string()) + "\n" + offer.value("description", std::string()) + "\nText: " + offer.value("source", std::string()) + " (" + offer.value("licence", std::string()) + ")\nParameters: " +
           std::to_string(offer.value("parameters", std::int64_t{0})) + ", memory " + megabytes("memory_bytes") + ", disk " + megabytes("disk_bytes") + "\nTraffic: " + megabytes("download_bytes_once") +
           " once; each round " + megabytes("download_bytes_per_round") + " down, " + megabytes("upload_bytes_per_round") + " up\n";
}

/// One subcommand; `result` takes its exit code.
class CommandLine {
public:
    CommandLine(CLI::App& app, Context& context) : m_app(app), m_context(context) {}

    CLI::App* add(CLI::App& parent, const std::string& name, const std::string& help, std::function<ExitCode()> action) {
        CLI::App* command = parent.add_subcommand(name, help);
        command->add_flag("--json", m_context.json, "Print one JSON document");
        if (action) command->callback([this, action = std::move(action)] { m_result = action(); });
        return command;
    }
    CLI::App* add(const std::string& name, const std::string& help, std::function<ExitCode()> action) { return add(m_app, name, help, std::move(action)); }
    [[nodiscard]] ExitCode result() const { return m_result; }

private:
    CLI::App& m_app;
    Context& m_context;
    ExitCode m_result = ExitCode::Ok;
};

/// What the commands take; one place, since CLI11 fills it while it parses.
struct Arguments {
    std::string link, invite, id, length, report, mode, device, key, value, from, to, sensor, trace, settings, lease;
    int minutes = 60;
    int limit = 100;
    int lines = 50;
    bool csv = false, follow = false, now = false;
};

void addProjectCommands(CommandLine& line, const Context& c, Arguments& a) {
    CLI::App* join = line.add("join", "Take part in a project", [&] {
        return c.askAndPrint("join", {{"link", a.link}, {"invite", a.invite}}, [](const Json& answer) { return messageOf(answer, "Joined. Training begins as soon as the rules allow it (sunloco-ctl why)."); }, kJoinMs);
    });
    join->add_option("LINK", a.link, "The project's link: https://…/#root=…")->required();
    join->add_option("--invite", a.invite, "Invitation code, if the project asks for one");
    CLI::App* show = line.add("show", "Look at a project without joining it: what it is and what it will use", [&] { return c.askAndPrint("inspect", {{"link", a.link}}, offerText, kJoinMs); });
    show->add_option("LINK", a.link, "The project's link")->required();
    CLI::App* leave = line.add("leave", "Leave a project; its files and its device key are removed", [&] {
        return c.askAndPrint("leave", {{"id", a.id}}, [](const Json& answer) { return messageOf(answer, "Left. Unfinished work is given back to the project where its server can be reached."); });
    });
    leave->add_option("ID", a.id, "Of `sunloco-ctl projects`; its first 8 characters are enough")->required();
    line.add("projects", "The projects of this PC", [&] { return c.askAndPrint("projects", Json::object(), projectsText); });
}

void addControlCommands(CommandLine& line, const Context& c, Arguments& a) {
    line.add("status", "What it does now, and why", [&] { return c.askAndPrint("status", Json::object(), statusText); });
    line.add("why", "Every rule in order of precedence, with its number and its limit", [&] { return c.askAndPrint("why", Json::object(), whyText); });
    line.add("devices", "The devices that can train", [&] { return c.askAndPrint("devices", Json::object(), devicesText); });
    CLI::App* pause = line.add("pause", "Stop training at once; finished work is still sent", [&] { return c.askAndPrint("pause", {{"length", a.length}}, statusText); });
    pause->add_option("LENGTH", a.length, "15m, 1h, 4h, 2d, tomorrow (6:00) or forever (the standard: until `resume`)");
    line.add("resume", "End a pause or a \"run now\": the rules decide again", [&] { return c.askAndPrint("resume", Json::object(), statusText); });
    CLI::App* runNow = line.add("run-now", "Train now, whatever the rules say; safety, disk and network limits still hold", [&] { return c.askAndPrint("run-now", {{"minutes", a.minutes}}, statusText); });
    runNow->add_option("MINUTES", a.minutes, "How long; 0 = until `resume`")->capture_default_str();
    CLI::App* mode = line.add("mode", "always, rules or never; for the whole agent or one device", [&] {
        return c.askAndPrint("mode", {{"mode", a.mode}, {"device", a.device}}, [](const Json& answer) { return messageOf(answer, "Done."); });
    });
    mode->add_option("MODE", a.mode, "always | rules | never")->required()->check(CLI::IsMember({"always", "rules", "never"}));
    mode->add_option("--device", a.device, "Only this device (sunloco-ctl devices)");
    CLI::App* quit = line.add("quit", "End the agent; the workers save their work first", [&] { return quitCommand(c, a.now); });
    quit->add_flag("--now", a.now, "Do not wait for the workers to save");
}

void addConfigCommands(CommandLine& line, const Context& c, Arguments& a) {
    CLI::App* config = line.add("config", "Settings: list, get, set, reset", nullptr);
    config->require_subcommand(1);
    line.add(*config, "list", "All settings", [&] { return c.askAndPrint("config.list", Json::object(), settingsText); });
    line.add(*config, "get", "One setting with its meaning", [&] { return c.askAndPrint("config.get", {{"key", a.key}}, settingText); })->add_option("KEY", a.key, "sunloco-ctl config list")->required();
    CLI::App* set = line.add(*config, "set", "Change a setting", [&] { return c.askAndPrint("config.set", {{"key", a.key}, {"value", a.value}}, settingText); });
    set->add_option("KEY", a.key, "sunloco-ctl config list")->required();
    set->add_option("VALUE", a.value, "on, off, a number, a choice, an address, or hours (\"mon-fri 22-7\")")->required();
    line.add(*config, "reset", "Back to the standard", [&] { return c.askAndPrint("config.reset", {{"key", a.key}}, settingText); })->add_option("KEY", a.key, "sunloco-ctl config list")->required();
}

void addRecordCommands(CommandLine& line, const Context& c, Arguments& a) {
    CLI::App* energy = line.add("energy", "Own energy in quarters of an hour", [&] { return energyCommand(c, a.from, a.to, a.csv); });
    energy->add_option("--from", a.from, "Day or time (ISO 8601)");
    energy->add_option("--to", a.to, "Day (included) or time (ISO 8601)");
    energy->add_flag("--csv", a.csv, "As a table for a spreadsheet");
    line.add("history", "The contributions of this PC, newest first", [&] { return c.askAndPrint("history", {{"limit", a.limit}}, historyText); })
        ->add_option("--limit", a.limit, "How many")->capture_default_str()->check(CLI::Range(1, 2000));
    line.add("receipt", "The server's signed receipt of one contribution", [&] { return c.askAndPrint("receipt", {{"lease_id", a.lease}}, [](const Json& receipt) { return receipt.dump(2) + "\n"; }); })
        ->add_option("LEASE", a.lease, "What `history` shows behind \"receipt\", or a lease_id of `history --json`; the first 8 characters are enough")->required();
    CLI::App* log = line.add("log", "What happened", [&] { return logCommand(c, a.lines, a.follow); });
    log->add_flag("--follow", a.follow, "Go on until Ctrl+C");
    log->add_option("--lines", a.lines, "How many")->capture_default_str()->check(CLI::Range(1, 2000));
    line.add("test", "What the sensors of this PC tell", [&] { return c.askAndPrint("test", {{"sensor", a.sensor}}, sensorsText); })->add_option("SENSOR", a.sensor, "Only this one");
    line.add("bug-report", "Collect what helps to understand a problem, in a zip file", [&] { return bugReport(c, a.report); })
        ->add_option("OUT.zip", a.report, "A file that does not exist yet")->required();
    CLI::App* replay = line.add("replay", "Off-line: the rules over a recorded day (columns: app/rules/trace_replay.h)", [&] {
        const auto result = replayDay(a.trace, a.settings);
        return result ? c.print(*result, replayText) : c.fail(result.error());
    });
    replay->add_option("TRACE", a.trace, "CSV file")->required();
    replay->add_option("--settings", a.settings, "settings.json; without it the standard settings");
}

}  // namespace

ExitCode run(int argc, char** argv) {
    Context context;
    Arguments arguments;
    CLI::App app{"sunloco-ctl: talks to the SunLoCo agent of this user.\nExit codes: 0 well, 2 wrong command line, 3 wrong input, 4 no agent runs, 5 busy, 6 refused.", "sunloco-ctl"};
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--data-dir", context.dataDir, "Data folder of the agent (default: ~/.local/share/sunloco)");
    app.add_flag("--json", context.json, "Print one JSON document");
    app.set_version_flag("--version", "sunloco-ctl 0.1.0");
    CommandLine line(app, context);
    addProjectCommands(line, context, arguments);
    addControlCommands(line, context, arguments);
    addConfigCommands(line, context, arguments);
    addRecordCommands(line, context, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 asks for a command before it looks at what was typed in its place.
        const auto typed = app.remaining(true);
        if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !typed.empty()) {
            std::fprintf(stderr, "sunloco-ctl: there is no command \"%s\"; sunloco-ctl --help lists them\n", typed.front().c_str());
            return ExitCode::Usage;
        }
        return app.exit(error) == 0 ? ExitCode::Ok : ExitCode::Usage;
    }
    return line.result();
}

}  // namespace sunloco::ctl
