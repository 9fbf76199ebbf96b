// SPDX-License-Identifier: Apache-2.0
#include "app/platform/local_time_zone.h"

#include <ctime>

namespace sunloco::platform {

rules::UtcOffset systemUtcOffset() {
    // Reads a changed time zone; localtime_r alone does not have to.
    ::tzset();
    return [](core::UtcMs utc) {
        const core::UtcMs seconds = utc >= 0 ? utc / 1000 : (utc - 999) / 1000;
        const auto at = static_cast<std::time_t>(seconds);
        std::tm local{};
        return ::localtime_r(&at, &local) != nullptr ? static_cast<int>(local.tm_gmtoff) : 0;
    };
}

}  // namespace sunloco::platform
