/**
 * The room `cli` handles the program's command line: the command to run, its streams and its exit code. It knows nothing
 * of networks; commands ask the rooms below. `bin/cairn` calls `main`.
 */

import { resolve } from 'node:path'
import { OptionIndex, parseArguments } from '#config/command-line.ts'
import { dataOptions } from '#config/data-directory.ts'
import { usageFault } from '#config/faults.ts'
import { path, pathInData } from '#config/kinds.ts'
import { suggestion } from '#config/nearest.ts'
import { loadSettings, type Settings } from '#config/settings.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { nodeOptions } from '#node/options.ts'
import { clientVersion } from '#node/version.ts'
import { PreparedThreads } from '#platform/thread/thread.ts'
import { isPluginOption } from '#plugins/plugin-settings.ts'
import { Fault } from '#types/fault.ts'
import { readCommandArguments } from './command.ts'
import { COMMAND_GROUPS, COMMANDS, type CommandRow } from './commands.ts'
import { exitOf } from './exit.ts'
import { formatCommandHelp, formatGroupHelp, formatRootHelp } from './help.ts'
import { helpOptions } from './help-options.ts'
import { escapingIo, type Io, processIo, type Streams } from './io.ts'
import { readTextIfPresent } from './read-text.ts'

/** Runs the command and returns the exit code. */
export async function main(args: readonly string[], streams: Streams = processIo): Promise<number> {
  const io = escapingIo(streams)
  try {
    await act(args, io)
    return 0
  } catch (error) {
    const { code, text } = exitOf(error)
    io.err(text)
    return code
  }
}

async function act(args: readonly string[], io: Io): Promise<void> {
  const options = [...ALL_OPTIONS, ...Object.values(helpOptions)]
  const elsewhere = await afterCommand(args)
  const { given, words } = parseArguments(args, new OptionIndex(options), {
    stopAtWord: true,
    passesOver: isPluginOption,
    elsewhere,
  })
  const asksFor = (option: (typeof helpOptions)[keyof typeof helpOptions]) =>
    given.some((each) => each.option === option)
  if (asksFor(helpOptions.version)) return io.out(`${clientVersion()}\n`)
  if (asksFor(helpOptions.help)) return io.out(formatRootHelp(ALL_OPTIONS, io.columns))
  const texts = { environment: process.env, readText: readTextIfPresent }
  const root = () => loadSettings({ options, commandLine: given, ...texts, passesOver: isPluginOption })
  if (words.length > 0) return actOn(words, root, io)
  if (given.some(({ option }) => option === nodeOptions.printPathsAndExit)) return io.out(formatPaths(root()))
  const prepared = await prepare(root)
  const { run } = await import('./commands/run.ts')
  const { configureNode } = await import('#node/plugins/load-plugins.ts')
  const node = await configureNode({ args, extra: Object.values(helpOptions), ...texts })
  await run(node, { args, environment: { ...process.env } }, prepared)
}

/** Plugins may accept options that are faults without them. Only configureNode knows, and reports them. */
async function prepare(root: () => Settings): Promise<PreparedThreads> {
  const { prepareThreads } = await import('#node/threads/prepare-threads.ts')
  try {
    return prepareThreads(root())
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return new PreparedThreads([])
  }
}

async function actOn(words: string[], root: () => Settings, io: Io): Promise<void> {
  const [first, second] = words
  if (first! in COMMAND_GROUPS && (second === undefined || ['--help', '-h'].includes(second))) {
    return io.out(formatGroupHelp(first!, io.columns))
  }
  const row = findCommand(words)
  const command = await row.load()
  const { own, operands, asksForHelp, asksForVersion } = readCommandArguments(
    command,
    words.slice(row.path.length),
    beforeCommand(row),
  )
  if (asksForVersion) return io.out(`${clientVersion()}\n`)
  if (asksForHelp) return io.out(formatCommandHelp(row, command, io.columns))
  try {
    await command.run({ own, operands, root, io })
  } catch (error) {
    const { logFailureIfAsked } = await import('./log-failure.ts')
    throw logFailureIfAsked(error, root)
  }
}

/** The node's options come before the command, which has its own options. */
function beforeCommand({ path: names }: CommandRow): (name: string) => string | undefined {
  const nodeIndex = new OptionIndex(ALL_OPTIONS)
  return (name) => {
    const option = nodeIndex.find(name)
    if (option === undefined) return undefined
    const value = option.kind.bare === undefined ? `=<${option.label}>` : ''
    return ` It is an option of the node and belongs before the command: cairn ${name}${value} ${names.join(' ')} …`
  }
}

/** A command's options come after it. */
async function afterCommand(args: readonly string[]): Promise<(name: string) => string | undefined> {
  const row = COMMANDS.find(({ path }) => path.every((name) => args.includes(name)))
  if (row === undefined) return () => undefined
  const command = await row.load()
  const index = new OptionIndex(Object.values(command.options))
  const names = row.path.join(' ')
  return (name) =>
    index.find(name) && ` It is an option of ${names} and belongs after it: cairn ${names} ${name} …`
}

function findCommand(words: readonly string[]): CommandRow {
  const row = COMMANDS.find(({ path }) => path.every((name, at) => words[at] === name))
  if (row) return row
  const index = words[0]! in COMMAND_GROUPS ? 1 : 0
  const known = COMMANDS.map(({ path }) => path.slice(0, index + 1).join(' '))
  const wrong = words.slice(0, index + 1).join(' ')
  throw usageFault(
    `Unmatched argument at index ${index}: '${words[index]}' is not a command.${suggestion(wrong, new Set(known))}`,
  )
}

/** For scripts that prepare or mount a node's directories before it starts. */
function formatPaths(settings: Settings): string {
  const bases = new Map<unknown, string>([
    [path, '.'],
    [pathInData, settings.get(dataOptions.dataPath)],
  ])
  const paths = ALL_OPTIONS.flatMap((option) => {
    const [base, value] = [bases.get(option.kind), settings.get(option)]
    const isPath = base !== undefined && typeof value === 'string'
    return isPath ? [`${option.flag}=${resolve(base, value)}\n`] : []
  })
  return paths.join('')
}
