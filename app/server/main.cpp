// SPDX-License-Identifier: Apache-2.0
#include "app/server/server_commands.h"

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace {

using sunloco::core::ExitCode;
using namespace sunloco::server_program;

void logToStderr(const std::string& level) {
    auto logger = spdlog::stderr_logger_mt("server");
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
    logger->set_level(spdlog::level::from_str(level));
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"SunLoCo project server: makes a training project from text and runs it.", "sunloco-server"};
    app.require_subcommand(1);
    app.set_version_flag("--version", "sunloco-server 0.1.0");
    std::string level = "info";
    app.add_option("--log-level", level, "debug, info, warning or error (log lines go to stderr)")->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    app.footer("A project is one folder. Make it with 'init', run it with 'serve', give people the link that 'serve' prints.\n"
               "Exit codes: 0 well, 2 wrong command line, 3 wrong input, 5 in use, 7 made by a newer version, 8 a check failed, 1 anything else.");

    bool json = false;
    std::string folder;
    const auto command = [&](const char* name, const char* what) {
        CLI::App* sub = app.add_subcommand(name, what);
        sub->add_option("DIR", folder, "the project's folder")->required();
        sub->add_flag("--json", json, "print one JSON document");
        return sub;
    };

    sunloco::server::InitOptions init;
    CLI::App* initCommand = command("init", "Make a project from a folder of text");
    initCommand->add_option("--text", init.texts, "files and folders of UTF-8 text (.txt, .md)")->required();
    initCommand->add_option("--model", init.model, "the model's config.json (Hugging Face; see resources/models)")->required();
    initCommand->add_option("--name", init.name, "what volunteers see (default: the folder's name)");
    initCommand->add_option("--description", init.description, "a sentence or two about the project");
    initCommand->add_option("--url", init.url, "a page about the project (https)");
    initCommand->add_option("--source", init.source, "where the text comes from");
    initCommand->add_option("--licence", init.licence, "under which terms the text may be used");
    initCommand->add_option("--method", init.method, "diloco or fedavg")->check(CLI::IsMember({"diloco", "fedavg"}));
    initCommand->add_option("--set", init.settings, "KEY=VALUE of the training recipe, for example inner_steps=200 (may be repeated)");
    initCommand->add_option("--host-name", init.hostNames, "another name for the server's own certificate (may be repeated)");

    sunloco::server::ServeOptions serveOptions;
    CLI::App* serveCommand = command("serve", "Run the project until SIGTERM or Ctrl+C; prints the project link when ready");
    serveCommand->add_option("--listen", serveOptions.listen, "HOST:PORT; port 0 takes any free one");
    serveCommand->add_option("--config", serveOptions.config, "settings file (default: DIR/server.toml)");
    serveCommand->add_option("--public-url", serveOptions.publicUrl, "https://HOST[:PORT] as volunteers reach the server");

    CLI::App* linkCommand = command("link", "Print the link that volunteers paste");
    CLI::App* statusCommand = command("status", "Round, contributors, tokens and losses");
    CLI::App* inviteCommand = command("invite", "Make an invitation code for one device");
    CLI::App* closeCommand = command("close-round", "Merge the open round now with what is there");
    CLI::App* rollbackCommand = command("rollback", "Undo the last merged round");
    CLI::App* haltCommand = command("halt", "Give out no more work until 'resume'");
    CLI::App* resumeCommand = command("resume", "Go on after 'halt'");
    std::string format = "hf";
    std::string dtype = "f16";
    std::string out;
    CLI::App* exportCommand = command("export", "Write the newest model for other programs");
    exportCommand->add_option("OUT", out, "hf: a new or empty folder; gguf: a new file")->required();
    exportCommand->add_option("--format", format, "hf (Hugging Face transformers) or gguf (llama.cpp)")->check(CLI::IsMember({"hf", "gguf"}));
    exportCommand->add_option("--dtype", dtype, "numbers of a gguf file: f32, f16 or q8_0")->check(CLI::IsMember({"f32", "f16", "q8_0"}));
    CLI::App* replayCommand = command("replay", "Derive every base again from the event log and compare the hashes");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code == 0 ? 0 : static_cast<int>(ExitCode::Usage);
    }
    logToStderr(level);

    const Output output = json ? Output::Json : Output::Text;
    ExitCode code = ExitCode::Usage;
    if (*initCommand) {
        init.folder = folder;
        code = sunloco::server_program::init(std::move(init), output);
    } else if (*serveCommand) {
        serveOptions.folder = folder;
        code = serve(serveOptions, output);
    } else if (*linkCommand) {
        code = sunloco::server_program::link(folder, output);
    } else if (*statusCommand) {
        code = status(folder, output);
    } else if (*inviteCommand) {
        code = invite(folder, output);
    } else if (*closeCommand || *rollbackCommand || *haltCommand || *resumeCommand) {
        code = operate(folder, app.get_subcommands().front()->get_name(), output);
    } else if (*exportCommand) {
        code = exportModel(folder, format, dtype, out, output);
    } else if (*replayCommand) {
        code = replay(folder, output);
    }
    return static_cast<int>(code);
}
