import type { Plants } from './plant.ts'

const VERIFY = 'src/plugins/verify-plugin.ts'
const VERIFY_TEST = 'src/plugins/verify-plugin.test.ts'
const LOAD = 'src/plugins/guest/load-verified.ts'
const HOST = 'src/plugins/host/plugin-host.ts'
const GUEST = 'src/plugins/guest/guest.ts'
const SAFETY_TEST = 'src/node/plugins/plugin-safety.test.ts'
const CONTAINMENT_TEST = 'test/acceptance/process/plugin-containment.test.ts'
const TABLE = 'src/plugins/guest/table-file.ts'
const TABLE_TEST = 'src/plugins/guest/table-file.test.ts'
const DECLARATION = 'src/plugins/declaration.ts'
const DECLARATION_TEST = 'src/plugins/declaration.test.ts'

export const PLUGIN_PLANTS: Plants = {
  'plugins-unlisted-module': {
    mistake: 'an unlisted plugin is loaded',
    file: VERIFY,
    from: 'if (!sums.some(({ name }) => name === basename(file)))',
    to: 'if (sums.length === 0)',
    caughtBy: VERIFY_TEST,
  },
  'plugins-sum-not-compared': {
    mistake: 'listed files may have any content',
    file: VERIFY,
    from: 'if (actual !== sum) refuse',
    to: 'if (actual.length !== sum.length) refuse',
    caughtBy: VERIFY_TEST,
  },
  'plugins-imports-unlisted': {
    mistake: 'modules that a verified plugin imports need not be listed',
    file: LOAD,
    from: "if (sum === undefined) throw refusal(path, 'does not list it')",
    to: 'if (sum === undefined) return bytes',
    caughtBy: SAFETY_TEST,
  },
  'plugins-imports-changed': {
    mistake: 'a listed module that changed after the start is imported',
    file: LOAD,
    from: ".digest('hex') !== sum) throw",
    to: ".digest('hex') === '') throw",
    caughtBy: SAFETY_TEST,
  },
  'plugins-crash-skips-verification': {
    mistake: 'a plugin is not verified again after a crash',
    file: 'src/plugins/host/start-guest.ts',
    from: 'data: { module: source.module, isVerified },',
    to: 'data: { module: source.module, isVerified: isVerified && signal === undefined },',
    caughtBy: SAFETY_TEST,
  },
  'plugins-late-reload-in-force': {
    mistake: 'a reload that was reported as failed takes effect later',
    file: HOST,
    from: "      this.#end(thread, 'hung', ",
    to: '      String(',
    caughtBy: SAFETY_TEST,
  },
  'plugins-reloads-interleave': {
    mistake: 'two simultaneous reloads leave the options of neither',
    file: HOST,
    from: "    if (this.#isReloading) return 'another reload is under way'\n",
    to: '',
    caughtBy: SAFETY_TEST,
  },
  'plugins-secret-in-overview': {
    mistake: 'the start-up log contains plugin secrets',
    file: 'src/plugins/plugin-settings.ts',
    from: '  secret: secretText,\n',
    to: '  secret: text as never,\n',
    caughtBy: SAFETY_TEST,
  },
  'plugins-secret-printed-by-plugin': {
    mistake: 'a plugin that logs its options logs its secrets',
    file: GUEST,
    from: 'return [name, isSecret ? new Secret(value) : value]',
    to: 'return [name, isSecret ? value : value]',
    caughtBy: SAFETY_TEST,
  },
  'plugins-storage-before-lock': {
    mistake: 'a second node on a data directory truncates the plugin storage of the first',
    file: 'src/node/start.ts',
    from: "  const chain = await rooms.start(CHAIN, { ...partsOf('node'), config: node.writer, building })\n  await rooms.start(REGISTERED_PLUGINS, plugins)\n",
    to: "  await rooms.start(REGISTERED_PLUGINS, plugins)\n  const chain = await rooms.start(CHAIN, { ...partsOf('node'), config: node.writer, building })\n",
    caughtBy: SAFETY_TEST,
  },
  'plugins-calls-before-rules': {
    mistake: 'client calls delay a rule until it fails open',
    file: HOST,
    from: 'const isUrgent = !FREQUENT.has(name)',
    to: 'const isUrgent = false',
    caughtBy: CONTAINMENT_TEST,
  },
  'plugins-late-for-all': {
    mistake: 'a rule fails open because another call was answered too late',
    file: HOST,
    from: '|| this.#unanswered.has(name)) {',
    to: '|| this.#unanswered.size > 0) {',
    caughtBy: CONTAINMENT_TEST,
  },
  'plugins-storage-checksum': {
    mistake: 'a torn entry of plugin storage is read as a value',
    file: TABLE,
    from: ' || crc32(payload) !== view.getUint32(at + 4)) break',
    to: ') break',
    caughtBy: TABLE_TEST,
  },
  'plugins-storage-unbounded': {
    mistake: 'a plugin may keep any amount of data in memory and on disk',
    file: TABLE,
    from: 'if (this.#liveBytes + grows > this.#limits.maxBytes) {',
    to: 'if (this.#liveBytes + grows < 0) {',
    caughtBy: TABLE_TEST,
  },
  'plugins-storage-deleted-returns': {
    mistake: 'a value that a plugin deleted returns after a restart',
    file: TABLE,
    from: 'payload[keyEnd] === PUT ? payload.slice(keyEnd + 1) : undefined',
    to: 'payload.slice(keyEnd + 1)',
    caughtBy: TABLE_TEST,
  },
  'plugins-own-namespace': {
    mistake: 'a plugin replaces methods of the node',
    file: DECLARATION,
    from: 'if (OWN_NAMESPACES.has(namespace)) refuse',
    to: "if (namespace === '') refuse",
    caughtBy: DECLARATION_TEST,
  },
  'plugins-rule-without-choice': {
    mistake: 'a rule need not declare onFailure, and fails open',
    file: DECLARATION,
    from: "if (rule.onFailure !== 'admit' && rule.onFailure !== 'refuse') {",
    to: "if ((rule.onFailure as string) === '') {",
    caughtBy: DECLARATION_TEST,
  },
  'plugins-selection-takes-the-block': {
    mistake: 'a selection rule may take longer than a block',
    file: DECLARATION,
    from: "kind === 'selection' ? SELECTION_MS.most : RULE_MS.most,",
    to: 'LIFECYCLE_MS.most,',
    caughtBy: DECLARATION_TEST,
  },
  'plugins-secret-default': {
    mistake: 'a secret has a default that --help and the documentation show',
    file: DECLARATION,
    from: "if (type === 'secret' && given !== undefined) refuse",
    to: "if (type === 'secret' && given === '') refuse",
    caughtBy: DECLARATION_TEST,
  },
}
