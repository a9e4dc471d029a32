/** The public entry `cairn-node/plugin-test`: a plugin in a node of its own, for the tests of its author. */
import { fileURLToPath } from 'node:url'
import { type EmbeddedNode, embedNode, type NodeOptions } from '#node/create-node.ts'

export interface PluginTestOptions {
  /** Of the node and of the plugin, as createNode takes them: `{ 'plugin-greeter-greeting': 'hi' }`. */
  readonly options?: NonNullable<NodeOptions['options']>
  readonly dataPath?: string
}

/**
 * Starts a node of the development network with this plugin: it makes a block for every transaction, and accounts of known
 * keys have ether. `module`: `new URL('./my-plugin.ts', import.meta.url)`. It listens on free ports, so that tests may run beside
 * each other and beside a node in use.
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
