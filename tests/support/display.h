// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QApplication>
#include <QProcess>
#include <QString>

#include <memory>

namespace sunloco::testing {

/// A real X server of this test's own (Xvfb on a free display), ended with it. Where Xvfb is not installed: Qt's offscreen platform.
class Display {
public:
    Display();
    ~Display();
    Display(const Display&) = delete;
    Display& operator=(const Display&) = delete;

    [[nodiscard]] bool isReal() const { return !m_name.isEmpty(); }
    /// ":99"; empty without a real one.
    [[nodiscard]] QString name() const { return m_name; }

private:
    QProcess m_server;
    QString m_name;
};

}  // namespace sunloco::testing

/// main() of a GUI test: display, application in English with our usual font, then the test object.
#define SUNLOCO_GUI_TEST_MAIN(TestClass)                                   \
    int main(int argc, char** argv)                                        \
    {                                                                      \
        qputenv("LC_ALL", "C.UTF-8");                                      \
        sunloco::testing::Display display;                                 \
        QApplication app(argc, argv);                                      \
        QApplication::setApplicationName(QStringLiteral("sunloco-test"));  \
        TestClass test;                                                    \
        return QTest::qExec(&test, argc, argv);                            \
    }
