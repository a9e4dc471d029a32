/** The node key, held by a file, a plugin or a signer. */

import type { Settings } from '#config/settings.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createLocalNodeKey, type NodeKeyHolder } from '#p2p/node-key.ts'
import { keyOptions } from '#p2p/options.ts'
import { createCheckedNodeKey } from '#p2p/signer/checked-node-key.ts'
import type { RunningSigner } from '#p2p/signer/start-signer.ts'
import type { Secret } from '#platform/secret.ts'
import { LOCAL_FILE, loadNodeKey } from './key-file.ts'

export interface HeldKey {
  readonly holder: NodeKeyHolder
  /** Undefined if a plugin or a signer holds the key. */
  readonly privateKey: Secret<Uint8Array> | undefined
}

interface KeyHolders {
  /** If undefined, no option names a signer. */
  readonly signer: RunningSigner | undefined
  /** Finds the plugin with this name. */
  readonly pluginSigner: (name: string) => NodeKeyHolder
}

/** Returns a function that creates a holder for each caller. */
export function keyHolderOf(settings: Settings, holders: KeyHolders): () => Promise<HeldKey> {
  let read: Secret<Uint8Array> | undefined
  return async () => {
    if (holders.signer !== undefined) return { holder: await holders.signer.holder(), privateKey: undefined }
    const name = settings.get(keyOptions.securityModule)
    if (name !== LOCAL_FILE) {
      const plugin = holders.pluginSigner(name)
      const { recover } = await loadCrypto()
      const holder = createCheckedNodeKey(await plugin.publicKey(), plugin, recover, `The plugin ${name}`)
      return { holder, privateKey: undefined }
    }
    // Cached, because decrypting a keystore takes a second and both peers and consensus ask.
    read ??= loadNodeKey(settings).privateKey
    return { holder: createLocalNodeKey(read), privateKey: read }
  }
}
