import { type LibraryLink, startLibraryPeer } from '../test/acceptance/interop/library-peer.ts'

/** The protocol of p2p-node.ts in `@ethereumjs/devp2p`. */
export function startLibraryBenchPeer(
  onMessage: (link: LibraryLink, code: number, data: Uint8Array) => void,
) {
  return startLibraryPeer([{ name: 'bench', version: 1, messageCount: 4, onMessage }])
}
