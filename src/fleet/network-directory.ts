/** A network on disk: a directory with one subdirectory per node. Its files and the system show what is running. */
import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { kindOfPath, readTextBounded, writeFileAtomic } from '#platform/files/files.ts'
import { refusal } from './plan-network.ts'

const CONFIG_FILE = 'config.toml'
const MAX_CONFIG_BYTES = 1024 * 1024
const DATA_DIRECTORY = 'data'

/** The user that `cairn network` logs in as. */
export const OPERATOR = 'operator'
export const PASSWORD_FILE = 'operator.password'

export interface FleetNode {
  readonly name: string
  readonly directory: string
  /** An absolute path, because it identifies the command line of a running node. */
  readonly configFile: string
  readonly logFile: string
  readonly pidFile: string
  /** Names the command that is starting this node. */
  readonly startingFile: string
  /** Names the node's program, if it was upgraded. */
  readonly programFile: string
  /** Exists while the operator does not want this node to run. */
  readonly stoppedFile: string
  /** Exists since the validators voted this node out. */
  readonly removedFile: string
}

/** The nodes of a network, validators first. */
export function nodesOf(directory: string): readonly FleetNode[] {
  const root = resolve(directory)
  const names = kindOfPath(root) === 'directory' ? readdirSync(root) : []
  const nodes = names
    .filter((name) => kindOfPath(join(root, name, CONFIG_FILE)) === 'file')
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .map((name) => nodeAt(root, name))
    .sort((one, other) => Number(isValidator(other)) - Number(isValidator(one)))
  if (nodes.length > 0) return nodes
  throw refusal(
    `There is no network in ${directory}: make one by 'cairn network new', or name its directory by --directory.`,
  )
}

/** Decides by name. Only the chain knows whether its key is in the validator set. */
export function isValidator({ name }: FleetNode): boolean {
  return name.startsWith('validator')
}

function nodeAt(root: string, name: string): FleetNode {
  const directory = join(root, name)
  return {
    name,
    directory,
    configFile: join(directory, CONFIG_FILE),
    logFile: join(directory, 'log'),
    pidFile: join(directory, 'pid'),
    startingFile: join(directory, 'starting.pid'),
    programFile: join(directory, 'program'),
    stoppedFile: join(directory, 'stopped'),
    removedFile: join(directory, 'removed'),
  }
}

/** Remembers that the validators voted a node out, which its directory survives. */
export function markRemoved({ removedFile }: FleetNode): void {
  writeFileAtomic(removedFile, '')
}

export function unmarkRemoved({ removedFile }: FleetNode): void {
  rmSync(removedFile, { force: true })
}

export function isRemoved({ removedFile }: FleetNode): boolean {
  return kindOfPath(removedFile) !== undefined
}

export function nodeNamed(directory: string, name: string): FleetNode {
  const nodes = nodesOf(directory)
  const node = nodes.find((each) => each.name === name)
  if (node !== undefined) return node
  throw refusal(
    `The network has no node ${name}; its nodes are ${nodes.map((each) => each.name).join(', ')}.`,
  )
}

/** The file that a process with an open database has locked. */
export function databaseLockOf({ directory, configFile }: FleetNode): string {
  let dataPath: unknown
  try {
    dataPath = readConfig(configFile)['data-path']
  } catch {
    // The commands that start or ask the node report the problem with the file.
  }
  return resolve(directory, typeof dataPath === 'string' ? dataPath : DATA_DIRECTORY, 'database', 'LOCK')
}

export function readConfig(file: string): Record<string, unknown> {
  try {
    return parse(readTextBounded(file, MAX_CONFIG_BYTES))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw refusal(
      `${file} is not valid TOML, line ${error.line}. Run 'cairn validate-config --config-file=${file}' for details.`,
    )
  }
}
