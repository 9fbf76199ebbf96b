// SPDX-License-Identifier: Apache-2.0
#include "app/agent/key_store.h"

#include "engine/core/files.h"

#include <QPointer>
#include <qt6keychain/keychain.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;

constexpr const char* kService = "SunLoCo";

QString keychainName(const std::string& projectId) { return QStringLiteral("device-key-") + QString::fromStdString(projectId.substr(0, 16)); }

core::Result<protocol::KeyPair> fromHexSeed(std::string& hex, const std::string& where) {
    while (!hex.empty() && (hex.back() == '\n' || hex.back() == '\r')) hex.pop_back();
    auto seed = core::fromHex(hex);
    protocol::wipe(hex);
    constexpr std::size_t kSeedBytes = 32;
    if (!seed || seed->size() != kSeedBytes) {
        return Error{ErrorCode::InvalidData, "the device key is damaged; leave the project and join it again to get a new one", where};
    }
    auto key = protocol::KeyPair::fromSeed(*seed);
    protocol::wipe(*seed);
    return key;
}

std::string toHexSeed(const protocol::KeyPair& key) {
    core::Bytes seed = key.exportSeed();
    std::string hex = core::toHex(seed);
    protocol::wipe(seed);
    return hex;
}

}  // namespace

KeyStore::KeyStore(std::filesystem::path folder, KeyPlace place, core::FaultPolicy* faults) : m_folder(std::move(folder)), m_place(place), m_faults(faults) {}

std::filesystem::path KeyStore::fileFor(const std::string& projectId) const { return m_folder / (projectId + ".key"); }

core::Result<protocol::KeyPair> KeyStore::readFile(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) {
        if (errno == ELOOP) return Error{ErrorCode::PermissionDenied, "the device key is a symbolic link; it must be a file of its own", path.string()};
        return core::fileError(errno, "open", path);
    }
    struct stat info {};
    std::string text(128, '\0');
    const bool statFailed = ::fstat(file, &info) != 0;
    const ssize_t n = ::read(file, text.data(), text.size());
    ::close(file);
    if (statFailed || n < 0) return Error{ErrorCode::Io, "the device key could not be read", path.string()};
    if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
        protocol::wipe(text);
        return Error{ErrorCode::PermissionDenied, "the device key can be read by others; make it yours alone with chmod 600", path.string()};
    }
    text.resize(static_cast<std::size_t>(n));
    return fromHexSeed(text, path.string());
}

core::Result<void> KeyStore::createFile(const std::filesystem::path& path, const protocol::KeyPair& key) {
    // Written under another name first: after a power loss there is either a whole key or none.
    auto fresh = path;
    fresh += ".new";
    ::unlink(fresh.c_str());
    const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return core::fileError(errno, "create", fresh);
    std::string hex = toHexSeed(key) + "\n";
    const ssize_t n = ::write(file, hex.data(), hex.size());
    const int writeError = errno;
    const bool whole = n == static_cast<ssize_t>(hex.size());
    protocol::wipe(hex);
    const bool synced = whole && ::fsync(file) == 0;
    ::close(file);
    if (!synced) {
        ::unlink(fresh.c_str());
        return core::fileError(whole ? EIO : writeError, "write", fresh);
    }
    if (::link(fresh.c_str(), path.c_str()) != 0) {  // unlike rename, never replaces a key
        const int error = errno;
        ::unlink(fresh.c_str());
        return core::fileError(error, "create", path);
    }
    ::unlink(fresh.c_str());
    return core::syncPath(path.parent_path());
}

core::Result<protocol::KeyPair> KeyStore::makeInFile(const std::string& projectId) {
    if (auto fault = core::checkFault(m_faults, "file.key"); !fault) return fault.error();
    if (auto folder = core::ensurePrivateDirectory(m_folder); !folder) return folder.error();
    auto key = protocol::KeyPair::generate();
    if (!key) return key;
    if (auto created = createFile(fileFor(projectId), *key); !created) return created.error();
    return key;
}

void KeyStore::loadOrCreate(const std::string& projectId, Wanted wanted, QObject* context, Done done) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::symlink_status(fileFor(projectId), ignored))) {
        done(readFile(fileFor(projectId)));
    } else if (m_place == KeyPlace::KeychainOrFile) {
        askKeychain(projectId, wanted, context, std::move(done));
    } else {
        done(makeInFile(projectId));
    }
}

void KeyStore::askKeychain(const std::string& projectId, Wanted wanted, QObject* context, Done done) {
    auto* job = new QKeychain::ReadPasswordJob(QString::fromLatin1(kService));
    job->setInsecureFallback(false);
    job->setKey(keychainName(projectId));
    QObject::connect(job, &QKeychain::Job::finished, context, [this, context, projectId, wanted, done = std::move(done)](QKeychain::Job* finished) {
        const auto* read = static_cast<QKeychain::ReadPasswordJob*>(finished);
        if (read->error() == QKeychain::NoError) {
            std::string hex = read->textData().toStdString();
            done(fromHexSeed(hex, "the desktop's keychain"));
        } else if (read->error() == QKeychain::EntryNotFound) {
            putIntoKeychain(projectId, context, done);
        } else if (wanted == Wanted::OfEnrolledDevice && read->error() != QKeychain::NoBackendAvailable) {
            done(Error{ErrorCode::Busy, "the desktop's keychain, which holds this device's key, is locked or does not answer; unlock it", read->errorString().toStdString()});
        } else {
            done(makeInFile(projectId));  // no keychain answers, or it is locked
        }
    });
    job->start();
}

void KeyStore::putIntoKeychain(const std::string& projectId, QObject* context, Done done) {
    auto made = protocol::KeyPair::generate();
    if (!made) {
        done(made.error());
        return;
    }
    auto key = std::make_shared<protocol::KeyPair>(std::move(*made));
    auto* job = new QKeychain::WritePasswordJob(QString::fromLatin1(kService));
    job->setInsecureFallback(false);
    job->setKey(keychainName(projectId));
    std::string hex = toHexSeed(*key);
    job->setTextData(QString::fromStdString(hex));
    protocol::wipe(hex);
    QObject::connect(job, &QKeychain::Job::finished, context, [this, projectId, key, done = std::move(done)](QKeychain::Job* finished) {
        if (finished->error() == QKeychain::NoError) done(std::move(*key));
        else done(makeInFile(projectId));
    });
    job->start();
}

void KeyStore::remove(const std::string& projectId) {
    ::unlink(fileFor(projectId).c_str());
    if (m_place != KeyPlace::KeychainOrFile) return;
    auto* job = new QKeychain::DeletePasswordJob(QString::fromLatin1(kService));
    job->setInsecureFallback(false);
    job->setKey(keychainName(projectId));
    job->start();
}

}  // namespace sunloco::agent
