// SPDX-License-Identifier: Apache-2.0
// sunloco-ctl: the agent's command line.
#include "app/ctl/commands.h"

#include <QCoreApplication>

int main(int argc, char** argv) {
    QCoreApplication app(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("sunloco-ctl"));
    return static_cast<int>(sunloco::ctl::run(argc, argv));
}
