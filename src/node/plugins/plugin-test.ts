/** The public entry `cairn-node/plugin-test`: runs a plugin in its own node, for its author's tests. */
import { fileURLToPath } from 'node:url'
import { type EmbeddedNode, embedNode, type NodeOptions } from '#node/create-node.ts'

export interface PluginTestOptions {
  /** Options of the node and the plugin, in createNode's format: `{ 'plugin-greeter-greeting': 'hi' }`. */
  readonly options?: NonNullable<NodeOptions['options']>
  readonly dataPath?: string
}

/**
 * Starts a development network node with this plugin: each transaction gets its own block, and accounts with known keys have
 * ether. `module` is for example `new URL('./my-plugin.ts', import.meta.url)`. It listens on free ports, so tests can run in
 * parallel, also next to another node.
 */
export async function startWithPlugin(
  module: URL | string,
  { options = {}, dataPath }: PluginTestOptions = {},
): Promise<EmbeddedNode> {
  const file = String(module).startsWith('file:') ? fileURLToPath(module) : String(module)
  return await embedNode({
    options: { network: 'dev', 'rpc-http-port': 0, 'rpc-ws-port': 0, plugins: file, ...options },
    ...(dataPath !== undefined && { dataPath }),
  })
}
