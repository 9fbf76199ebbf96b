// SPDX-License-Identifier: Apache-2.0
// Writes a picture of every page, so that a person can compare them with the look: screenshots OUT [--only PREFIX]
// Languages, light and dark, and 640 x 480 are done in one run; for 200 % start it with QT_SCALE_FACTOR=2.
#include "tests/support/recording_agent.h"
#include "ui/dashboard/main_window.h"
#include "ui/dashboard/receipt_dialog.h"
#include "ui/tray/tray_icon.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/language.h"
#include "ui/widgets/ui_state.h"
#include "ui/wizard/join_wizard.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QDir>
#include <QMenu>
#include <QPainter>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>

using namespace sunloco;

namespace {

struct Job {
    QString out;
    QString only;
    QString suffix;
};

void save(const Job& job, const QString& name, QWidget& widget)
{
    const QString file = name + job.suffix + QStringLiteral(".png");
    if (!job.only.isEmpty() && !file.startsWith(job.only))
        return;
    QTest::qWait(60);
    widget.grab().save(QDir(job.out).filePath(file));
}

void pages(const Job& job, const ui::Theme& theme, const QSize& size)
{
    testing::RecordingAgent agent;
    QTemporaryDir folder;
    ui::UiState state(folder.filePath(QStringLiteral("window.ini")));
    agent.fill(agent::State::Training);
    ui::MainWindow window(agent, state, theme);
    window.resize(size);
    window.show();
    for (const char* page : {"now", "why", "contribution", "log", "settings"}) {
        window.showPage(QString::fromLatin1(page));
        save(job, QString::fromLatin1(page), window);
    }
    // The whole of a long page, as the scroll area holds it.
    for (const char* page : {"contribution", "settings", "now"}) {
        window.showPage(QString::fromLatin1(page));
        QTest::qWait(60);
        save(job, QString::fromLatin1(page) + QStringLiteral("-whole"), *window.page(QString::fromLatin1(page))->widget());
    }
    const struct { const char* name; agent::State state; } others[] = {{"now-rule", agent::State::PausedByRule},
                                                                          {"now-you", agent::State::PausedByUser},
                                                                          {"now-upload", agent::State::Uploading},
                                                                          {"now-attention", agent::State::NeedsAttention},
                                                                          {"now-noproject", agent::State::NoProject}};
    for (const auto& other : others) {
        agent.fill(other.state);
        if (other.state == agent::State::PausedByRule)
            agent.now.projects.front().acceptedRounds = agent.now.projects.front().sentRounds = 0;
        agent.emitChanged();
        save(job, QString::fromLatin1(other.name), window);
    }
    agent.fill(agent::State::PausedByRule);
    window.showPage(QStringLiteral("why"));
    save(job, QStringLiteral("why-rule"), window);
}

void wizard(const Job& job, const ui::Theme& theme)
{
    testing::RecordingAgent agent;
    ui::JoinWizard wizard(agent, theme);
    wizard.show();
    save(job, QStringLiteral("wizard-0-empty"), wizard);
    wizard.setLink(QStringLiteral("https://meadow.example:8443/#root=9f2c61d0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa4be1&pin=x"));
    QTest::qWait(600);
    save(job, QStringLiteral("wizard-1-link"), wizard);
    wizard.next();
    wizard.currentPage()->findChild<QCheckBox*>()->setChecked(true);
    save(job, QStringLiteral("wizard-2-offer"), wizard);
    wizard.next();
    save(job, QStringLiteral("wizard-3-amount"), wizard);
    agent.fill(agent::State::PausedByRule);
    wizard.button(QWizard::CommitButton)->click();
    save(job, QStringLiteral("wizard-4-done"), wizard);
}

void others(const Job& job, const ui::Theme& theme)
{
    testing::RecordingAgent agent;
    agent.fill(agent::State::Training);
    QTemporaryDir folder;
    ui::UiState state(folder.filePath(QStringLiteral("window.ini")));
    ui::TrayIcon tray(agent, state, theme);
    tray.menu()->popup(QPoint(10, 10));
    save(job, QStringLiteral("tray-menu"), *tray.menu());
    tray.menu()->hide();
    ui::ReceiptDialog receipt(theme, agent.receipt(QStringLiteral("lease-5039")), agent.rows[2].receiptDigest);
    receipt.setPalette(theme.palette(receipt.palette()));
    receipt.show();
    save(job, QStringLiteral("receipt"), receipt);

    QPixmap sheet(6 * 70, 2 * 70);
    sheet.fill(theme.card);
    QPainter painter(&sheet);
    int column = 0;
    for (const auto each : {agent::State::Training, agent::State::Waiting, agent::State::PausedByUser, agent::State::PausedByRule, agent::State::Uploading, agent::State::NeedsAttention}) {
        painter.drawPixmap(column * 70, 3, ui::icons::tinted(QStringLiteral("tray/") + ui::icons::shapeOf(each), theme.stateColor(each), 64, 1));
        painter.drawPixmap(column++ * 70 + 20, 90, ui::icons::tinted(QStringLiteral("tray/") + ui::icons::shapeOf(each), theme.text, 16, 1));
    }
    painter.end();
    if (job.only.isEmpty())
        sheet.save(QDir(job.out).filePath(QStringLiteral("states") + job.suffix + QStringLiteral(".png")));
}

}  // namespace

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() < 2) {
        QTextStream(stderr) << "usage: screenshots OUT [--only PREFIX]\n";
        return 2;
    }
    Job job;
    job.out = arguments[1];
    const qsizetype only = arguments.indexOf(QStringLiteral("--only"));
    if (only > 0 && only + 1 < arguments.size())
        job.only = arguments[only + 1];
    QDir().mkpath(job.out);
    ui::Language language;
    const QString scale = qEnvironmentVariable("QT_SCALE_FACTOR") == u"2" ? QStringLiteral("-200pct") : QString();
    const struct { const char* name; ui::Theme theme; } themes[] = {{"light", ui::Theme::light()}, {"dark", ui::Theme::dark()}};
    for (const auto& theme : themes) {
        for (const char* code : {"en", "de", "zh_CN"}) {
            const bool english = QByteArray(code) == "en";
            if (!english && theme.theme.kind == ui::Theme::Kind::Dark)
                continue;
            language.install(QString::fromLatin1(code));
            job.suffix = u'-' + QString::fromLatin1(theme.name) + (english ? QString() : u'-' + QString::fromLatin1(code)) + scale;
            pages(job, theme.theme, QSize(960, 640));
            wizard(job, theme.theme);
            others(job, theme.theme);
            if (theme.theme.kind == ui::Theme::Kind::Light) {
                job.suffix += QStringLiteral("-640x480");
                pages(job, theme.theme, QSize(640, 480));
            }
        }
    }
    return 0;
}
