/** A network on disk: a directory with one for each node. What runs is known from the files there, and from the system. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
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
  /** Absolute: the command line of a running node is known by it. */
  readonly configFile: string
  readonly logFile: string
  readonly pidFile: string
  /** Names the command that is starting this node. */
  readonly startingFile: string
  /** Names the program that it runs, if it was upgraded. */
  readonly programFile: string
  /** There while the operator wants this node not to run. */
  readonly stoppedFile: string
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

/** By its name: whether its key may make blocks is for the chain to say. */
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
  }
}

export function nodeNamed(directory: string, name: string): FleetNode {
  const nodes = nodesOf(directory)
  const node = nodes.find((each) => each.name === name)
  if (node !== undefined) return node
  throw refusal(
    `The network has no node ${name}; its nodes are ${nodes.map((each) => each.name).join(', ')}.`,
  )
}

/** The file that whoever has the database open has locked. */
export function databaseLockOf({ directory, configFile }: FleetNode): string {
  let dataPath: unknown
  try {
    dataPath = readConfig(configFile)['data-path']
  } catch {
    // Whoever starts or asks the node is shown what is wrong with the file.
  }
  return resolve(directory, typeof dataPath === 'string' ? dataPath : DATA_DIRECTORY, 'database', 'LOCK')
}

export function readConfig(file: string): Record<string, unknown> {
  try {
    return parse(readTextBounded(file, MAX_CONFIG_BYTES))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw refusal(
      `${file} is no valid TOML, line ${error.line}; 'cairn validate-config --config-file=${file}' says more.`,
    )
  }
}
