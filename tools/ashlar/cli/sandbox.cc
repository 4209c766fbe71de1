// Two mechanisms of Linux, since neither suffices.
//
// Landlock knows files and TCP, whatever call or io_uring request asks for
// them, but no other sockets. seccomp knows system calls by their numbers, but
// not what io_uring does without one. SECURITY.md has what both together leave
// to a process that has been taken over.
//
// But for ioctl, the filter of seccomp looks at numbers alone, so that newer
// kernels decide about a call without running it.
#include "tools/ashlar/cli/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ashlar::tool {
namespace {

// Of the header of Landlock, which an older system lacks or has less of.
constexpr long kCreateRuleset = 444;
constexpr long kRestrictSelf = 446;
constexpr uint32_t kAskForVersion = 1;
struct RulesetAttributes {
  uint64_t handled_file_rights;
  uint64_t handled_network_rights;
  uint64_t scopes;
};

// Rights that no rule grants are gone. Those that read are not handled.
constexpr uint64_t kExecute = 1;
constexpr uint64_t kWriteFile = 1 << 1;
constexpr uint64_t kRemoveAndMake = 0x1ff0;  // 9 rights, by kind of file
constexpr uint64_t kLinkElsewhere = 1 << 13;
constexpr uint64_t kTruncate = 1 << 14;
constexpr uint64_t kTcp = 3;     // to bind, to connect
constexpr uint64_t kScopes = 3;  // abstract sockets, signals to others

// Returns what a kernel with this version of Landlock can take away. If any
// right to files is taken away, kernels before 5.19 forbid every rename between
// folders, which a commit of a set needs.
RulesetAttributes RightsOf(long version, bool may_write_files) {
  RulesetAttributes rights = {
      .handled_file_rights = 0, .handled_network_rights = 0, .scopes = 0};
  if (!may_write_files) {
    rights.handled_file_rights = kExecute | kWriteFile | kRemoveAndMake;
    if (version >= 2) rights.handled_file_rights |= kLinkElsewhere;
    if (version >= 3) rights.handled_file_rights |= kTruncate;
  }
  if (version >= 4) rights.handled_network_rights = kTcp;
  if (version >= 6) rights.scopes = kScopes;
  return rights;
}

// An older kernel refuses a longer struct, even if its end is zero.
size_t SizeOf(const RulesetAttributes& rights) {
  if (rights.scopes != 0) return sizeof rights;
  if (rights.handled_network_rights != 0) {
    return offsetof(RulesetAttributes, scopes);
  }
  return offsetof(RulesetAttributes, handled_network_rights);
}

// Returns what was given up.
RulesetAttributes EnterLandlock(bool may_write_files) {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskForVersion);
  if (version < 1) return {};
  const RulesetAttributes rights = RightsOf(version, may_write_files);
  // A ruleset of nothing is an error.
  if ((rights.handled_file_rights | rights.handled_network_rights) == 0) {
    return {};
  }
  const long ruleset = syscall(kCreateRuleset, &rights, SizeOf(rights), 0);
  if (ruleset < 0) return {};
  const bool restricted = syscall(kRestrictSelf, ruleset, 0) == 0;
  close(static_cast<int>(ruleset));
  return restricted ? rights : RulesetAttributes{};
}

#if defined(__x86_64__) || defined(__aarch64__)

// Calls that start programs, reach the network, look into other processes, or
// are for administrators.
constexpr long kRefusedCalls[] = {
    SYS_execve, SYS_execveat, SYS_socket, SYS_socketpair, SYS_connect, SYS_bind,
    SYS_listen, SYS_accept, SYS_accept4, SYS_sendto, SYS_sendmsg, SYS_sendmmsg,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_mount, SYS_umount2,
    SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_keyctl, SYS_add_key,
    SYS_request_key, SYS_open_by_handle_at, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load, SYS_reboot,
    SYS_swapon, SYS_swapoff,
    // Newer than the headers of some systems: those that mount in steps, and
    // two that reach into other processes.
    428, 429, 430, 431, 432, 433, 442, 438, 440};
constexpr size_t kCallCount = std::size(kRefusedCalls);

// Requests of ioctl that type into a terminal: the shell behind it would run
// what it reads once this program has ended.
constexpr uint32_t kTypeIntoTerminal = 0x5412;  // TIOCSTI
constexpr uint32_t kPasteIntoConsole = 0x541c;  // TIOCLINUX

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
// From here up are the calls of another interface of the same machine, x32.
constexpr uint32_t kOtherCalls = 0x40000000;
#else
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
constexpr uint32_t kOtherCalls = 0x80000000;
#endif

constexpr sock_filter Instruction(uint32_t code, uint32_t value,
                                  size_t if_true = 0, size_t if_false = 0) {
  return {.code = static_cast<uint16_t>(code),
          .jt = static_cast<uint8_t>(if_true),
          .jf = static_cast<uint8_t>(if_false),
          .k = value};
}

// The filter: load the machine and compare it; load the number; if it is that
// of ioctl, load the request and compare it; else compare the number with each
// refused one; allow; refuse.
constexpr size_t kFilterSize = kCallCount + 10;
static_assert(kFilterSize < 256, "a jump is one byte");

constexpr std::array<sock_filter, kFilterSize> Filter() {
  constexpr uint32_t kLoad = BPF_LD | BPF_W | BPF_ABS;
  constexpr uint32_t kIfEqual = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr uint32_t kIfAtLeast = BPF_JMP | BPF_JGE | BPF_K;
  std::array<sock_filter, kFilterSize> filter = {};
  size_t next = 0;
  // A jump counts from the instruction after it.
  const auto to_refusal = [&next] { return kFilterSize - 2 - next; };
  const auto to_allowance = [&next] { return kFilterSize - 3 - next; };
  filter[next++] = Instruction(kLoad, offsetof(seccomp_data, arch));
  filter[next] = Instruction(kIfEqual, kMachine, 0, to_refusal());
  ++next;
  filter[next++] = Instruction(kLoad, offsetof(seccomp_data, nr));
  filter[next] = Instruction(kIfAtLeast, kOtherCalls, to_refusal(), 0);
  ++next;
  constexpr size_t kChecksOfIoctl = 3;
  filter[next++] = Instruction(kIfEqual, SYS_ioctl, 0, kChecksOfIoctl);
  // The kernel looks at the low half of the request, which comes first.
  filter[next++] =
      Instruction(kLoad, offsetof(seccomp_data, args) + sizeof(uint64_t));
  filter[next] = Instruction(kIfEqual, kTypeIntoTerminal, to_refusal(), 0);
  ++next;
  filter[next] =
      Instruction(kIfEqual, kPasteIntoConsole, to_refusal(), to_allowance());
  ++next;
  for (const long call : kRefusedCalls) {
    filter[next] =
        Instruction(kIfEqual, static_cast<uint32_t>(call), to_refusal(), 0);
    ++next;
  }
  filter[next++] = Instruction(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[next++] = Instruction(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  return filter;
}

bool GiveUpCalls() {
  std::array<sock_filter, kFilterSize> filter = Filter();
  const sock_fprog program = {.len = static_cast<uint16_t>(filter.size()),
                              .filter = filter.data()};
  // Without the flag, older kernels slow all of the process down, as a measure
  // against guests that share it. There are none here. Linux before 4.17 does
  // not have the measure, nor the flag.
  constexpr unsigned kNoSlowdown = 1U << 2;
  for (const unsigned flags : {kNoSlowdown, 0U}) {
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0) {
      return true;
    }
    if (errno != EINVAL) return false;
  }
  return false;
}

#else

// The numbers of the calls are not known here.
bool GiveUpCalls() { return false; }

#endif

}  // namespace

bool MayWriteFiles(CommandBit command) {
  constexpr uint32_t kWriting =
      kMake | kRaw | kReport | kCacheSim | kRecompress;
  return (command & kWriting) != 0;
}

SandboxParts EnterSandbox(bool may_write_files) {
  SandboxParts parts;
  if constexpr (ASHLAR_SANITIZED) return parts;
  // Both ask for this promise: no program that this one could start, if it
  // could, would have more rights.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return parts;
  const RulesetAttributes given_up = EnterLandlock(may_write_files);
  parts.file_changes = given_up.handled_file_rights != 0;
  parts.tcp = given_up.handled_network_rights != 0;
  parts.calls = GiveUpCalls();
  return parts;
}

}  // namespace ashlar::tool
