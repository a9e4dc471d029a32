// Makes dist/, which the package ships: a bundle for each entry of the program, and types for programs that embed it.
// With --into <folder>, it makes the bundles there, without types.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build, type PluginBuild } from 'esbuild'
import manifest from '../package.json' with { type: 'json' }
import { isTest, readSources } from '../test/meta/tidy/source.ts'
import { buildPages } from '../web/build-pages.ts'
import { gatherModules } from './gather-modules.ts'

const root = join(import.meta.dirname, '..')
const { values } = parseArgs({ options: { into: { type: 'string' } } })
const dist = values.into ?? join(root, 'dist')
/** The console's files together, compressed. */
const MAX_PAGES_BYTES = 150_000
/** bin/cairn loads these two. */
const COMMAND_ENTRIES = ['platform/thread/own-modules.ts', 'cli/main.ts']
/** The program loads threads and their modules by such a URL; in a comment it follows a backtick. */
const RESOLVED = /(?<!`)import\.meta\.resolve\(\s*'#([^']+)'/g
/**
 * Dependencies that every start loads and that consist of small modules of JavaScript, with their own dependencies. The
 * package pins the versions of all its dependencies, so a new version of these comes with a new version of the package in
 * either case.
 */
const BUNDLED = ['@noble/curves', '@noble/hashes', 'classic-level', 'pino', 'smol-toml', 'ws', 'zod']
/** Outside the bundles, although bundled dependencies load them: a binary, and packages that `ws` uses if they are installed. */
const OUTSIDE = ['bufferutil', 'utf-8-validate', 'classic-level/binding.js']

/** Files of src that something outside their bundle loads. */
function entriesOf(): readonly string[] {
  const exported = Object.values(manifest.exports).flatMap((each) =>
    typeof each === 'string' ? [] : [each.default.replace('./dist/', '').replace(/\.js$/, '.ts')],
  )
  const resolved = readSources(root, 'src')
    .filter(({ path }) => !isTest(path))
    .flatMap(({ text }) => [...text.matchAll(RESOLVED)].map(([, name]) => name!))
  return [...new Set([...COMMAND_ENTRIES, ...exported, ...resolved])]
}

/** The namespace of the modules that CommonJS dependencies load with `require`, which a bundle does not have. */
const LOADERS = 'loaders'
/** Locates packages from a chunk, as an import would. */
const LOADER = `import { createRequire } from 'node:module'
export const load = createRequire(import.meta.url)`

/** Decides for each import: a source file, a bundled dependency, or a module that Node finds when the program runs. */
function placeDependencies({ onResolve, onLoad }: PluginBuild): void {
  onResolve({ filter: /^#/ }, ({ path }) => ({ path: join(root, 'src', path.slice(1)) }))
  onResolve({ filter: /.*/ }, ({ path, kind, importer, namespace }) => {
    if (namespace === LOADERS) return path === LOADERS ? { path, namespace } : { external: true }
    if (kind === 'require-call') {
      const isBinding = path === './binding' && /classic-level\/[^/]+$/.test(importer)
      const name = isBinding ? 'classic-level/binding.js' : path
      return isBuiltin(name) || OUTSIDE.includes(name) ? { path: name, namespace: LOADERS } : undefined
    }
    const isBundled = BUNDLED.some((name) => path === name || path.startsWith(`${name}/`))
    return kind === 'entry-point' || isBundled || /^[./]/.test(path) ? undefined : { external: true }
  })
  onLoad({ filter: /.*/, namespace: LOADERS }, ({ path }) => {
    if (path === LOADERS) return { contents: LOADER }
    if (isBuiltin(path)) return { contents: `module.exports = process.getBuiltinModule('${path}')` }
    return { contents: `module.exports = require('${LOADERS}').load('${path}')` }
  })
}

rmSync(dist, { recursive: true, force: true })
if (values.into === undefined) {
  execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  })
}
const entries = entriesOf().map((name) => `src/${name}`)
const options: BuildOptions = {
  absWorkingDir: root,
  entryPoints: [...entries],
  outbase: 'src',
  outdir: dist,
  chunkNames: 'shared/[name]-[hash]',
  bundle: true,
  // Threads share chunks, so a process reads and caches each piece of code once.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Names stay, for stack traces without source maps.
  minifyWhitespace: true,
  minifySyntax: true,
  // Node prints the source line of an uncaught error.
  lineLimit: 160,
  sourcemap: true,
  sourcesContent: false,
  plugins: [{ name: 'dependencies', setup: placeDependencies }],
}
// Tells which entry reaches which module.
const { metafile } = await build({ ...options, metafile: true, write: false })
await build({ ...options, plugins: [gatherModules(root, entries, metafile!), ...options.plugins!] })
const pages = await buildPages()
const packed = Object.values(pages).reduce((sum, bytes) => sum + gzipSync(bytes).length, 0)
if (packed > MAX_PAGES_BYTES)
  throw new Error(`The console has ${packed} bytes, more than ${MAX_PAGES_BYTES}.`)
mkdirSync(join(dist, 'console', 'pages'), { recursive: true })
for (const [name, bytes] of Object.entries(pages)) writeFileSync(join(dist, 'console', 'pages', name), bytes)
console.log(`console: ${packed} bytes compressed`)
const ALLOCATION = 'node/networks/mainnet-allocation.bin'
mkdirSync(dirname(join(dist, ALLOCATION)), { recursive: true })
copyFileSync(join(root, 'src', ALLOCATION), join(dist, ALLOCATION))
// The nearest package.json decides what #room/file.ts means: src in a checkout, bundles in the package.
const map = { type: 'module', imports: { '#*.ts': './*.js' } }
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(map, null, 2)}\n`)
