import type { Plants } from './plant.ts'

const BOUNDS_TEST = 'src/api/main-bounds.test.ts'
const PORTS = 'src/platform/contract.ts'
const PORTS_TEST = 'src/platform/contract.test.ts'
const TURNS = 'src/pool/admission-turns.ts'
const TURNS_TEST = 'src/pool/admission-turns.test.ts'
const LEVELS = 'src/platform/log/log-level.ts'
const LEVELS_TEST = 'src/platform/log/log-level.test.ts'
const AUDIT = 'src/jsonrpc/audit/audit-log.ts'
const AUDIT_TEST = 'src/jsonrpc/audit/audit-log.test.ts'
const CONNECTIONS = 'src/serve/connections.ts'
const RESET_TEST = 'src/jsonrpc/server/reset-connection.test.ts'
const HEALTH = 'src/serve/health.ts'
const HEALTH_TEST = 'src/serve/health.test.ts'
const LIMITS = 'src/jsonrpc/limits/user-limits.ts'
const LIMITS_TEST = 'src/jsonrpc/limits/call-limits.test.ts'
const KEY = 'src/jsonrpc/limits/caller-key.ts'
const KEY_TEST = 'src/jsonrpc/limits/caller-key.test.ts'
const TLS = 'src/serve/tls/tls.ts'
const TLS_TEST = 'src/jsonrpc/server/tls-removed.test.ts'
const PERMISSIONS = 'src/allowlist/permissions.ts'
const PERMISSIONS_TEST = 'src/allowlist/permissions.test.ts'

export const RPC_PLANTS: Plants = {
  'rpc-main-arguments': {
    mistake: 'a client may send the main thread arguments of any size',
    file: PORTS,
    from: 'if (weigh(args, maxBytes) > maxBytes) {',
    to: 'if (weigh(args, maxBytes) < 0) {',
    caughtBy: PORTS_TEST,
  },
  'rpc-main-arguments-values': {
    mistake: 'a list of many small values costs nothing',
    file: PORTS,
    from: 'const VALUE_BYTES = 64',
    to: 'const VALUE_BYTES = 0',
    caughtBy: PORTS_TEST,
  },
  'rpc-main-loggers': {
    mistake: 'one call names any number of loggers',
    file: 'src/api/methods/admin/admin_changeLogLevel.ts',
    from: '.max(NAMES_MAX)',
    to: '',
    caughtBy: BOUNDS_TEST,
  },
  'rpc-main-level-rules': {
    mistake: 'many calls create any number of level rules',
    file: LEVELS,
    from: 'if (next.size > RULES_MAX) return false',
    to: 'if (next.size < 0) return false',
    caughtBy: LEVELS_TEST,
  },
  'rpc-main-plugin-parameters': {
    mistake: 'the parameters of a plugin method may have any size',
    file: 'src/api/registry/plugin-method.ts',
    from: 'if (packed.length > PARAMS_MAX_BYTES) {',
    to: 'if (packed.length < 0) {',
    caughtBy: BOUNDS_TEST,
  },
  'rpc-main-admissions': {
    mistake: 'all transactions of a large batch are admitted in one turn of the main thread',
    file: TURNS,
    from: '      await nextTurn()\n',
    to: '',
    caughtBy: TURNS_TEST,
  },
  'rpc-main-admissions-wait': {
    mistake: "transactions wait for a plugin's verdict on earlier ones",
    file: TURNS,
    from: 'run(() => this.#begin(transactions, origin))',
    to: 'run(async () => await Promise.all(await this.#begin(transactions, origin)))',
    caughtBy: TURNS_TEST,
  },
  'rpc-main-allowlist-growth': {
    mistake: 'methods enlarge a permissions file beyond the limit for changes',
    file: PERMISSIONS,
    from: "if (written.text.length > CHANGED_MAX_BYTES) return 'too long'",
    to: "if (written.text.length < 0) return 'too long'",
    caughtBy: PERMISSIONS_TEST,
  },
  'rpc-audit-share': {
    mistake: 'one caller occupies every slot for calls that change state',
    file: AUDIT,
    from: ' || waiting.sizeOf(owner) >= MAX_WAITING_OF_ONE) return false',
    to: ') return false',
    caughtBy: AUDIT_TEST,
  },
  'rpc-audit-turns': {
    mistake: 'a caller with many waiting calls is served before all others',
    file: 'src/jsonrpc/limits/fair-queue.ts',
    from: 'if (this.#lanes.delete(owner)) this.#lanes.set(owner, lane)',
    to: 'void owner',
    caughtBy: AUDIT_TEST,
  },
  'rpc-audit-late-turn': {
    mistake: 'a call whose server no longer waits takes a turn and delays the others',
    file: AUDIT,
    from: '        giveUp()\n        resolve(false)\n',
    to: '        void giveUp\n',
    caughtBy: AUDIT_TEST,
  },
  'rpc-audit-sync': {
    mistake: 'an audited call is answered before its line is on disk',
    file: 'src/platform/files/durable-lines.ts',
    from: '      await handle.datasync()\n',
    to: '',
    caughtBy: 'test/adversarial/crash/torn-files.test.ts',
  },
  'rpc-reset-accepted': {
    mistake: 'a connection that was reset before it was accepted is served without an address',
    file: CONNECTIONS,
    from: 'return remoteAddress !== undefined',
    to: "return remoteAddress !== ''",
    caughtBy: RESET_TEST,
  },
  'rpc-reset-name': {
    mistake: 'a client without an address is treated as this process',
    file: CONNECTIONS,
    from: 'return remoteAddress ?? UNKNOWN_ADDRESS',
    to: 'return remoteAddress as string',
    caughtBy: RESET_TEST,
  },
  'rpc-readiness-shared': {
    mistake: 'every request for /readiness asks the main thread and all plugins',
    file: HEALTH,
    from: 'if (last === undefined || clock.monotonicMs() >= last.untilMs) {',
    to: 'if (last === undefined || clock.monotonicMs() >= 0) {',
    caughtBy: HEALTH_TEST,
  },
  'rpc-readiness-places': {
    mistake: '/readiness reveals the address of the signer',
    file: HEALTH,
    from: "cause.replaceAll(PLACES, '[see the log]')",
    to: 'cause',
    caughtBy: HEALTH_TEST,
  },
  'rpc-limits-address': {
    mistake: 'a network limit is accepted and has no effect',
    file: LIMITS,
    from: 'if (!isAddress(who)) return ADDRESS_LIKE.test(who)',
    to: 'if (!isAddress(who)) return false',
    caughtBy: LIMITS_TEST,
  },
  'rpc-limits-users': {
    mistake: 'a user limit is accepted although there are no users',
    file: 'src/node/validate-options.ts',
    from: '  limitedUsersCanLogIn,\n]',
    to: ']',
    caughtBy: 'src/node/all-options.test.ts',
  },
  'rpc-caller-key': {
    mistake: 'a user named like an address uses the share of that address',
    file: KEY,
    from: 'return `user $',
    to: 'return `address $',
    caughtBy: KEY_TEST,
  },
  'rpc-removed-client': {
    mistake: 'a client that was removed from the known clients keeps its connection',
    file: TLS,
    from: 'for (const socket of closed) socket.destroy()',
    to: 'void closed',
    caughtBy: TLS_TEST,
  },
  'rpc-removed-authority': {
    mistake: 'a client whose authority is no longer trusted keeps its connection',
    file: TLS,
    from: 'hasSameAuthorities ? isAdmitted(socket, files) : isKnown(socket, files)',
    to: 'hasSameAuthorities || isAdmitted(socket, files)',
    caughtBy: TLS_TEST,
  },
}
