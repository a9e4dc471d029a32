/** The URL of a node, and a check that the node itself listens there. */
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { readTextBounded } from '#platform/files/files.ts'
import { isSoleListener } from '#platform/process/port-listener.ts'
import { type FleetNode, OPERATOR, PASSWORD_FILE, readConfig } from './network-directory.ts'
import { pidOf } from './node-process.ts'
import { refusal } from './plan-network.ts'

const MAX_PASSWORD_BYTES = 1024
const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = 8545

export interface Endpoint {
  readonly url: string
  /** A user whose password gets a token. */
  readonly login?: NodeLogin
  /** A token to send instead. */
  readonly token?: string
}

export interface NodeLogin {
  readonly username: string
  readonly password: string
  /** Throws unless the node itself listens at the URL: any local user can take a port before the node does. */
  requireOwner(): void
}

export function endpointOf(node: FleetNode): Endpoint {
  const config = readConfig(node.configFile)
  const host = String(config['rpc-http-host'] ?? DEFAULT_HOST)
  const port = Number(config['rpc-http-port'] ?? DEFAULT_PORT)
  if (config['rpc-http-enabled'] !== true) {
    throw refusal(
      `${node.configFile} has no rpc-http-enabled = true. This command calls the node over HTTP: enable it.`,
    )
  }
  const url = `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
  if (config['rpc-http-authentication-enabled'] !== true) return { url }
  const password = readTextBounded(join(node.directory, '..', PASSWORD_FILE), MAX_PASSWORD_BYTES).trim()
  return { url, login: { username: OPERATOR, password, requireOwner: () => requireOwner(node, host, port) } }
}

function requireOwner(node: FleetNode, host: string, port: number): void {
  const pid = pidOf(node)
  if (pid !== undefined && isSoleListener(pid, host, port) === true) return
  throw refusal(
    `The password was not sent to ${host}:${port}: ${node.name} does not listen there, or another program does as well. 'cairn network logs ${node.name}' shows what the node reports.`,
  )
}
