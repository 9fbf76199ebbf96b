// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"

#include <QDialog>

class QPlainTextEdit;

namespace sunloco::ui {

struct Theme;

/// One receipt as the project signed it: what it says in words, the stored envelope to copy or save.
class ReceiptDialog : public QDialog {
    Q_OBJECT
public:
    ReceiptDialog(const Theme& theme, const QByteArray& envelope, const QString& digest, QWidget* parent = nullptr);

private:
    void save();
    QByteArray m_envelope;
    QString m_digest;
    QPlainTextEdit* m_text;
};

}  // namespace sunloco::ui
