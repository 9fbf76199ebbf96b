// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/readable.h"

#include <QAccessibleWidget>
#include <QWidget>

namespace sunloco::ui {
namespace {

class ReadableInterface final : public QAccessibleWidget {
public:
    ReadableInterface(QWidget* widget, const Readable* readable)
        : QAccessibleWidget(widget, readable->accessibleRole())
        , m_readable(readable)
    {
    }

    QString text(QAccessible::Text which) const override
    {
        if (which == QAccessible::Value)
            return m_readable->accessibleValue();
        // Screen readers that skip the value of a picture still read its description.
        if (which == QAccessible::Description)
            return m_readable->accessibleValue();
        return QAccessibleWidget::text(which);
    }

private:
    const Readable* m_readable;
};

QAccessibleInterface* makeInterface(const QString&, QObject* object)
{
    auto* widget = qobject_cast<QWidget*>(object);
    const auto* readable = dynamic_cast<const Readable*>(object);
    return widget && readable ? new ReadableInterface(widget, readable) : nullptr;
}

}  // namespace

void installReadableFactory()
{
    QAccessible::installFactory(makeInterface);
}

void announceValue(QWidget* widget)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleEvent event(widget, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

}  // namespace sunloco::ui
