import { dirname, matchesGlob } from 'node:path'
import { BANNED_NAMES, LIMITS, NON_DETERMINISM, OUTSIDE_DOORS, ROOMS } from '#layers.ts'
import { logLinesOf } from '../../../scripts/log-lines.ts'
import {
  blankOutComments,
  codeOf,
  importsOf,
  isTest,
  resolveImport,
  roomOf,
  type SourceFile,
} from './source.ts'

/** A rule checks all of src and reports every violation with its remedy. */
export type Rule = (files: readonly SourceFile[]) => string[]

const perFile =
  (find: (file: SourceFile) => string[]): Rule =>
  (files) =>
    files.flatMap(find)

export const layers: Rule = perFile((file) => {
  const room = roomOf(file.path)
  if (room === undefined) return []
  const allowed = ROOMS[room]
  if (!allowed)
    return [`${file.path}: the room '${room}' is not on the map; add it to src/layers.ts and ARCHITECTURE.md`]
  return importsOf(file).flatMap(({ specifier, line }) => {
    const target = specifier.startsWith('#') ? specifier.slice(1).split('/')[0]! : undefined
    if (target === undefined || target === room || allowed.includes(target)) return []
    return [`${file.path}:${line}: '${room}' may not import '${target}'; calls go down, events go up`]
  })
})

export const crossings: Rule = perFile((file) =>
  importsOf(file)
    .filter(({ specifier }) => specifier.startsWith('../'))
    .map(
      ({ specifier, line }) =>
        `${file.path}:${line}: write '${specifier}' as #room/file.ts, so that the crossing shows`,
    ),
)

/** Only `#room/file.ts` resolves both in a checkout and in the package, whose files end in `.js`. */
export const resolvedModules: Rule = perFile((file) =>
  !isTest(file.path) && file.text.includes("import.meta.resolve('./")
    ? [`${file.path}: resolve the module as #room/file.ts, or the package does not find it`]
    : [],
)

export const cycles: Rule = (files) =>
  circlesOf(new Map(files.map((file) => [file.path, runTimeImports(file)]))).map(
    (circle) => `these files import each other in a circle: ${circle}`,
  )

/** Rooms whose folders have floors too. Types count, because a reader follows them as well. */
const ROOMS_WITH_FLOORS = ['chain', 'jsonrpc', 'api']

export const folderCycles: Rule = (files) => {
  const edges = new Map<string, string[]>()
  for (const file of files.filter(({ path }) => !isTest(path) && ROOMS_WITH_FLOORS.includes(roomOf(path)!))) {
    const folder = dirname(file.path)
    const others = importsOf(file)
      .flatMap(({ specifier }) => resolveImport(file.path, specifier) ?? [])
      .filter((path) => roomOf(path) === roomOf(file.path))
      .map(dirname)
      .filter((other) => other !== folder && other !== `src/${roomOf(file.path)}`)
    edges.set(folder, [...(edges.get(folder) ?? []), ...others])
  }
  return circlesOf(edges).map((circle) => `these folders import each other in a circle: ${circle}`)
}

function circlesOf(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (name: string, trail: readonly string[]): void => {
    const at = trail.indexOf(name)
    if (at >= 0) found.push([...trail.slice(at), name].join(' -> '))
    if (at >= 0 || done.has(name)) return
    for (const next of edges.get(name) ?? []) visit(next, [...trail, name])
    done.add(name)
  }
  for (const name of edges.keys()) visit(name, [])
  return found
}

/** A file that asks for its own place does not load itself. */
function runTimeImports(file: SourceFile): string[] {
  return importsOf(file)
    .filter(({ typeOnly }) => !typeOnly)
    .flatMap(({ specifier }) => resolveImport(file.path, specifier) ?? [])
    .filter((path) => path !== file.path)
}

export const outsideDoors: Rule = perFile((file) => {
  if (isTest(file.path)) return []
  return importsOf(file).flatMap(({ specifier, line, typeOnly }) => {
    const doors = OUTSIDE_DOORS[specifier]
    if (!doors || typeOnly || doors.some((door) => file.path.startsWith(`src/${door}/`))) return []
    return [
      `${file.path}:${line}: ${specifier} may be imported only in ${doors.join(', ')}; go through platform`,
    ]
  })
})

export const determinism: Rule = perFile((file) => {
  if (isTest(file.path) || roomOf(file.path) === 'platform' || file.path === 'src/layers.ts') return []
  const lines = codeOf(file.text).split('\n')
  return lines.flatMap((line, at) =>
    NON_DETERMINISM.filter((word) =>
      new RegExp(`(?<![\\w.])${word.replace(/[.()]/g, '\\$&')}`).test(line),
    ).map(
      (word) =>
        `${file.path}:${at + 1}: ${word} is for platform only; take a clock, a random source or a log as a parameter`,
    ),
  )
})

export const purity: Rule = perFile((file) => {
  if (roomOf(file.path) !== 'types' || isTest(file.path)) return []
  return importsOf(file)
    .filter(({ specifier }) => specifier.startsWith('node:'))
    .map(({ specifier, line }) => `${file.path}:${line}: types is pure and may not import ${specifier}`)
})

export const sizes: Rule = perFile((file) => {
  const lines = file.text.split('\n').length
  const depth = file.path.split('/').length - 2
  return [
    ...(lines > LIMITS.fileLines && !isGenerated(file)
      ? [`${file.path}: ${lines} lines, at most ${LIMITS.fileLines}; split it by concept`]
      : []),
    ...(depth > LIMITS.folderDepth
      ? [`${file.path}: ${depth} folders deep, at most ${LIMITS.folderDepth}`]
      : []),
  ]
})

const isGenerated = (file: SourceFile) => file.path.endsWith('.generated.ts')

export const names: Rule = perFile((file) => {
  const words = file.path.replace(/\.ts$/, '').split(/[/.-]/)
  const banned = words.filter((word) => (BANNED_NAMES as readonly string[]).includes(word))
  return banned.map((word) => `${file.path}: '${word}' says nothing about what is inside`)
})

export const barrels: Rule = perFile((file) => {
  const code = codeOf(file.text)
  return /^\s*export\s*(\*|\{[^}]*\}\s*from)/m.test(code)
    ? [`${file.path}: re-exports; import from where things are`]
    : []
})

export const todos: Rule = perFile((file) =>
  file.text
    .split('\n')
    .flatMap((line, at) =>
      /\b(TODO|FIXME|XXX)\b(?!\(#\d+\))/.test(line)
        ? [`${file.path}:${at + 1}: a TODO names its issue: TODO(#12)`]
        : [],
    ),
)

/** Files that are not reachable from the program or a worker's entry. Tests do not keep a file alive. */
export const deadFiles =
  (entries: readonly string[]): Rule =>
  (files) => {
    const byPath = new Map(files.map((file) => [file.path, file]))
    const reached = new Set<string>()
    const queue = [...entries]
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      const file = byPath.get(path)
      if (!file || reached.has(path)) continue
      reached.add(path)
      queue.push(...importsOf(file).flatMap(({ specifier }) => resolveImport(path, specifier) ?? []))
    }
    return files
      .filter(({ path }) => !isTest(path) && !reached.has(path))
      .map(({ path }) => `${path}: nothing reaches it; delete it or use it`)
  }

const UNDONE_TESTS: readonly (readonly [RegExp, string])[] = [
  [/\.(only|runOnly)\s*\(|\bonly:\s*true\b/, 'only: it leaves out every other test'],
  [/\.todo\s*\(|\btodo:/, 'todo: it passes whatever it shows'],
  // Strings are already blank here, so this is a reason without a condition.
  [/\b(test|suite)\.skip\s*\(|\bskip:\s*(true\b|[,})])/, 'skip without a condition: it never runs'],
  [/^import \{.*\b(it|describe)\b.*\} from/, 'one word for one thing: use test and suite'],
  [/\bprocess\.(exit|reallyExit|abort)\s*\(/, 'process.exit: the tests behind it do not run'],
]

export const wholeTests: Rule = perFile((file) => {
  if (!file.path.endsWith('.test.ts')) return []
  const lines = codeOf(file.text).split('\n')
  return lines.flatMap((line, at) =>
    UNDONE_TESTS.filter(([pattern]) => pattern.test(line)).map(([, why]) => `${file.path}:${at + 1}: ${why}`),
  )
})

/** Every test file is run by exactly one stage; `patterns` are those of all stages. */
export const stagedTests =
  (patterns: readonly string[]): Rule =>
  (files) =>
    files
      .filter(({ path }) => path.endsWith('.test.ts'))
      .flatMap(({ path }) => {
        const times = patterns.filter((pattern) => matchesGlob(path, pattern)).length
        return times === 1 ? [] : [`${path}: ${times} stages of scripts/stages.ts run it, instead of one`]
      })

/** Any port may be in use: programs that measure or test take a free one (test/support/free-port.ts, or port 0). */
export const freePorts: Rule = perFile((file) => {
  const lines = codeOf(file.text).split('\n')
  return lines.flatMap((line, at) =>
    /\b(\w+_)?port\b\s*[:=]\s*[1-9][\d_]{3,}/i.test(line)
      ? [`${file.path}:${at + 1}: a fixed port; take a free one (test/support/free-port.ts)`]
      : [],
  )
})
const EXPORTED = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm
const NAMED_IMPORT = /import\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g

/** Code that only tests call belongs to the tests. `scripts` generate documents from sources and count as users. */
export const unusedExports =
  (entries: readonly string[], scripts: readonly SourceFile[] = []): Rule =>
  (files) => {
    const production = files.filter(({ path }) => !isTest(path))
    const imported = new Set([...production, ...scripts].flatMap(namedImports))
    // A module loaded by name exports the names of its interface.
    const loaded = new Set(production.flatMap(loadedModules))
    return production
      .filter(({ path }) => !entries.includes(path) && !loaded.has(path))
      .flatMap((file) => {
        const code = codeOf(file.text)
        return [...code.matchAll(EXPORTED)]
          .map(([, name]) => name!)
          .filter((name) => code.match(new RegExp(`\\b${name}\\b`, 'g'))!.length === 1)
          .filter((name) => !imported.has(`${file.path} ${name}`))
          .map((name) => `${file.path}: nothing in src uses ${name}; delete it, or move it to the tests`)
      })
  }

function loadedModules(file: SourceFile): (string | undefined)[] {
  const loads = file.text.matchAll(/import(?:\.meta\.resolve)?\(\s*['"]([^'"]+)['"]/g)
  return [...loads].map(([, specifier]) => resolveImport(file.path, specifier!))
}

function namedImports(file: SourceFile): string[] {
  return [...blankOutComments(file.text).matchAll(NAMED_IMPORT)].flatMap(([, names, specifier]) => {
    const target = resolveImport(file.path, specifier!)
    return names!.split(',').map((name) => {
      const [original] = name
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)
      return `${target} ${original}`
    })
  })
}

/** A folder's size is limited, so it shows its content. `exempt` folders have one file for each thing of a kind. */
export const crowdedFolders =
  (exempt: readonly string[]): Rule =>
  (files) => {
    const counts = new Map<string, number>()
    for (const { path } of files) {
      const folder = path.slice(0, path.lastIndexOf('/'))
      const isExempt = path.endsWith('.test.ts') || exempt.some((prefix) => folder.startsWith(prefix))
      if (!isExempt) counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    return [...counts]
      .filter(([, count]) => count > LIMITS.folderFiles)
      .map(
        ([folder, count]) =>
          `${folder}: ${count} sources, at most ${LIMITS.folderFiles}; make folders inside it`,
      )
  }

const RPC_ERROR_TABLE = 'src/jsonrpc/error-table.ts'
const QUOTED_KIND = /'([A-Z][A-Z0-9_]*)'/g

/** The JSON-RPC errors (keys of their table) and the fault kinds of every room (quoted in the union of its faults.ts). */
export const unusedErrors: Rule = (files) => {
  const uses = new Map<string, number>()
  const production = files.filter(({ path }) => !isTest(path))
  for (const { text } of production)
    for (const [, kind] of blankOutComments(text).matchAll(QUOTED_KIND))
      uses.set(kind!, (uses.get(kind!) ?? 0) + 1)
  return production.flatMap(({ path, text }) => {
    const isTable = path === RPC_ERROR_TABLE
    if (!isTable && !path.endsWith('/faults.ts')) return []
    const declared = text.matchAll(isTable ? /^ {2}([A-Z][A-Z0-9_]*):/gm : QUOTED_KIND)
    // A union quotes its kinds, so its own mention is the first use.
    const declarations = isTable ? 0 : 1
    return [...new Set([...declared].map(([, kind]) => kind!))]
      .filter((kind) => (uses.get(kind) ?? 0) <= declarations)
      .map((kind) => `${path}: nothing produces ${kind}; delete it`)
  })
}

/** A tidy log: fixed texts without a full stop, and no row that nothing logs. */
export const logMessages: Rule = (files) => {
  const production = files.filter(({ path }) => !isTest(path) && path !== 'src/platform/log/log.ts')
  const code = production.map(({ text }) => blankOutComments(text)).join('\n')
  return production.flatMap(({ path, text }) => [
    ...logLinesOf(blankOutComments(text)).flatMap(({ message, line }) => {
      if (message === undefined) return [`${path}:${line}: log a fixed text, with values as fields`]
      return message.endsWith('.') ? [`${path}:${line}: a log message has no full stop`] : []
    }),
    ...(path.endsWith('/log-problems.ts') ? rowProblems(path, text, code) : []),
  ])
}

function rowProblems(path: string, text: string, code: string): string[] {
  const table = /export const (\w+_PROBLEMS)/.exec(text)?.[1]
  const unused = [...text.matchAll(/^ {2}(\w+): \{$/gm)]
    .filter(([, key]) => !code.includes(`${table}.${key}`))
    .map(([, key]) => `${path}: nothing logs ${key}; delete it`)
  const stopped = [...text.matchAll(/^ {4}message: .*\.['`],$/gm)].map(
    ([row]) => `${path}: a log message has no full stop: ${row.trim()}`,
  )
  return [...unused, ...stopped]
}

const NAMED_TYPE = /^export (?:abstract )?(?:class|interface|type|enum) (\w+)/gm

/** `exempt` names mean two things in the field's own words; a schema describes a type and has its name. */
export const oneMeaning =
  (exempt: readonly string[]): Rule =>
  (files) => {
    const places = new Map<string, string[]>()
    for (const file of files.filter(({ path }) => !isTest(path) && !path.startsWith('src/api/schema/')))
      for (const [, name] of codeOf(file.text).matchAll(NAMED_TYPE))
        places.set(name!, [...(places.get(name!) ?? []), file.path])
    return [...places]
      .filter(([name, paths]) => paths.length > 1 && !exempt.includes(name))
      .map(([name, paths]) => `${name} is declared in ${paths.join(' and ')}: give each a name of its own`)
  }
