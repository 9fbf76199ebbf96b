# SPDX-License-Identifier: Apache-2.0
"""The include table: which folder may use which. The design's table in a form that a test can read.

One row per layer: the folders that form it, the other layers it may include, and the kinds of outside headers it may include.
The C and C++ standard libraries are open to all. Everything that is not named in a row is forbidden there.
"""

ROWS = {
    # layer: (folders, other layers, outside headers)
    "engine_core": (["engine/core"], [], ["json", "openssl", "os"]),
    "engine_codec": (["engine/codec"], ["engine_core"], ["json"]),
    "engine_outer": (["engine/outer", "engine/sketch"], ["engine_core", "engine_codec"], ["json"]),
    "engine_data": (["engine/data"], ["engine_core"], ["json", "sentencepiece", "os"]),
    "engine_train": (["engine/model", "engine/train", "engine/checkpoint", "engine/simulate"],
                     ["engine_core", "engine_codec", "engine_outer", "engine_data"], ["json", "torch", "openmp", "os", "seccomp"]),
    "engine_cuda": (["engine/cuda"], ["engine_core", "engine_codec", "engine_outer", "engine_data", "engine_train"], ["json", "torch", "cuda", "os"]),
    "net_protocol": (["net/protocol"], ["engine_core"], ["json", "sodium"]),
    "net_transfer": (["net/transfer"], ["engine_core", "net_protocol"], ["json", "sodium", "openssl", "curl", "zstd", "qt_core", "os"]),
    "net_ipc": (["net/ipc"], ["engine_core"], ["json", "qt_core", "qt_network", "os", "sockets"]),
    "net_server": (["net/server"], ["engine_core", "engine_codec", "engine_outer", "engine_data", "net_protocol"],
                   ["json", "sodium", "openssl", "curl", "zstd", "boost", "sqlite", "postgres", "prometheus", "spdlog", "toml", "os",
                    "sockets", "seccomp"]),
    "app_rules": (["app/rules"], ["engine_core"], ["json"]),
    "app_text": (["app/text"], ["engine_core", "app_rules"], ["json", "qt_core"]),
    "app_platform": (["app/platform", "app/energy"], ["engine_core", "app_rules"],
                     ["json", "qt_core", "qt_network", "qt_dbus", "qt_serialbus", "mosquitto", "keychain", "os", "sockets", "x11", "nvml",
                      "seccomp"]),
    # The agent applies published updates to its base (base' = base + dequant(update)): that is the codec, no more of the engine.
    "app_agent": (["app/agent"], ["engine_core", "engine_codec", "app_rules", "app_text", "app_platform", "net_protocol", "net_transfer", "net_ipc"],
                  ["json", "sodium", "sqlite", "keychain", "qt_core", "os"]),
    # Of the agent, ui and app_text see agent_api.h and the value types it includes: see AGENT_VALUES_HEADER.
    "ui": (["ui"], ["engine_core", "app_rules", "app_text"],
           ["json", "qt_core", "qt_gui", "qt_widgets", "qt_charts", "qt_svg", "qt_dbus"]),
    "desktop": (["app/desktop"], ["engine_core", "app_rules", "app_text", "app_platform", "app_agent", "net_ipc", "ui"],
                ["json", "cli", "spdlog", "qt_core", "qt_gui", "qt_widgets", "qt_network", "os"]),
    "daemon": (["app/daemon"], ["engine_core", "app_rules", "app_text", "app_platform", "app_agent", "net_ipc"],
               ["json", "cli", "spdlog", "qt_core", "os"]),
    "ctl": (["app/ctl"], ["engine_core", "app_rules", "app_text", "net_ipc"], ["json", "cli", "zip", "qt_core", "os"]),
    "worker": (["app/worker"], ["engine_core", "engine_codec", "engine_outer", "engine_data", "engine_train"],
               ["json", "torch", "cli", "seccomp", "os"]),
    "server": (["app/server"], ["engine_core", "engine_codec", "engine_outer", "engine_data", "net_protocol", "net_server"],
               ["json", "cli", "toml", "spdlog", "os"]),
}

# The one header of the agent that these layers may include; the agent headers that it includes itself are its value types.
AGENT_VALUES_HEADER = "app/agent/agent_api.h"
AGENT_VALUES_READERS = ["ui", "app_text"]

# Outside headers by the beginning of their name (a trailing / means a folder).
OUTSIDE = {
    "json": ["nlohmann/"],
    "openssl": ["openssl/"],
    "sentencepiece": ["sentencepiece_", "sentencepiece"],
    "torch": ["torch/", "ATen/", "c10/", "caffe2/"],
    "openmp": ["omp.h"],
    "cuda": ["cuda", "cublas", "curand", "device_launch_parameters.h"],
    "nvml": ["nvml.h"],
    "sodium": ["sodium"],
    "curl": ["curl/"],
    "zstd": ["zstd"],
    "zip": ["zip.h"],
    "boost": ["boost/"],
    "sqlite": ["sqlite3.h", "SQLiteCpp/"],
    "postgres": ["pqxx/", "libpq"],
    "prometheus": ["prometheus/"],
    "spdlog": ["spdlog/"],
    "toml": ["toml++/", "toml.hpp"],
    "cli": ["CLI/"],
    "mosquitto": ["mosquitto"],
    "keychain": ["qt6keychain/", "qtkeychain/"],
    "seccomp": ["seccomp.h", "linux/seccomp.h", "linux/filter.h", "linux/audit.h", "linux/landlock.h"],
    "x11": ["X11/", "xcb/"],
    "sockets": ["sys/socket.h", "sys/un.h", "netinet/", "arpa/", "netdb.h", "net/if", "ifaddrs.h", "winsock2.h", "ws2tcpip.h",
                "linux/rtnetlink.h", "linux/netlink.h"],
    "os": ["sys/", "linux/", "asm/", "mach/", "unistd.h", "fcntl.h", "poll.h", "dirent.h", "pwd.h", "grp.h", "dlfcn.h", "pthread.h",
           "sched.h", "signal.h", "spawn.h", "termios.h", "utime.h", "malloc.h", "glob.h", "syslog.h", "execinfo.h", "windows.h",
           "io.h", "process.h", "libgen.h", "semaphore.h", "libproc.h", "pty.h", "getopt.h", "cpuid.h"],
    # Processor intrinsics belong to the compiler, not to a library.
    "compiler": ["immintrin.h", "x86intrin.h", "arm_neon.h", "xmmintrin.h", "emmintrin.h"],
}
OPEN_TO_ALL = ["compiler"]

# Folders of one operating system may include whatever headers that system has.
SYSTEM_FOLDERS = ["app/platform/linux", "app/platform/windows", "app/platform/macos"]

STANDARD_HEADERS = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath
compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar
cwchar cwctype deque exception execution filesystem format forward_list fstream functional future initializer_list iomanip ios iosfwd
iostream istream iterator latch limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random
ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string
string_view syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant
vector version cxxabi.h
assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h stdalign.h stdarg.h stdbool.h
stddef.h stdint.h stdio.h stdlib.h string.h time.h wchar.h wctype.h
""".split())
