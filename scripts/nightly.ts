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
  'fuzz-arm64': { does: 'the arm64 engine under emulation', args: ['scripts/fuzz-arm64.ts'] },
  'fuzz-engines': {
    does: '100,000 random transactions on both engines',
    args: ['test/adversarial/fuzz-engines/main.ts', '--count', '100000'],
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
  simulate: {
    does: '200,000 heights with attackers that compose their attacks',
    args: ['test/simulation/main.ts', '--composing', '--heights', '200000'],
  },
  'simulate-mutating': {
    does: '200,000 heights with a validator that mutates its blocks',
    args: ['test/simulation/main.ts', '--mutating', '--heights', '200000'],
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
