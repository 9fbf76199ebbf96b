// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QSet>
#include <QString>

namespace sunloco::ui {

/// Gives every label of a page a key of its own, in whatever language the label is: the first letter that is still free, or one in
/// brackets behind the text where it has none.
class Mnemonics {
public:
    /// Letters that buttons of the page use already.
    explicit Mnemonics(const QString& taken = {});
    [[nodiscard]] QString assign(const QString& text);

private:
    QSet<QChar> m_taken;
};

}  // namespace sunloco::ui
