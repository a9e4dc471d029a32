import type { Plants } from './plant.ts'

const IDENTITY = 'src/platform/process/process-identity.ts'
const CLAIM = 'src/fleet/claim-file.ts'
const CLAIM_TEST = 'src/fleet/claim-file.test.ts'
const PROCESS = 'src/fleet/node-process.ts'
const PROCESS_TEST = 'src/fleet/node-process.test.ts'
const LISTENER = 'src/platform/process/port-listener.ts'
const NODE = 'src/fleet/export/exported-node.ts'
const EXPORT_TEST = 'src/fleet/export/export.test.ts'
const ASK = 'src/fleet/ask-node.ts'
const ASK_TEST = 'src/fleet/ask-node.test.ts'

export const FLEET_PLANTS: Plants = {
  'fleet-any-start-time': {
    mistake: 'an unrelated program that reuses the process id of a supervisor is killed',
    file: IDENTITY,
    from: 'if (start !== undefined) return startOf(pid) === start',
    to: 'if (start !== undefined) return startOf(pid) !== undefined',
    caughtBy: CLAIM_TEST,
  },
  'fleet-any-program': {
    mistake: 'a process id alone identifies the supervisor',
    file: CLAIM,
    from: "words.includes('network') && words.some((word) => /\\bcairn$/.test(word))",
    to: 'words.length > 0',
    caughtBy: CLAIM_TEST,
  },
  'fleet-two-claims': {
    mistake: 'two commands watch one network',
    file: CLAIM,
    from: 'linkSync(from, to)\n',
    to: 'rmSync(to, { force: true })\n    linkSync(from, to)\n',
    caughtBy: CLAIM_TEST,
  },
  'fleet-releases-others': {
    mistake: 'a command releases the claim of another one',
    file: CLAIM,
    from: 'if (readIdentity(this.#file)?.pid === process.pid) rmSync',
    to: 'rmSync',
    caughtBy: CLAIM_TEST,
  },
  'fleet-blind-to-the-database': {
    mistake: 'a manually started validator is reported as stopped',
    file: PROCESS,
    from: 'const pids = [lockHolder(databaseLockOf(node)), isStarted',
    to: 'const pids = [isStarted',
    caughtBy: PROCESS_TEST,
  },
  'fleet-two-starts': {
    mistake: 'two commands start one node',
    file: PROCESS,
    from: 'if (!claim.claim()) return false',
    to: 'claim.claim()',
    caughtBy: PROCESS_TEST,
  },
  'fleet-other-node': {
    mistake: 'a process with another configuration file is stopped',
    file: PROCESS,
    from: '(commandWords(started.pid)?.includes(argumentOf(node)) ?? false)',
    to: 'true',
    caughtBy: PROCESS_TEST,
  },
  'fleet-one-listener-is-enough': {
    mistake: 'the password is sent although another program listens too',
    file: LISTENER,
    from: 'sockets.every((inode) => own.has(inode))',
    to: 'sockets.some((inode) => own.has(inode))',
    caughtBy: PROCESS_TEST,
  },
  'fleet-any-listener': {
    mistake: 'the password is sent to any program that listens on the port',
    file: 'src/fleet/endpoint.ts',
    from: 'if (pid !== undefined && isSoleListener(pid, host, port) === true) return',
    to: 'if (pid !== undefined) return',
    caughtBy: PROCESS_TEST,
  },
  'fleet-token-to-anyone': {
    mistake: 'a token is sent to any program that listens on the port',
    file: ASK,
    from: '  login.requireOwner()\n  const known',
    to: '  const known',
    caughtBy: ASK_TEST,
  },
  'fleet-endless-answer': {
    mistake: 'an endless answer fills the memory',
    file: ASK,
    from: 'maxAnswerBytes: 2 * 1024 * 1024',
    to: 'maxAnswerBytes: 2 ** 40',
    caughtBy: ASK_TEST,
  },
  'fleet-raw-messages': {
    mistake: 'the error message of another node writes control characters to the terminal',
    file: ASK,
    from: "typeof message === 'string' ? printableLine(message)",
    to: "typeof message === 'string' ? message",
    caughtBy: ASK_TEST,
  },
  'export-exposes-loopback': {
    mistake: 'a network on loopback is offered to every pod of the cluster',
    file: NODE,
    from: 'return isEnabled(config, service) && !LOOPBACK.test(',
    to: 'return isEnabled(config, service) || !LOOPBACK.test(',
    caughtBy: EXPORT_TEST,
  },
  'export-mixes-users': {
    mistake: 'WebSocket users become HTTP users',
    file: 'src/fleet/export/helm.ts',
    from: '[HTTP_USERS]: httpCredentials.text',
    to: '[HTTP_USERS]: (wsCredentials ?? httpCredentials).text',
    caughtBy: EXPORT_TEST,
  },
  'export-passwords-in-values': {
    mistake: 'the chart values contain a password from config.toml',
    file: 'src/fleet/export/helm.ts',
    from: "config: node.hasSecretConfig ? '' : configOf(node)",
    to: 'config: configOf(node)',
    caughtBy: EXPORT_TEST,
  },
  'export-readable-config': {
    mistake: 'other users of the machine can read the config.toml of a container',
    file: 'src/fleet/export/compose.ts',
    from: 'isSecret: true',
    to: 'isSecret: false',
    caughtBy: EXPORT_TEST,
  },
  'export-url-with-login': {
    mistake: 'a URL with a password is not treated as a secret',
    file: NODE,
    from: '!isPlain(option) || URL_WITH_LOGIN.test(String(value))',
    to: '!isPlain(option)',
    caughtBy: EXPORT_TEST,
  },
  'export-any-name': {
    mistake: 'the name of a directory is executed by root',
    file: NODE,
    from: 'if (!NAME.test(node.name)) {',
    to: "if (node.name === '') {",
    caughtBy: EXPORT_TEST,
  },
  'export-permits-all': {
    mistake: 'a node outside the allowlist may connect',
    file: NODE,
    from: 'lists.every((list) => list.includes(each))',
    to: 'lists.some((list) => list.includes(each))',
    caughtBy: EXPORT_TEST,
  },
  'export-unit-expands': {
    mistake: 'systemd expands the path of the program',
    file: 'src/fleet/export/systemd.ts',
    from: ".replaceAll('%', '%%')",
    to: '',
    caughtBy: EXPORT_TEST,
  },
  'export-copies-what-runs': {
    mistake: 'the key of a running validator is copied to a second one',
    file: 'src/fleet/export/systemd.ts',
    from: 'if started "$2" || locked "$3"; then',
    to: 'if started "$2"; then',
    caughtBy: EXPORT_TEST,
  },
  'cli-raw-output': {
    mistake: 'a name in a file writes control characters to the terminal',
    file: 'src/cli/io.ts',
    from: 'err: (text) => io.err(escapeControls(text))',
    to: 'err: (text) => io.err(text)',
    caughtBy: 'src/cli/main.test.ts',
  },
}
