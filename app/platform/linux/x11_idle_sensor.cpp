// SPDX-License-Identifier: Apache-2.0
#include "app/platform/linux/x11_idle_sensor.h"

#include <QMetaObject>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include <dlfcn.h>

#include <X11/Xlib.h>
#include <X11/extensions/scrnsaver.h>

namespace sunloco::platform {
namespace {

constexpr int kCalmMs = 10'000;
/// Half of it on average until the user's return is seen; the limit is half a second.
constexpr int kAlertMs = 250;
/// A question that is unanswered for this long counts as a failure.
constexpr core::MonotonicMs kNoAnswerMs = 5000;
constexpr std::chrono::milliseconds kLeaveWait{200};

/// The functions we use of libX11 and libXss, found at run time: a PC without X11 runs the same program.
struct X11Library {
    decltype(&::XOpenDisplay) openDisplay = nullptr;
    decltype(&::XCloseDisplay) closeDisplay = nullptr;
    decltype(&::XDefaultRootWindow) rootWindow = nullptr;
    decltype(&::XSetIOErrorHandler) setErrorHandler = nullptr;
    decltype(&::XSetIOErrorExitHandler) setExitHandler = nullptr;
    decltype(&::XFree) free = nullptr;
    decltype(&::XScreenSaverQueryExtension) queryExtension = nullptr;
    decltype(&::XScreenSaverAllocInfo) allocInfo = nullptr;
    decltype(&::XScreenSaverQueryInfo) queryInfo = nullptr;

    /// The name of what is missing, "" when complete.
    std::string load() {
        void* x11 = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_LOCAL);
        void* xss = x11 != nullptr ? ::dlopen("libXss.so.1", RTLD_LAZY | RTLD_LOCAL) : nullptr;
        if (xss == nullptr) {
            return x11 == nullptr ? "libX11.so.6" : "libXss.so.1";
        }
        // The libraries stay loaded for the life of the process: libX11 does not survive being unloaded.
        std::string missing;
        const auto find = [&missing](void* library, const char* name, auto& function) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
            if (function == nullptr) {
                missing = name;
            }
        };
        find(x11, "XOpenDisplay", openDisplay);
        find(x11, "XCloseDisplay", closeDisplay);
        find(x11, "XDefaultRootWindow", rootWindow);
        find(x11, "XSetIOErrorHandler", setErrorHandler);
        find(x11, "XSetIOErrorExitHandler", setExitHandler);
        find(x11, "XFree", free);
        find(xss, "XScreenSaverQueryExtension", queryExtension);
        find(xss, "XScreenSaverAllocInfo", allocInfo);
        find(xss, "XScreenSaverQueryInfo", queryInfo);
        return missing;
    }
};

struct ServerGone {
    bool gone = false;
};

/// libX11 ends the process twice over when the X server goes: in the error handler, which is one for the whole process and knows no caller, and
/// in the display's exit handler. Both are replaced; the first passes on what does not happen in a thread of ours.
thread_local bool t_isIdleThread = false;
std::atomic<XIOErrorHandler> s_handlerBefore{nullptr};

int onConnectionBroken(Display* display) {
    const XIOErrorHandler before = s_handlerBefore.load();
    return t_isIdleThread || before == nullptr ? 0 : before(display);
}

void onServerGone(Display*, void* data) { static_cast<ServerGone*>(data)->gone = true; }

}  // namespace

/// Shared by the sensor and its thread; a thread that hangs in libX11 outlives the sensor without touching it.
class X11IdleThread {
public:
    X11IdleThread(X11IdleSensor* owner, std::string display) : m_owner(owner), m_displayName(std::move(display)) {}

    static void ask(const std::shared_ptr<X11IdleThread>& self) {
        const std::lock_guard lock(self->m_mutex);
        if (!self->m_started) {
            self->m_started = true;
            std::thread([self] { self->run(); }).detach();
        }
        self->m_asked = true;
        self->m_wake.notify_one();
    }
    void leave() {
        std::unique_lock lock(m_mutex);
        m_owner = nullptr;
        m_quit = true;
        m_wake.notify_one();
        // A healthy thread ends at once; one that hangs in libX11 is left behind.
        m_ended.wait_for(lock, kLeaveWait, [this] { return !m_started || m_finished; });
    }

private:
    void run() {
        t_isIdleThread = true;
        const std::string missing = m_x11.load();
        for (;;) {
            {
                std::unique_lock lock(m_mutex);
                m_wake.wait(lock, [this] { return m_asked || m_quit; });
                if (m_quit) {
                    break;
                }
                m_asked = false;
            }
            std::string problem = missing.empty() ? std::string{} : missing + " was not found";
            std::int64_t idleMs = -1;
            if (problem.empty()) {
                problem = query(idleMs);
            }
            answer(problem, idleMs);
        }
        close();
        const std::lock_guard lock(m_mutex);
        m_finished = true;
        m_ended.notify_all();
    }

    /// "" and the idle time, or the problem.
    std::string query(std::int64_t& idleMs) {
        if (m_display == nullptr) {
            m_gone.gone = false;
            m_display = m_x11.openDisplay(m_displayName.empty() ? nullptr : m_displayName.c_str());
            if (m_display == nullptr) {
                return "no X11 server answers at display " + (m_displayName.empty() ? std::string("$DISPLAY") : m_displayName);
            }
            if (const XIOErrorHandler before = m_x11.setErrorHandler(&onConnectionBroken); before != &onConnectionBroken) {
                s_handlerBefore = before;
            }
            m_x11.setExitHandler(m_display, &onServerGone, &m_gone);
            int event = 0;
            int error = 0;
            if (m_x11.queryExtension(m_display, &event, &error) == False) {
                close();
                return "the X11 server has no MIT-SCREEN-SAVER extension";
            }
            m_info = m_x11.allocInfo();
        }
        const Status answered = m_info != nullptr ? m_x11.queryInfo(m_display, m_x11.rootWindow(m_display), m_info) : 0;
        if (answered == 0 || m_gone.gone) {
            close();
            return "the X11 server does not answer";
        }
        idleMs = static_cast<std::int64_t>(m_info->idle);
        return {};
    }

    void close() {
        if (m_info != nullptr) {
            m_x11.free(m_info);
            m_info = nullptr;
        }
        if (m_display != nullptr) {
            m_x11.closeDisplay(m_display);
            m_display = nullptr;
        }
    }

    void answer(const std::string& problem, std::int64_t idleMs) {
        // The lock keeps the owner alive until the event is in its queue.
        const std::lock_guard lock(m_mutex);
        if (m_owner == nullptr) {
            return;
        }
        X11IdleSensor* owner = m_owner;
        if (problem.empty()) {
            QMetaObject::invokeMethod(owner, [owner, idleMs] { owner->onIdle(idleMs); }, Qt::QueuedConnection);
        } else {
            const QString text = QString::fromStdString(problem);
            QMetaObject::invokeMethod(owner, [owner, text] { owner->onFailure(text); }, Qt::QueuedConnection);
        }
    }

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::condition_variable m_ended;
    X11IdleSensor* m_owner;
    bool m_started = false;
    bool m_asked = false;
    bool m_quit = false;
    bool m_finished = false;

    // The thread's own.
    std::string m_displayName;
    X11Library m_x11;
    Display* m_display = nullptr;
    XScreenSaverInfo* m_info = nullptr;
    ServerGone m_gone;
};

X11IdleSensor::X11IdleSensor(const core::Clock& clock, const QString& display)
    : Sensor(QStringLiteral("x11-idle"), clock), m_thread(std::make_shared<X11IdleThread>(this, display.toStdString())) {}

X11IdleSensor::~X11IdleSensor() { m_thread->leave(); }

int X11IdleSensor::pollInterval(Pace pace) const { return pace == Pace::Alert ? kAlertMs : kCalmMs; }

void X11IdleSensor::setPace(Pace pace) { m_pace = pace; }

void X11IdleSensor::poll() {
    if (m_waiting) {
        if (now() - m_askedAt >= kNoAnswerMs) {
            m_askedAt = now();
            noteFailure(QStringLiteral("the X11 server does not answer"));
        }
        return;
    }
    m_waiting = true;
    m_askedAt = now();
    X11IdleThread::ask(m_thread);
}

void X11IdleSensor::onIdle(std::int64_t idleMs) {
    m_waiting = false;
    // Between two polls idle time grows by the time between them; less means that somebody touched something.
    const bool touched = m_known && idleMs < m_idleMs;
    const bool first = !m_known || !available();
    m_known = true;
    m_idleMs = idleMs;
    m_measuredAt = now();
    noteSuccess();
    if (touched || first || m_pace == Pace::Calm || m_measuredAt - m_announcedAt >= kCalmMs) {
        m_announcedAt = m_measuredAt;
        Q_EMIT readingChanged();
    }
}

void X11IdleSensor::onFailure(const QString& problem) {
    m_waiting = false;
    m_known = false;
    noteFailure(problem);
    Q_EMIT readingChanged();
}

void X11IdleSensor::contribute(rules::SensorSnapshot& snapshot) const {
    mergeIdle(snapshot, m_known && health() != Health::Dropped ? rules::Reading<std::int64_t>::known(m_idleMs, now() - m_measuredAt)
                                                              : rules::Reading<std::int64_t>::unknown(unknownReason()));
}

}  // namespace sunloco::platform
