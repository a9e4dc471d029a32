/** The node's key is in another program, which signs over HTTP. See remote-signer.md. */
import { readFileSync } from 'node:fs'
import { definePlugin, type NodeHandle } from 'cairn-node/plugin'

/** The node waits two seconds for a signature. */
const ANSWER_MAX_MS = 1_800

const OPTIONS = {
  url: { type: 'text', help: 'URL of the signer.' },
  'token-file': { type: 'text', help: 'File with the bearer token that it wants.' },
} as const

type Handle = NodeHandle<typeof OPTIONS, Record<never, never>>

async function ask(node: Handle, path: string, body?: object): Promise<Uint8Array> {
  const tokenFile = node.options['token-file']
  const response = await fetch(`${node.options.url}/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(tokenFile !== undefined && { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MAX_MS),
  })
  if (!response.ok) throw new Error(`the signer answered ${response.status} to ${path}`)
  const { result } = (await response.json()) as { readonly result?: unknown }
  if (typeof result !== 'string') throw new Error(`the signer gave no result for ${path}`)
  return fromHex(result)
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text.replace(/^0x/, ''), 'hex'))
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

export default definePlugin({
  name: 'remote-signer',
  version: '1.0.0',
  options: OPTIONS,
  register(node) {
    if (node.options.url === undefined) throw new Error('--plugin-remote-signer-url is missing')
  },
  health: {
    check: async (node) => {
      try {
        await ask(node, 'publicKey')
        return undefined
      } catch (error) {
        return `The signer does not answer: ${(error as Error).message}.`
      }
    },
  },
  signer: {
    publicKey: (node) => ask(node, 'publicKey'),
    sign: (digest, node) => ask(node, 'sign', { digest: toHex(digest) }),
    ecdh: (publicKey, node) => ask(node, 'ecdh', { publicKey: toHex(publicKey) }),
  },
})
