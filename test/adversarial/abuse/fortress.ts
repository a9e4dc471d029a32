/** A node with all protections enabled: TLS with client certificates and tokens, on both transports. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'
import type { Entry } from './probe.ts'
import { type Papers, uncomplaining } from './sockets.ts'

const PASSWORD = 'correct horse'
/** The node limits logins by address, and an address has a limited number of ports; attackers use another address. */
const HONEST_ADDRESS = '127.0.0.2'
/** Longer than a password check may queue in the node. */
const ANSWER_MAX_MS = 15_000

type Tokens = NonNullable<Papers['tokens']>

export interface Fortress {
  readonly node: RunningNode
  /** The certificate of a client that the node knows. */
  readonly papers: Papers
  /** Resolves with a token for the next five minutes; each port issues its own tokens. */
  login(port: number): Promise<string>
  /** Starts the node's first engine thread, which exists only after a call needs it. */
  wakeEngine(tokens: Tokens): Promise<void>
  entry(tokens: Tokens): Entry
  close(): Promise<number | null>
}

export async function openFortress(bodyMaxBytes: number): Promise<Fortress> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-abuse-'))
  const file = (name: string, text?: string): string => {
    const path = join(folder, name)
    if (text !== undefined) writeFileSync(path, text)
    return path
  }
  const client = makeCertificate(folder, 'client')
  makeCertificate(folder, 'server')
  openssl(
    'pkcs12',
    '-export',
    '-inkey',
    file('server.key'),
    '-in',
    file('server.pem'),
    '-out',
    file('server.p12'),
    '-passout',
    'pass:p',
  )
  const users = `[Users.alice]\npassword = "${hashPassword(PASSWORD)}"\npermissions = ["*:*"]\n`
  const credentials = file('credentials.toml', users)
  const node = await startNode([
    `--genesis-file=${file('genesis.json', GENESIS_TEXT)}`,
    '--logging=INFO',
    ...['http', 'ws'].flatMap((each) => [
      `--rpc-${each}-enabled`,
      `--rpc-${each}-api=ETH,NET,WEB3,ADMIN`,
      `--rpc-${each}-authentication-enabled`,
      `--rpc-${each}-authentication-credentials-file=${credentials}`,
    ]),
    // Only the client certificate protects this method.
    '--rpc-http-api-methods-no-auth=admin_changeLogLevel',
    `--rpc-http-max-request-content-length=${bodyMaxBytes}`,
    '--rpc-http-tls-enabled',
    `--rpc-http-tls-keystore-file=${file('server.p12')}`,
    `--rpc-http-tls-keystore-password-file=${file('password', 'p')}`,
    '--rpc-http-tls-client-auth-enabled',
    `--rpc-http-tls-known-clients-file=${file('known', `client ${fingerprint(file('client.pem'))}\n`)}`,
    '--rpc-ws-ssl-enabled',
    `--rpc-ws-ssl-key-file=${file('server.key')}`,
    `--rpc-ws-ssl-cert-file=${file('server.pem')}`,
    '--rpc-ws-ssl-client-auth-enabled',
    `--rpc-ws-ssl-trustcert-file=${file('client.pem')}`,
  ])
  const secured = { ...client, host: '127.0.0.1', localAddress: HONEST_ADDRESS, rejectUnauthorized: false }
  return {
    node,
    papers: client,
    login: async (port) => {
      const answer = await post({ ...secured, port }, '/login', { username: 'alice', password: PASSWORD })
      return JSON.parse(answer).token
    },
    wakeEngine: async (tokens) => {
      const headers = { authorization: `Bearer ${tokens[node.http]}` }
      const call = { jsonrpc: '2.0', id: 1, method: 'eth_feeHistory', params: ['0x1', 'latest', []] }
      const answer = await post({ ...secured, port: node.http, headers }, '/', call)
      if (!answer.includes('"result"'))
        throw new Error(`the engine did not answer the honest client: ${answer}`)
    },
    entry: (tokens) => ({
      connect: (port) => uncomplaining(connect({ ...secured, port })),
      headers: (port) => `authorization: Bearer ${tokens[port]}\r\n`,
      packs: true,
    }),
    close: async () => {
      const code = await node.stop()
      rmSync(folder, { recursive: true, force: true })
      return code
    },
  }
}

function post({ headers, ...place }: RequestOptions, path: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      ...place,
      path,
      method: 'POST',
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
      agent: false,
    }
    const sent = request({ ...options, headers: { host: 'localhost', ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`POST ${path} of the honest client failed: ${response.statusCode} ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

function openssl(...args: string[]): string {
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Self-signed, so it is its own authority. */
function makeCertificate(folder: string, name: string): { key: string; cert: string } {
  const [keyFile, file] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile]
  openssl('req', '-x509', '-days', '2', ...key, '-subj', `/CN=${name}`, '-out', file)
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8') }
}

function fingerprint(file: string): string {
  return openssl('x509', '-in', file, '-noout', '-fingerprint', '-sha256').trim().split('=')[1]!
}
