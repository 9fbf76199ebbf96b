// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/device_card.h"

#include "app/text/sentence.h"
#include "ui/widgets/figure.h"
#include "ui/widgets/progress_ring.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>

namespace sunloco::ui {
namespace {
// Fewer steps or seconds than this give no honest estimate.
constexpr qint64 kLeastSteps = 3;
constexpr qint64 kLeastMilliseconds = 5000;
}  // namespace

DeviceCard::DeviceCard(const Theme& theme, QWidget* parent)
    : Card(theme, parent)
    , m_theme(theme)
    , m_ring(new ProgressRing(theme, this))
    , m_speed(new Figure(theme, this))
    , m_power(new Figure(theme, this))
    , m_loss(new Figure(theme, this))
    , m_sentence(makeLabel({}, TextSize::Secondary, theme.text2, Wrap::Yes, this))
    , m_besideRing(makeLabel({}, TextSize::Body, theme.text, Wrap::Yes, this))
{
    auto* row = new QHBoxLayout;
    row->setSpacing(16);
    row->addWidget(m_ring, 0, Qt::AlignTop);
    row->addSpacing(4);
    for (Figure* figure : {m_speed, m_power, m_loss})
        row->addWidget(figure, 1);
    row->addWidget(m_besideRing, 2);
    body()->addLayout(row);
    body()->addWidget(m_sentence);
    body()->addStretch(1);
}

void DeviceCard::setDevice(const agent::DeviceSnapshot& device, std::optional<qint64> deadline)
{
    const QLocale locale;
    const QString unknown = tr("unknown");
    const bool training = device.state == agent::State::Training;
    setHeading(device.name);
    if (device.steps > 0)
        setNote(tr("Round %1 · %2 of %3 steps").arg(locale.toString(device.round), locale.toString(device.step), locale.toString(device.steps)));
    else
        setNote(device.mode == rules::Mode::Never ? tr("off") : tr("no round is running"));

    m_ring->setAccessibleName(device.steps > 0 ? tr("Round %1").arg(locale.toString(device.round)) : tr("Round"));
    m_ring->setColor(m_theme.stateColor(device.state));
    m_ring->setProgress(device.step, device.steps);

    // A device at rest has no speed; that is no unknown value.
    m_speed->setVisible(training);
    m_loss->setVisible(training);
    m_power->setVisible(training || device.watts.has_value());
    const QString speed = device.tokensPerSecond ? locale.toString(qRound64(*device.tokensPerSecond)) : unknown;
    m_speed->set(speed, tr("tokens/s"), device.threads > 0 ? tr("%n threads", nullptr, device.threads) : QString());
    const QString power = device.watts ? text::formatPower(*device.watts) : unknown;
    m_power->set(power, tr("power"), device.watts ? (device.wattsIsEstimate ? tr("est.") : tr("measured")) : QString());
    m_power->setToolTip(device.wattsIsEstimate ? tr("Estimated from the processor's load; no meter could be read.") : tr("Read from the device's own meter."));
    m_loss->set(device.loss ? locale.toString(*device.loss, 'f', 3) : unknown, tr("training loss"), tr("lower is better"));
    const QString sentence = progressSentence(device, deadline);
    m_sentence->setText(sentence);
    m_besideRing->setText(sentence);
    m_sentence->setVisible(training);
    m_besideRing->setVisible(!training);
}

QString DeviceCard::progressSentence(const agent::DeviceSnapshot& device, std::optional<qint64> deadline)
{
    const QString closes = deadline ? tr("The round closes at %1.").arg(text::formatMoment(*deadline)) : QString();
    if (device.state != agent::State::Training) {
        m_round = -1;
        if (device.mode == rules::Mode::Never)
            return tr("You have switched this device off.");
        if (device.steps > 0 && device.step < device.steps)
            return tr("Stopped at step %1 of %2; it goes on from there.").arg(QLocale().toString(device.step), QLocale().toString(device.steps)) % u' ' % closes;
        return closes;
    }
    if (m_round != device.round || device.step < m_firstStep) {
        m_round = device.round;
        m_firstStep = device.step;
        m_since.start();
    }
    const qint64 done = device.step - m_firstStep;
    const qint64 elapsed = m_since.elapsed();
    if (device.steps <= device.step)
        return tr("All steps done, the update is being packed.");
    if (done < kLeastSteps || elapsed < kLeastMilliseconds)
        return closes.isEmpty() ? tr("The time left is known after a few steps.") : closes;
    const qint64 left = (device.steps - device.step) * elapsed / done;
    return tr("About %1 left, then the upload.").arg(text::formatDuration(left)) % u' ' % closes;
}

}  // namespace sunloco::ui
