// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QObject>
#include <QString>

class QSettings;

namespace sunloco::ui {

/// What only the front end remembers, in one small file beside the agent's settings: window place, page, language, what was said once.
class UiState : public QObject {
    Q_OBJECT
public:
    /// `file` as in "<config folder>/window.ini".
    explicit UiState(const QString& file, QObject* parent = nullptr);
    ~UiState() override;

    [[nodiscard]] QByteArray geometry() const;
    void setGeometry(const QByteArray& geometry);
    [[nodiscard]] QString page() const;
    void setPage(const QString& page);

    /// "" = the system's language, else "en", "de", "zh_CN".
    [[nodiscard]] QString language() const;
    void setLanguage(const QString& language);
    [[nodiscard]] bool colouredTray() const;
    void setColouredTray(bool on);

    /// True the first time it is asked for `what`, false ever after.
    [[nodiscard]] bool firstTime(const QString& what);

Q_SIGNALS:
    void languageChanged();
    void colouredTrayChanged();

private:
    QSettings* m_file;
};

}  // namespace sunloco::ui
