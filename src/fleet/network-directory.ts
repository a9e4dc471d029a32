/** A network on disk: a directory with one for each node. What runs is known from the files there, and from the system. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
import { refusal } from './plan-network.ts'

const CONFIG_FILE = 'config.toml'
const MAX_CONFIG_BYTES = 1024 * 1024
const MAX_PASSWORD_BYTES = 1024

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
  /** Names the program that it runs, if it was upgraded. */
  readonly programFile: string
  /** There while the operator wants this node not to run. */
  readonly stoppedFile: string
}

export interface Endpoint {
  readonly url: string
  /** undefined: nobody has to log in. */
  readonly password: string | undefined
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

/** Where a node answers, by its configuration. */
export function endpointOf(node: FleetNode): Endpoint {
  const config = readConfig(node.configFile)
  const host = config['rpc-http-host'] ?? '127.0.0.1'
  const port = config['rpc-http-port'] ?? 8545
  if (config['rpc-http-enabled'] !== true) {
    throw refusal(`${node.configFile} has no rpc-http-enabled = true, and a node is asked over HTTP.`)
  }
  const needsLogin = config['rpc-http-authentication-enabled'] === true
  return {
    url: `http://${host}:${port}`,
    password: needsLogin
      ? readTextBounded(join(node.directory, '..', PASSWORD_FILE), MAX_PASSWORD_BYTES).trim()
      : undefined,
  }
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
