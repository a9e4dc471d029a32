/** One stage of the gate: a program whose output reports the numbers of passed and failed checks. */
export interface Stage {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly counts: 'exit code' | 'test runner' | 'conformance'
  readonly env?: Readonly<Record<string, string>>
  /** True if it needs about one core and judges no duration, so other such stages may run at the same time. */
  readonly shares?: true
  /** For a program that is judged by its exit code: the number in these lines of its output shows how much it did. */
  readonly work?: { readonly line: RegExp; readonly least: number }
}

const tests = (name: string, ...args: string[]): Stage => ({
  name,
  command: 'node',
  args: ['--test', '--test-timeout=240000', ...args],
  counts: 'test runner',
})

const sharing = (stage: Stage): Stage => ({ ...stage, shares: true })

const STATE_TESTS = ['general-state', 'eest-state', 'eest-blockchain', 'regressions'].map(
  (name) => `state-tests/${name}`,
)

const RPC_SUITES = ['rpc-spec', 'execution-apis', 'recorded/frozen']

/** Both engines must reach the same counts. */
const conformance = (name: string, engine: 'js' | 'native', ...suites: string[]): Stage => ({
  name,
  command: 'node',
  args: ['test/conformance/main.ts', ...suites],
  counts: 'conformance',
  env: { CAIRN_ENGINE: engine },
  shares: true,
})

/** The stages to run before every commit: under a minute on two cores. */
export const CHECK: readonly Stage[] = [
  {
    name: 'native engine, if built before',
    command: 'node',
    args: ['scripts/build-native.ts', '--cached'],
    counts: 'exit code',
  },
  {
    name: 'format and lint',
    command: 'biome',
    args: ['check', '--error-on-warnings'],
    counts: 'exit code',
    shares: true,
  },
  { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json'], counts: 'exit code', shares: true },
  {
    name: 'types of the console',
    command: 'tsc',
    args: ['-p', 'web/tsconfig.json', '--noEmit'],
    counts: 'exit code',
    shares: true,
  },
  sharing(
    tests(
      'unit',
      '--test-isolation=none',
      'src/**/*.test.ts',
      'scripts/*.test.ts',
      'test/meta/walks/*.test.ts',
    ),
  ),
  sharing(tests('tidy', 'test/tidy.test.ts')),
]

/** Run concurrently, the long ones first, so no lane is empty at the end. */
const SHARING: readonly Stage[] = [
  // Only its tests listen on the ports that the documentation names.
  sharing(
    tests('process, known ports', '--test-concurrency=1', 'test/acceptance/process/known-ports/*.test.ts'),
  ),
  sharing(tests('interop', '--test-concurrency=1', 'test/acceptance/interop/*.test.ts')),
  sharing({
    name: 'fuzz',
    command: 'node',
    args: ['test/adversarial/fuzz/main.ts', '--seconds', '5'],
    counts: 'exit code',
    work: { line: /: (\d+) executions in /gm, least: 10_000 },
  }),
  // It judges CPU time, which other stages do not lengthen.
  sharing(tests('console, large', 'test/acceptance/console/large/*.test.ts')),
  conformance('conformance', 'native', 'all'),
  conformance(
    'conformance over HTTP, 3 servers',
    'native',
    ...RPC_SUITES,
    '--target=http',
    '--rpc-threads=3',
  ),
  sharing({
    name: 'programs that judge deployments',
    command: 'node',
    args: ['test/support/install-deploy-tools.ts'],
    counts: 'exit code',
  }),
  sharing({
    name: 'plants',
    command: 'node',
    args: ['--disable-warning=ExperimentalWarning', 'test/meta/plants/main.ts', '--sample', '6'],
    counts: 'exit code',
    work: { line: /^plants: (\d+) of \d+ caught$/gm, least: 6 },
  }),
  conformance('conformance over HTTP, js', 'js', ...RPC_SUITES, '--target=http'),
  sharing(tests('simulation', '--test-concurrency=1', 'test/simulation/*.test.ts')),
  sharing(tests('crash', '--test-concurrency=1', 'test/adversarial/crash/*.test.ts')),
  sharing({
    name: 'block mutator',
    command: 'node',
    args: ['test/adversarial/block-mutator/main.ts', '--sites', '10', '--cases', '100', '--threads', '1'],
    counts: 'exit code',
    work: { line: /^block mutator: (\d+) submissions/gm, least: 1_500 },
  }),
  sharing({
    name: 'soak of the pool',
    command: 'node',
    args: ['test/performance/soak/pool-soak.ts', '--seconds', '20'],
    counts: 'exit code',
    work: { line: /^(\d+) transactions accepted and mined once/gm, least: 500 },
  }),
  sharing({
    name: 'subscribers',
    command: 'node',
    args: ['bench/subscribers.ts', '--connections', '500', '--seconds', '20'],
    counts: 'exit code',
    work: { line: /^(\d+) heads of /gm, least: 5_000 },
  }),
  conformance('conformance, js', 'js', 'chains', ...STATE_TESTS),
  sharing({
    name: 'fuzz engines',
    command: 'node',
    args: ['test/adversarial/fuzz-engines/main.ts', '--count', '2000'],
    counts: 'exit code',
    work: { line: /^(\d+) transactions, \d+ blocks/gm, least: 2_000 },
  }),
  sharing({
    name: 'trace events',
    command: 'node',
    args: ['test/conformance/trace-compare/main.ts'],
    counts: 'exit code',
    work: { line: /^(?:random blocks|state tests): (\d+) /gm, least: 400 },
  }),
  sharing({
    name: 'start of a node',
    command: 'node',
    args: ['bench/start.ts', '--brief'],
    counts: 'exit code',
    work: { line: /^(\d+) starts answered$/gm, least: 1 },
  }),
  sharing({
    name: 'traces beside anvil',
    command: 'node',
    args: ['test/conformance/trace-anvil/main.ts', '--seed', '7', '--seconds', '8'],
    counts: 'exit code',
    work: { line: /^(\d+) transactions in /gm, least: 1 },
  }),
  sharing(
    tests('gate', '--test-concurrency=1', 'test/meta/gate/*.test.ts', 'test/performance/soak/*.test.ts'),
  ),
  sharing(
    tests(
      'conformance runner',
      '--test-concurrency=1',
      'test/conformance/*.test.ts',
      'test/conformance/rpc/*.test.ts',
    ),
  ),
  sharing(
    tests(
      'conversations',
      '--test-concurrency=1',
      'test/acceptance/conversations/*.test.ts',
      'test/acceptance/auth/*.test.ts',
    ),
  ),
  sharing(tests('documentation', 'test/acceptance/documentation/*.test.ts')),
  sharing(tests('trace runner', '--test-concurrency=1', 'test/conformance/trace-compare/*.test.ts')),
]

/** The gate: the same, then everything that needs the conformance pack, processes or peers. */
export const ALL: readonly Stage[] = [
  { name: 'native build', command: 'node', args: ['scripts/build-native.ts'], counts: 'exit code' },
  sharing({ name: 'native crate', command: 'node', args: ['scripts/check-native.ts'], counts: 'exit code' }),
  // It mostly waits for downloads.
  sharing({
    name: 'programs of users',
    command: 'node',
    args: ['test/acceptance/interop/install-programs.ts'],
    counts: 'exit code',
  }),
  ...CHECK,
  ...SHARING,
  tests('native engine', '--test-concurrency=1', 'test/performance/native/*.test.ts'),
  {
    name: 'soak',
    command: 'node',
    args: ['test/performance/native/soak.ts', '--seconds', '20'],
    counts: 'exit code',
    work: { line: /^(\d+) blocks compared between threads/gm, least: 1 },
  },
  {
    name: 'blocks on time',
    command: 'node',
    args: [
      'bench/on-time.ts',
      '--blocks',
      '10',
      '--rate',
      '200',
      '--tolerance',
      '20',
      '--least',
      '90',
      '--gross',
      '60',
    ],
    counts: 'exit code',
    work: { line: /^(\d+) transactions and \d+ MB of vmTraces/gm, least: 200 },
  },
  {
    name: 'one user during a flood',
    command: 'node',
    // In 3 s, the start of a flood is a tenth of the requests: the ratio of one node varies from 1 to 3.4.
    args: [
      'bench/fair.ts',
      '--phases',
      '4',
      '--seconds',
      '3',
      '--percentile',
      '90',
      '--most',
      '5',
      '--gross',
      '10',
    ],
    counts: 'exit code',
    work: { line: /^\d+ requests during a flood of which \d+ were answered and (\d+) refused/gm, least: 20 },
  },
  {
    name: 'requests next to an echo',
    command: 'node',
    args: ['bench/requests.ts', '--brief', '--rounds', '8'],
    counts: 'exit code',
    work: { line: /^(\d+) requests answered$/gm, least: 50_000 },
  },
  {
    name: 'transfers next to a reference',
    command: 'node',
    args: ['bench/pool.ts', '--brief'],
    counts: 'exit code',
    work: { line: /^(\d+) transactions in blocks$/gm, least: 5_000 },
  },
  {
    name: 'import next to a reference',
    command: 'node',
    args: ['bench/import.ts', '--brief'],
    counts: 'exit code',
    work: { line: /^(\d+) transactions imported$/gm, least: 1_000 },
  },
  {
    name: 'starts next to a reference',
    command: 'node',
    args: ['bench/start.ts', '--ratios'],
    counts: 'exit code',
    work: { line: /^(\d+) starts measured$/gm, least: 15 },
  },
  {
    name: 'bench of a network',
    command: 'node',
    args: ['bench/network.ts', '--brief'],
    counts: 'exit code',
    work: { line: /^(\d+) transactions in blocks/gm, least: 300 },
  },
  tests('console', '--test-concurrency=1', 'test/acceptance/console/*.test.ts'),
  tests('process', '--test-concurrency=3', 'test/acceptance/process/*.test.ts', 'examples/plugins/*.test.ts'),
  tests('process, on time', '--test-concurrency=1', 'test/acceptance/process/on-time/*.test.ts'),
  {
    name: 'abuse',
    command: 'node',
    args: ['test/adversarial/abuse/main.ts', '--seconds', '30'],
    counts: 'exit code',
    work: { line: /^abuse: (\d+) attacks/gm, least: 5 },
  },
  {
    name: 'network of validators',
    command: 'node',
    args: ['test/acceptance/network/main.ts', '--sample', '1'],
    counts: 'exit code',
    work: { line: /^network: (\d+) scenarios held/gm, least: 5 },
  },
  tests('attacks on peers', 'test/adversarial/p2p-attacks/*.test.ts'),
  {
    name: 'hostile peers',
    command: 'node',
    args: ['test/adversarial/hostile-peers/main.ts', '--seconds', '30', '--senders', '2000'],
    counts: 'exit code',
    work: { line: /^hostile peers: (\d+) attacks held/gm, least: 16 },
  },
]
