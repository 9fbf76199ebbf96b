// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QTest>

#include <string>

/// Lets QCOMPARE print the texts it compared.
namespace QTest {
template <>
inline char* toString(const std::string& text) {
    return qstrdup(text.c_str());
}
}  // namespace QTest
