/**
 * An esbuild plugin that makes few chunks of the modules that many entries share. By itself, esbuild makes a chunk for every
 * combination of entries that reach a module: with dozens of commands, each thread of a node would load about a hundred
 * chunks, and Node needs a fifth of a millisecond for each. The plugin lets entries import entire groups of modules, which
 * therefore have the same entries.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'

/** The entries that each thread of a node loads: main, a server, the writer, peers. */
const NODE_THREADS = [
  ['src/cli/commands/run.ts'],
  ['src/api/threads/server-thread-entry.ts'],
  ['src/chain/writer/writer-thread-entry.ts', 'src/consensus/create-header-rules.ts'],
  ['src/p2p/threads/peers-thread-entry.ts', 'src/sync/threads/sync-module.ts'],
]
/** Loading a module that one of the four threads does not need is cheaper than another chunk. */
const COMMON_THREADS = 3
/** Loaded before every command. */
const COMMAND_LINE = 'src/cli/main.ts'
/** Entries that need less than any group. */
const LIGHT = ['src/platform/thread/own-modules.ts', 'src/plugins/define-plugin.ts']

/**
 * Modules that the command line loads before every command; common modules among them; common modules that a light command
 * needs; the other common modules, for commands and threads that need most of them.
 */
type Group = 'gathered:command-line' | 'gathered:early' | 'gathered:base' | 'gathered:heavy'

/** `entries` are source files; `metafile` describes a build without this plugin. */
export function gatherModules(root: string, entries: readonly string[], { inputs }: Metafile): Plugin {
  const isOwn = (name: string) => name.startsWith('src/')
  const reachedFrom = (names: readonly string[], reached = new Set<string>()): ReadonlySet<string> => {
    for (const name of names) {
      if (reached.has(name) || !(name in inputs)) continue
      reached.add(name)
      const imports = inputs[name]!.imports.filter(({ kind }) => kind !== 'dynamic-import')
      reachedFrom(
        imports.map(({ path }) => path),
        reached,
      )
    }
    return reached
  }
  const threads = NODE_THREADS.map((names) => {
    const missing = names.find((name) => !(name in inputs))
    if (missing !== undefined) throw new Error(`${missing} is not part of the program.`)
    return reachedFrom(names)
  })
  const common = Object.keys(inputs).filter(
    (name) => isOwn(name) && threads.filter((each) => each.has(name)).length >= COMMON_THREADS,
  )
  const loadedLater = Object.values(inputs).flatMap(({ imports }) =>
    imports.flatMap(({ kind, path }) => (kind === 'dynamic-import' && isOwn(path) ? [path] : [])),
  )
  const importers = new Set([...entries, ...loadedLater].filter((name) => !LIGHT.includes(name)))
  const early = reachedFrom([COMMAND_LINE])
  const late = common.filter((name) => !early.has(name))
  const isHeavy = (name: string) => {
    const reached = reachedFrom([name])
    return late.filter((each) => reached.has(each)).length > late.length / 2
  }
  const heavy = new Set([...importers].filter(isHeavy))
  const forLight = reachedFrom([...importers].filter((name) => !heavy.has(name)))
  const groups: Readonly<Record<Group, readonly string[]>> = {
    'gathered:command-line': [...early].filter((name) => isOwn(name) && !common.includes(name)),
    'gathered:early': common.filter((name) => early.has(name)),
    'gathered:base': late.filter((name) => forLight.has(name)),
    'gathered:heavy': late.filter((name) => !forLight.has(name)),
  }
  const groupsFor = (name: string): readonly Group[] => {
    if (!importers.has(name)) return []
    const reached = reachedFrom([name])
    const isImported: Readonly<Record<Group, boolean>> = {
      'gathered:command-line': name.startsWith('src/cli/'),
      'gathered:early': true,
      'gathered:base': heavy.has(name) || groups['gathered:base'].some((each) => reached.has(each)),
      'gathered:heavy': heavy.has(name),
    }
    return (Object.keys(isImported) as Group[]).filter((group) => isImported[group])
  }
  const importsOf = (paths: readonly string[]) => paths.map((path) => `import '${path}';`).join('')
  return {
    name: 'gathered modules',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^gathered:/ }, ({ path }) => ({ path, namespace: 'gathered' }))
      onLoad({ filter: /.*/, namespace: 'gathered' }, ({ path }) => ({
        contents: importsOf(
          groups[path as Group].filter((name) => name !== COMMAND_LINE).map((name) => join(root, name)),
        ),
        resolveDir: root,
      }))
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const gathered = groupsFor(relative(root, path))
        if (gathered.length === 0) return undefined
        // On the first line, so that source maps keep their lines.
        return { contents: importsOf(gathered) + readFileSync(path, 'utf8'), loader: 'ts' }
      })
    },
  }
}
