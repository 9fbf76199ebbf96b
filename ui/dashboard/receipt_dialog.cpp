// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/receipt_dialog.h"

#include "ui/widgets/card.h"

#include <QClipboard>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {

/// The payload of a DSSE envelope: base64 of a JSON document.
QJsonObject payloadOf(const QByteArray& envelope)
{
    const QJsonObject outer = QJsonDocument::fromJson(envelope).object();
    const QByteArray base64 = outer.value(QLatin1String("payload")).toString().toLatin1();
    return QJsonDocument::fromJson(QByteArray::fromBase64(base64)).object();
}

QString summary(const QJsonObject& payload)
{
    if (payload.isEmpty())
        return ReceiptDialog::tr("This is the receipt as it was stored.");
    const QLocale locale;
    const QString when = locale.toString(QDateTime::fromMSecsSinceEpoch(payload.value(QLatin1String("accepted_at")).toInteger()), QLocale::ShortFormat);
    return ReceiptDialog::tr("The project confirms by its signature that it received %1 steps with %2 tokens for round %3 on %4.")
        .arg(locale.toString(payload.value(QLatin1String("steps")).toInteger()), locale.toString(payload.value(QLatin1String("tokens")).toInteger()),
             locale.toString(payload.value(QLatin1String("round")).toInteger()), when);
}

}  // namespace

ReceiptDialog::ReceiptDialog(const Theme& theme, const QByteArray& envelope, const QString& digest, QWidget* parent)
    : QDialog(parent)
    , m_envelope(envelope)
    , m_digest(digest)
    , m_text(new QPlainTextEdit(this))
{
    setWindowTitle(tr("Receipt"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(10);
    const QJsonObject payload = payloadOf(envelope);
    column->addWidget(makeLabel(summary(payload), TextSize::Body, theme.text, Wrap::Yes, this));
    QLabel* print = makeLabel(tr("Fingerprint (SHA-256): %1").arg(digest), TextSize::Secondary, theme.text2, Wrap::Yes, this);
    print->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(print);

    m_text->setReadOnly(true);
    m_text->setTabChangesFocus(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setAccessibleName(tr("Signed envelope"));
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_text->setWordWrapMode(QTextOption::WrapAnywhere);
    QString shown;
    if (!payload.isEmpty())
        shown = QString::fromUtf8(QJsonDocument(payload).toJson(QJsonDocument::Indented)) % u'\n';
    m_text->setPlainText(shown % QString::fromUtf8(envelope));
    column->addWidget(m_text, 1);

    auto* buttons = new QDialogButtonBox(this);
    QPushButton* copy = buttons->addButton(tr("&Copy the receipt"), QDialogButtonBox::ActionRole);
    QPushButton* saveButton = buttons->addButton(tr("&Save the receipt…"), QDialogButtonBox::ActionRole);
    QPushButton* close = buttons->addButton(tr("C&lose"), QDialogButtonBox::RejectRole);
    close->setDefault(true);
    column->addWidget(buttons);
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(QString::fromUtf8(m_envelope)); });
    connect(saveButton, &QPushButton::clicked, this, &ReceiptDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &ReceiptDialog::reject);
    theme.outlineControls(this);
    resize(560, 420);
}

void ReceiptDialog::save()
{
    const QString name = u"receipt-" % m_digest.left(8) % u".json";
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the receipt"), name, tr("JSON files (*.json)"));
    if (path.isEmpty())
        return;
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(m_envelope) == m_envelope.size() && file.commit())
        return;
    QMessageBox::warning(this, tr("Receipt"), tr("The receipt was not saved to %1: %2. Choose another folder.").arg(path, file.errorString()));
}

}  // namespace sunloco::ui
