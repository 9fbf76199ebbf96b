// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QObject>

namespace sunloco::platform {

/// SIGTERM, SIGINT and SIGHUP as a Qt signal: the handler only writes a byte, the rest happens in the event loop. One per program.
class StopSignals : public QObject {
    Q_OBJECT
public:
    explicit StopSignals(QObject* parent = nullptr);
    ~StopSignals() override;

Q_SIGNALS:
    void stopRequested();
};

}  // namespace sunloco::platform
