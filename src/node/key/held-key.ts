/** The key of this node, whoever holds it: a file, a plugin or a signer. */
import type { Settings } from '#config/settings.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createLocalNodeKey, type NodeKeyHolder } from '#p2p/node-key.ts'
import { createCheckedNodeKey } from '#p2p/signer/checked-node-key.ts'
import type { Secret } from '#platform/secret.ts'
import type { PluginSet } from '#plugins/host/plugin-set.ts'
import { createPluginSigner } from '#plugins/host/signer.ts'
import { pluginOptions } from '#plugins/options.ts'
import { LOCAL_FILE, loadNodeKey } from './node-key.ts'
import { createSigner, type NodeSigner, type SignerParts } from './signer-service.ts'

export interface HeldKey {
  readonly port: NodeKeyHolder
  /** undefined: a plugin or a signer has it. */
  readonly privateKey: Secret<Uint8Array> | undefined
}

export interface KeyHolder {
  /** undefined: no option names one. */
  readonly signer: NodeSigner | undefined
  /** One for each who asks. */
  nodeKey(): Promise<HeldKey>
}

export function findKeyHolder(settings: Settings, plugins: PluginSet, parts: SignerParts): KeyHolder {
  const signer = createSigner(settings, parts)
  let privateKey: Secret<Uint8Array> | undefined
  // A keystore takes a second to decrypt, and peers and consensus both ask.
  const readFile = () => (privateKey ??= loadNodeKey(settings).privateKey)
  return { signer, nodeKey: () => holdKey(settings, plugins, signer, readFile) }
}

async function holdKey(
  settings: Settings,
  plugins: PluginSet,
  signer: NodeSigner | undefined,
  readFile: () => Secret<Uint8Array>,
): Promise<HeldKey> {
  if (signer !== undefined) return { port: await signer.port(), privateKey: undefined }
  const name = settings.get(pluginOptions.securityModule)
  if (name !== LOCAL_FILE) {
    const held = createPluginSigner(plugins, name)
    const { recover } = await loadCrypto()
    const port = createCheckedNodeKey(await held.publicKey(), held, recover, `The plugin ${name}`)
    return { port, privateKey: undefined }
  }
  const privateKey = readFile()
  return { port: createLocalNodeKey(privateKey), privateKey }
}
