/** The node's key in a plugin. Its answers are checked before they are used. */
import type { NodeKeyHolder } from '#p2p/node-key.ts'
import { pluginFault } from '#plugins/faults.ts'
import { isPublicKey, PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '#types/curve.ts'
import type { PluginHost } from './plugin-host.ts'
import type { PluginSet } from './plugin-set.ts'

const SIGN_DEADLINE_MS = 2_000
const SHARED_BYTES = 32

/** Uses the plugin that the option names. */
export function createPluginSigner(plugins: PluginSet, name: string): NodeKeyHolder {
  const host = plugins.hosts.find((each) => each.name === name)
  if (host === undefined || !host.declaration.hooks.includes('signer')) {
    const known = plugins.hosts.filter(({ declaration }) => declaration.hooks.includes('signer'))
    const names = known.map((each) => each.name).join(', ') || 'none of its plugins has a signer'
    throw pluginFault(
      `--security-module names ${name}, and this node has no such plugin with a signer (${names}). Give localfile, or load the plugin.`,
    )
  }
  return {
    publicKey: async () => {
      const key = await bytesOf(host, 'publicKey', null, PUBLIC_KEY_BYTES)
      if (!isPublicKey('secp256k1', key))
        throw pluginFault(`The plugin ${name} returned a malformed public key.`)
      return key
    },
    sign: (digest) => bytesOf(host, 'sign', digest, SIGNATURE_BYTES),
    ecdh: (publicKey) => bytesOf(host, 'ecdh', publicKey, SHARED_BYTES),
  }
}

async function bytesOf(
  host: PluginHost,
  step: 'publicKey' | 'sign' | 'ecdh',
  params: Uint8Array | null,
  length: number,
): Promise<Uint8Array> {
  const answer = await host.ask(step, params as never, SIGN_DEADLINE_MS)
  const bytes: unknown = answer.ok ? answer.value : undefined
  if (bytes instanceof Uint8Array && bytes.length === length) return bytes
  if (answer.ok) host.noteUnusable(step, `It must give ${length} bytes`)
  throw pluginFault(`The plugin ${host.name}, which holds the key of the node, gave no ${step}.`)
}
