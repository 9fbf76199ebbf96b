// SPDX-License-Identifier: Apache-2.0
#include "tests/app/agent/full_disk_vfs.h"

#include <sqlite3.h>

#include <map>

namespace sunloco::agent::test {
namespace {

struct Layer {
    sqlite3_vfs vfs{};
    sqlite3_vfs* system = nullptr;
    std::map<const sqlite3_io_methods*, sqlite3_io_methods> methods;   // ours, by the system's
    int (*systemWrite)(sqlite3_file*, const void*, int, sqlite3_int64) = nullptr;
    DiskTrouble trouble = DiskTrouble::None;
    int refused = 0;
};

Layer& layer() {
    static Layer it;
    return it;
}

int writeOrRefuse(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    Layer& l = layer();
    if (l.trouble == DiskTrouble::None) return l.systemWrite(file, data, size, offset);
    ++l.refused;
    return l.trouble == DiskTrouble::Full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

int openWithOurWrites(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* outFlags) {
    Layer& l = layer();
    const int rc = l.system->xOpen(l.system, name, file, flags, outFlags);
    if (rc != SQLITE_OK || file->pMethods == nullptr) return rc;
    auto [entry, isNew] = l.methods.try_emplace(file->pMethods, *file->pMethods);
    if (isNew) {
        l.systemWrite = entry->second.xWrite;
        entry->second.xWrite = writeOrRefuse;
    }
    file->pMethods = &entry->second;
    return rc;
}

}  // namespace

void installFullDiskVfs() {
    Layer& l = layer();
    if (l.system != nullptr) return;
    l.system = sqlite3_vfs_find(nullptr);
    l.vfs = *l.system;
    l.vfs.zName = "full-disk";
    l.vfs.pNext = nullptr;
    l.vfs.xOpen = openWithOurWrites;
    sqlite3_vfs_register(&l.vfs, 1);
}

void setDiskTrouble(DiskTrouble trouble) { layer().trouble = trouble; }

int takeRefusedWrites() {
    const int count = layer().refused;
    layer().refused = 0;
    return count;
}

}  // namespace sunloco::agent::test
