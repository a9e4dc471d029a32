import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { test } from 'node:test'
import { generatedFiles } from '../scripts/generated-files.ts'
import { filesOf } from '../scripts/run-stage.ts'
import { ALL } from '../scripts/stages.ts'
import { measure } from '../scripts/words/corpora.ts'
import { exceededLimits, readRatchet } from '../scripts/words/ratchet.ts'
import { ALL_PLANTS } from './meta/plants/all-plants.ts'
import type { Plant } from './meta/plants/plant.ts'
import { missingPaths, scriptProblems } from './meta/tidy/documents.ts'
import * as rules from './meta/tidy/rules.ts'
import { readSources, type SourceFile } from './meta/tidy/source.ts'

const root = join(import.meta.dirname, '..')
const files = readSources(root, 'src')
const tests = [...files, ...readSources(root, 'test'), ...readSources(root, 'scripts')]
const servers = [...readSources(root, 'bench'), ...readSources(root, 'test')]
const stagedFiles = ALL.filter(({ counts }) => counts === 'test runner').flatMap(filesOf)

/** Entry points for users, and the layers map. */
const ENTRIES = [
  'src/cli/main.ts',
  'src/fleet/test-network.ts',
  'src/node/create-node.ts',
  'src/node/plugins/plugin-test.ts',
  'src/plugins/define-plugin.ts',
  'src/layers.ts',
  'src/platform/fake-clock.fixture.ts',
  'src/store/kv/memory-kv.fixture.ts',
]

const CHECKS: Record<string, { rule: rules.Rule; planted: SourceFile[] }> = {
  'a room imports only rooms below it': {
    rule: rules.layers,
    planted: [{ path: 'src/types/x.ts', text: "import { a } from '#cli/main.ts'" }],
  },
  'a room that is not on the map is refused': {
    rule: rules.layers,
    planted: [{ path: 'src/kitchen/x.ts', text: '' }],
  },
  'no import climbs with ../': {
    rule: rules.crossings,
    planted: [{ path: 'src/types/x.ts', text: "import { a } from '../platform/a.ts'" }],
  },
  'a module that is resolved at run time is named by its room': {
    rule: rules.resolvedModules,
    planted: [{ path: 'src/types/x.ts', text: "const entry = import.meta.resolve('./entry.ts')" }],
  },
  'no files import each other in a circle': {
    rule: rules.cycles,
    planted: [
      { path: 'src/types/a.ts', text: "import { b } from './b.ts'" },
      { path: 'src/types/b.ts', text: "export const c = await import('#types/a.ts')" },
    ],
  },
  'no folders of a room with floors import each other in a circle': {
    rule: rules.folderCycles,
    planted: [
      { path: 'src/chain/rules/a.ts', text: "import type { b } from '#chain/write/b.ts'" },
      { path: 'src/chain/write/b.ts', text: "import { a } from '#chain/rules/a.ts'" },
    ],
  },
  'files, sockets and processes are touched only behind their doors': {
    rule: rules.outsideDoors,
    planted: [{ path: 'src/config/x.ts', text: "import { readFileSync } from 'node:fs'" }],
  },
  'time, chance and console are used only in platform': {
    rule: rules.determinism,
    planted: [{ path: 'src/config/x.ts', text: 'const now = Date.now()' }],
  },
  'types is pure': {
    rule: rules.purity,
    planted: [{ path: 'src/types/x.ts', text: "import { createHash } from 'node:crypto'" }],
  },
  'files are short': { rule: rules.sizes, planted: [{ path: 'src/types/x.ts', text: '\n'.repeat(601) }] },
  'folders are shallow': { rule: rules.sizes, planted: [{ path: 'src/a/b/c/d/x.ts', text: '' }] },
  'folders are small': {
    rule: rules.crowdedFolders(['src/api/methods', 'src/api/dev/methods']),
    planted: Array.from({ length: 41 }, (_, index) => ({ path: `src/types/x${index}.ts`, text: '' })),
  },
  'names say what is inside': { rule: rules.names, planted: [{ path: 'src/types/hex-utils.ts', text: '' }] },
  'there are no barrel files': {
    rule: rules.barrels,
    planted: [{ path: 'src/types/x.ts', text: "export * from './hex.ts'" }],
  },
  'a to-do names its issue': {
    rule: rules.todos,
    planted: [{ path: 'src/types/x.ts', text: '// TODO later' }],
  },
  'what is exported is used by the program': {
    rule: rules.unusedExports(ENTRIES, readSources(root, 'scripts')),
    planted: [
      { path: 'src/types/x.ts', text: 'export const used = 1\nexport function dead() {}' },
      { path: 'src/types/y.ts', text: "import { type used as alias } from './x.ts'" },
      { path: 'src/types/x.test.ts', text: "import { dead } from './x.ts'" },
    ],
  },
  'every JSON-RPC error is produced by some source': {
    rule: rules.unusedErrors,
    planted: [
      { path: 'src/jsonrpc/error-table.ts', text: '  USED: { code: 1 },\n  DEAD: { code: 2 },' },
      { path: 'src/jsonrpc/x.ts', text: "throw rpcFault('USED') // and not 'DEAD'" },
      { path: 'src/jsonrpc/x.test.ts', text: "rpcFault('DEAD')" },
    ],
  },
  'every fault kind is produced by some source': {
    rule: rules.unusedErrors,
    planted: [
      { path: 'src/store/faults.ts', text: "export type StoreFaultKind = 'USED' | 'DEAD'" },
      { path: 'src/store/x.ts', text: "throw storeFault('USED')" },
    ],
  },
  'a log message is a fixed text': {
    rule: rules.logMessages,
    planted: [{ path: 'src/pool/x.ts', text: 'log.info(sentence, { count })' }],
  },
  'a log message has no full stop': {
    rule: rules.logMessages,
    planted: [{ path: 'src/pool/x.ts', text: "this.#log.debug('Restored pool.', { count })" }],
  },
  'every row of log problems is logged': {
    rule: rules.logMessages,
    planted: [
      {
        path: 'src/pool/log-problems.ts',
        text: 'export const POOL_PROBLEMS = {\n  full: {\n  },\n  dead: {\n  },\n}',
      },
      { path: 'src/pool/x.ts', text: 'log.warn(POOL_PROBLEMS.full)' },
    ],
  },
  'a type has a name of its own': {
    rule: rules.oneMeaning(['Log']),
    planted: [
      { path: 'src/types/x.ts', text: 'export interface Turn {}' },
      { path: 'src/chain/x.ts', text: 'export class Turn {}' },
    ],
  },
  'every file is reached from the program': {
    rule: rules.deadFiles(ENTRIES),
    planted: [{ path: 'src/types/x.ts', text: '' }],
  },
}

/** Rules of the tests themselves, wherever they are. */
const TEST_CHECKS: typeof CHECKS = {
  'no test leaves out the others': {
    rule: rules.wholeTests,
    planted: [{ path: 'test/x.test.ts', text: "test.only('a', () => {})" }],
  },
  'no test passes by being to do': {
    rule: rules.wholeTests,
    planted: [{ path: 'scripts/x.test.ts', text: "test('a', { todo: true }, () => {})" }],
  },
  'no test is skipped everywhere': {
    rule: rules.wholeTests,
    planted: [{ path: 'src/types/x.test.ts', text: "test('a', { skip: 'later' }, () => {})" }],
  },
  'no test ends its process': {
    rule: rules.wholeTests,
    planted: [{ path: 'test/x.test.ts', text: "test('a', () => process.exit(0))" }],
  },
  'a test is written with test, and a group with suite': {
    rule: rules.wholeTests,
    planted: [{ path: 'test/x.test.ts', text: "import { after, it } from 'node:test'" }],
  },
  'every file of tests is run by one stage': {
    rule: rules.stagedTests(stagedFiles),
    planted: [{ path: 'test/nowhere/x.test.ts', text: '' }],
  },
}

/** Rules of what starts servers to measure or test them. */
const SERVER_CHECKS: typeof CHECKS = {
  'no port is fixed': {
    rule: rules.freePorts,
    planted: [{ path: 'bench/x.ts', text: 'const ANVIL_PORT = 18_545' }],
  },
}

for (const [statement, { rule, planted }] of Object.entries(SERVER_CHECKS)) {
  test(`tidy: ${statement}`, () => assert.deepEqual(rule(servers), []))
  test(`tidy catches a planted violation: ${statement}`, () => assert.equal(rule(planted).length, 1))
}

for (const [statement, { rule, planted }] of Object.entries(TEST_CHECKS)) {
  test(`tidy: ${statement}`, () => assert.deepEqual(rule(tests), []))
  test(`tidy catches a planted violation: ${statement}`, () => assert.equal(rule(planted).length, 1))
}

test('tidy: a stage has a name of its own, by which its floor is kept', () => {
  assert.deepEqual(
    ALL.map(({ name }) => name).filter((name, at, names) => names.indexOf(name) !== at),
    [],
  )
})

for (const [statement, { rule, planted }] of Object.entries(CHECKS)) {
  test(`tidy: ${statement}`, () => assert.deepEqual(rule(files), []))
  test(`tidy catches a planted violation: ${statement}`, () => assert.equal(rule(planted).length, 1))
}

test('tidy: a ban inside a comment or a string is not a violation', () => {
  const text = "// Date.now() is banned\nconst a = 'setTimeout('\n/* console.log */"
  assert.deepEqual(rules.determinism([{ path: 'src/config/x.ts', text }]), [])
})

test('tidy saw every TypeScript file that git knows in src', () => {
  assert.deepEqual(
    files.map(({ path }) => path),
    checkoutFiles('src/*.ts'),
  )
})

/** Made by a build, or stand for any name. */
const ELSEWHERE = ['dist/', 'dist-docs/', 'dist-native/', 'x.ts', 'x.test.ts', 'x.io']

for (const document of ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'test/README.md'])
  test(`tidy: files that ${document} names exist`, () => {
    const text = readFileSync(join(root, document), 'utf8')
    assert.deepEqual(missingPaths({ path: document, text }, checkoutFiles(), ELSEWHERE), [])
  })

test('tidy catches a planted violation: files that a document names exist', () => {
  const text =
    'See `chain/a.ts`, `chain/`, [b](docs/b.md) and `node src/c.ts`; `and/or` too.\n```sh\nnode src/d.ts\n```'
  const found = missingPaths({ path: 'X.md', text }, ['src/chain/a.ts'], ['and/or'])
  assert.deepEqual(
    found.map((sentence) => sentence.split(/[ ,]/)[2]),
    ['docs/b.md', 'src/c.ts', 'src/d.ts'],
  )
})

test('tidy: the scripts of package.json are few and documented', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  assert.deepEqual(scriptProblems(Object.keys(scripts), { path: 'CONTRIBUTING.md', text }), [])
})

test('tidy catches a planted violation: the scripts of package.json are few and documented', () => {
  const document = { path: 'X.md', text: '| `bench -- <name>` | runs |\n| `fuzzy` | fuzzes |' }
  assert.equal(scriptProblems(['bench', 'fuzz'], document).length, 1)
  assert.equal(scriptProblems(Array(26).fill('bench'), document).length, 1)
})

/** A plant (test/meta/plants) whose text is gone has no effect, and only a run of all plants would notice it. */
test('tidy: the text of every plant stands once in its file, and its check exists', () => {
  assert.deepEqual(Object.entries(ALL_PLANTS).flatMap(brokenPlant), [])
})

test('tidy catches a planted violation: the text of every plant stands once', () => {
  const plant = { mistake: '', file: 'src/layers.ts', to: '', caughtBy: 'src/none/*.test.ts' }
  assert.equal(brokenPlant(['gone', { ...plant, from: 'no such text' }]).length, 2)
})

function brokenPlant([name, { file, from, caughtBy }]: [string, Plant]): string[] {
  const path = join(root, file)
  const times = existsSync(path) ? readFileSync(path, 'utf8').split(from).length - 1 : 0
  const checks = caughtBy.startsWith('simulate') ? [] : caughtBy.split(' ')
  const known = checkoutFiles()
  return [
    ...(times === 1 ? [] : [`${name}: its text occurs ${times} times in ${file}, not once`]),
    ...checks
      .filter((check) => check.endsWith('.test.ts') && !known.some((path) => matchesGlob(path, check)))
      .map((check) => `${name}: no file is ${check}`),
  ]
}

/** Files that git tracks or would add. */
function checkoutFiles(...patterns: string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns]
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  return listed
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .sort()
}

/** docs/internals/style.md says how to write; `npm run words` lists the sentences. */
test('tidy: no text gets harder to read', () => {
  const measured = measure(root)
  assert.deepEqual(exceededLimits(measured, readRatchet()), [])
  assert.ok(Object.values(measured).every(({ sentences }) => sentences > 0))
})

test('tidy: generated files are fresh (npm run generate)', async () => {
  const stale = await staleFiles(await generatedFiles())
  assert.deepEqual(stale, [])
})

test('tidy catches a planted violation: generated files are fresh', async () => {
  assert.deepEqual(await staleFiles([{ path: 'docs/reference/cli.md', content: 'something else' }]), [
    'docs/reference/cli.md',
  ])
})

async function staleFiles(generated: { path: string; content: string }[]): Promise<string[]> {
  return generated
    .filter(
      ({ path, content }) =>
        !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== content,
    )
    .map(({ path }) => path)
}
