/** Two real nodes that differ only in authentication: the second one requires a token. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'

export interface NodePair {
  readonly open: RunningNode
  readonly guarded: RunningNode
  stop(): Promise<void>
}

export const USER = { username: 'alice', password: 'pegasys' }

/** Enables HTTP and WebSocket on both. `grants` are the permissions of USER. */
export async function startNodePair(args: readonly string[], grants: readonly string[]): Promise<NodePair> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-guarded-'))
  const credentials = join(folder, 'credentials.toml')
  const password = hashPassword(USER.password)
  writeFileSync(
    credentials,
    `[Users.${USER.username}]\npassword = "${password}"\npermissions = ${JSON.stringify(grants)}\n`,
  )
  const common = [...args, '--rpc-http-enabled', '--rpc-ws-enabled']
  const guards = ['http', 'ws'].flatMap((transport) => [
    `--rpc-${transport}-authentication-enabled`,
    `--rpc-${transport}-authentication-credentials-file=${credentials}`,
  ])
  const [open, guarded] = await Promise.all([startNode(common), startNode([...common, ...guards])])
  return {
    open,
    guarded,
    stop: async () => {
      await Promise.all([open.stop(), guarded.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Each port signs with its own key, so each needs its own login. */
export async function bearer(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/login`, {
    method: 'POST',
    body: JSON.stringify(USER),
  })
  const { token } = (await response.json()) as { token: string }
  return `Bearer ${token}`
}

export const httpUrl = ({ http }: RunningNode): string => `http://127.0.0.1:${http}`
export const websocketUrl = ({ websocket }: RunningNode): string => `ws://127.0.0.1:${websocket}`
