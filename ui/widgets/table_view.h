// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/theme.h"

#include <QTreeView>

namespace sunloco::ui {

/// A quiet table inside a scrolling page: no grid, rows of 28 px with a hairline below, as high as its rows, copied as text with Ctrl+C.
class TableView : public QTreeView {
    Q_OBJECT
public:
    explicit TableView(const Theme& theme, QWidget* parent = nullptr);

    /// Takes the height of all visible rows. Where the columns leave room, the last one gets it; where they do not, the table scrolls sideways.
    void fitHeight();
    /// All rows, columns parted by tabs, with the header.
    [[nodiscard]] QString asText() const;

protected:
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    Theme m_theme;
};

}  // namespace sunloco::ui
