#include "support/open_error.hpp"

#include <cerrno>
#include <system_error>

namespace agent_audit {

std::string reason(int error_number) {
    switch (error_number) {
        case ENOENT: return "no such file or directory";
        case EACCES:
        case EPERM: return "permission denied";
        case ENOTDIR: return "a part of the path is not a directory";
        case EISDIR: return "is a directory";
        case ENXIO: return "is a socket or a device that is not there";
        case ELOOP: return "too many symbolic links";
        case ENAMETOOLONG: return "the path is too long";
        case EMFILE:
        case ENFILE: return "too many open files";
        case EIO: return "input/output error";
        case EBADF: return "not open";
        default: return std::generic_category().message(error_number);
    }
}

Error cannot_open(std::string_view path, int error_number) {
    return Error{std::string("cannot open '").append(path).append("': ") + reason(error_number)};
}

}  // namespace agent_audit
