// npm run nightly -- <name> [options]: runs a check that takes longer than the gate allows.
import { type NamedPrograms, runNamed } from './run-named.ts'

export const NIGHTLY: NamedPrograms = {
  backup: {
    does: '50 backups of a validator under load',
    args: ['--test', 'test/acceptance/process/backup.test.ts'],
    env: { CAIRN_BACKUPS: '50' },
  },
  conformance: {
    does: 'every state test instead of every twentieth',
    args: ['test/conformance/main.ts', 'state-tests'],
    env: { CAIRN_STATE_SAMPLE: '1' },
  },
  'console-blocks': {
    does: 'pages through a million blocks in the console, and no task of the page exceeds 100 ms',
    args: ['--test', '--test-name-pattern=long chain|paging', 'test/acceptance/console/large/large.test.ts'],
    env: { CAIRN_CONSOLE_BLOCKS: '1000000' },
  },
  'console-memory': {
    does: 'keeps the console open for an hour and compares its memory',
    args: [
      '--test',
      '--test-name-pattern=healthy network|stays open',
      'test/acceptance/console/browser.test.ts',
    ],
    env: { CAIRN_CONSOLE_SECONDS: '3600' },
  },
  crash: {
    does: 'hundreds of kills and power cuts',
    args: ['--test', '--test-concurrency=1', 'test/adversarial/crash/*.test.ts'],
    env: { CAIRN_CRASH_KILLS: '500', CAIRN_POOL_KILLS: '50', CAIRN_CRASH_CUTS: '2000' },
  },
  deploy: {
    does: 'builds the tools that check deploy/ and .github/, and runs them',
    args: ['--test', 'test/acceptance/process/deploy.test.ts'],
    env: { CAIRN_DEPLOY_TOOLS: 'build' },
  },
  'dev-kill': {
    does: '50 kills of a development chain between edits, snapshots and blocks',
    args: ['--test', 'test/acceptance/process/dev-kill.test.ts'],
    env: { CAIRN_KILLS: '50' },
  },
  embed: {
    does: 'memory and handles of 100 nodes that come and go in one program',
    args: ['--test', '--test-name-pattern=come and go', 'test/acceptance/process/embedding.test.ts'],
    env: { CAIRN_EMBEDDED_NODES: '100' },
  },
  flips: {
    does: '10,000 flips of a consensus client between two branches of 32 blocks, and a kill',
    args: ['--test', 'test/acceptance/process/engine-flips.test.ts'],
    env: { CAIRN_FLIPS: '10000' },
  },
  'fuzz-arm64': { does: 'the arm64 engine under emulation', args: ['scripts/fuzz-arm64.ts'] },
  'fuzz-engines': {
    does: '100,000 random transactions on both engines',
    args: ['test/adversarial/fuzz-engines/main.ts', '--count', '100000'],
  },
  'hardhat-templates': {
    does: "Hardhat's templates with viem and ethers, and Ignition, 20 times in a row",
    args: ['--test', 'test/acceptance/interop/hardhat-template.test.ts'],
    env: { CAIRN_TEMPLATE_RUNS: '20' },
  },
  kafka: {
    does: 'kills a node with the Kafka sink, and its broker, 20 times',
    args: ['--test', 'examples/plugins/kafka-sink.test.ts'],
    env: { CAIRN_KAFKA_EVENTS: '10000', CAIRN_KAFKA_KILLS: '20' },
  },
  network: {
    does: 'minutes of every trouble that a network of validators can have',
    args: ['test/acceptance/network/main.ts', '--nightly'],
  },
  'plugin-trouble': {
    does: 'block times of a validator whose plugins hang, throw, flood and leak',
    args: ['--test', 'test/acceptance/process/on-time/plugin-trouble.test.ts'],
    env: { CAIRN_PLUGIN_TROUBLE: 'all' },
  },
  prysm: {
    does: 'Prysm drives two nodes, or a node and geth, to finality with transfers, tokens and blobs; 20 kills',
    args: ['test/acceptance/interop/prysm/main.ts'],
  },
  recipes: {
    does: 'every page with steps in an empty directory, with packages from the registry',
    args: [
      '--test',
      '--test-name-pattern=the steps of',
      'test/acceptance/process/known-ports/tarball.test.ts',
    ],
    env: { CAIRN_RECIPES: 'install' },
  },
  'side-chain': {
    does: 'a side chain of 1,000 blocks, its memory, and the reorg to it',
    args: ['--test', 'test/acceptance/process/engine-side-chain.test.ts'],
    env: { CAIRN_SIDE_BLOCKS: '1000' },
  },
  'slower-import': {
    does: 'shows that the bench of imports notices an import that became a fifth slower',
    args: ['bench/import.ts', '--brief', '--slower', '20'],
  },
  'slower-requests': {
    does: 'shows that the bench of requests notices a node that became a fifth slower',
    args: ['bench/requests.ts', '--brief', '--rounds', '8', '--slower', '15'],
  },
  'slower-start': {
    does: 'shows that the bench of starts notices a node, a network and an embedded node that became a fifth slower',
    args: ['bench/start.ts', '--ratios', '--slower', '20'],
  },
  simulate: {
    does: '200,000 heights with attackers that compose their attacks',
    args: ['test/simulation/main.ts', '--composing', '--heights', '200000'],
  },
  'simulate-mutating': {
    does: '200,000 heights with a validator that mutates its blocks',
    args: ['test/simulation/main.ts', '--mutating', '--heights', '200000'],
  },
  'simulate-linked': {
    does: '200,000 heights over lines, stars, rings and changing links, with validators that lie about who hears whom',
    args: ['test/simulation/main.ts', '--linked', '--heights', '200000'],
  },
  'soak-native': {
    does: 'memory of ten threads on the native engine',
    args: ['test/performance/native/soak.ts'],
  },
  'soak-peers': {
    does: '1,000 peers that come, go and vanish',
    args: ['test/performance/soak/peers-soak.ts'],
  },
  'soak-pool': {
    does: 'memory of a validator under steady load for 20 minutes',
    args: ['test/performance/soak/pool-soak.ts', '--seconds', '1200'],
  },
  spam: {
    does: 'one transaction of each of 100,000 senders to four validators under load',
    args: [
      'test/adversarial/hostile-peers/main.ts',
      ...['--seconds', '240', 'transactions with a nonce gap from many senders'],
    ],
  },
  'trace-anvil': {
    does: 'traces of random transactions next to anvil',
    args: ['test/conformance/trace-anvil/main.ts'],
  },
  'trace-compare': {
    does: 'trace events of both engines over every state test',
    args: ['test/conformance/trace-compare/main.ts', '--sample=1', '--count', '20000'],
  },
}

if (import.meta.main) runNamed('nightly', NIGHTLY, process.argv.slice(2))
